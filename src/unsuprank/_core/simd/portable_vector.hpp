// What the kernels ask of a vector, in plain C++: for compilers without vector extensions.
//
// Loops over a constant number of lanes are what compilers vectorise most easily, and they round
// lane by lane as vectors do.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace unsuprank {

// The signed integer as wide as a number; comparisons give vectors of these, -1 where they hold.
template <typename Number>
using FlagOf = std::conditional_t<
    sizeof(Number) == 8, int64_t,
    std::conditional_t<sizeof(Number) == 4, int32_t,
                       std::conditional_t<sizeof(Number) == 2, int16_t, int8_t>>>;

#define UNSUPRANK_LANEWISE(Result, op)                                                    \
  friend Result operator op(const PortableVector& a, const PortableVector& b) {           \
    Result out;                                                                           \
    for (int l = 0; l < kCount; ++l) out.lanes[l] = Result::of(a.lanes[l] op b.lanes[l]); \
    return out;                                                                           \
  }                                                                                       \
  friend Result operator op(const PortableVector& a, Number b) { return a op all(b); }    \
  friend Result operator op(Number a, const PortableVector& b) { return all(a) op b; }

#define UNSUPRANK_ARITHMETIC(op)                     \
  UNSUPRANK_LANEWISE(PortableVector, op)             \
  template <typename Other>                          \
  PortableVector& operator op## = (const Other& b) { \
    return *this = *this op b;                       \
  }

// An aggregate, so that it is zeroed by {} and takes its lanes in braces.
template <typename Number, int kBytes>
struct PortableVector {
  static constexpr int kCount = kBytes / static_cast<int>(sizeof(Number));
  using Flags = PortableVector<FlagOf<Number>, kBytes>;
  alignas(kBytes) Number lanes[kCount];

  // What an operation gives becomes a lane: numbers as they are, truths as 0 and -1.
  template <typename Found>
  static Number of(Found found) {
    if constexpr (std::is_same_v<Found, bool>)
      return static_cast<Number>(found ? -1 : 0);
    else
      return static_cast<Number>(found);
  }

  static PortableVector all(Number value) {
    PortableVector out;
    for (Number& lane : out.lanes) lane = value;
    return out;
  }

  Number& operator[](int64_t lane) { return lanes[lane]; }
  const Number& operator[](int64_t lane) const { return lanes[lane]; }

  // The same bits as a vector of other numbers.
  template <typename Other>
  explicit operator PortableVector<Other, kBytes>() const {
    PortableVector<Other, kBytes> out;
    std::memcpy(&out, this, sizeof(out));
    return out;
  }

  UNSUPRANK_ARITHMETIC(+)
  UNSUPRANK_ARITHMETIC(-)
  UNSUPRANK_ARITHMETIC(*)
  UNSUPRANK_ARITHMETIC(&)
  UNSUPRANK_ARITHMETIC(|)
  UNSUPRANK_ARITHMETIC(>>)
  UNSUPRANK_LANEWISE(Flags, <)
  UNSUPRANK_LANEWISE(Flags, >)
  UNSUPRANK_LANEWISE(Flags, <=)
  UNSUPRANK_LANEWISE(Flags, >=)
  UNSUPRANK_LANEWISE(Flags, ==)
  UNSUPRANK_LANEWISE(Flags, !=)

  PortableVector operator-() const {
    PortableVector out;
    for (int l = 0; l < kCount; ++l) out.lanes[l] = -lanes[l];
    return out;
  }
  PortableVector operator~() const {
    PortableVector out;
    for (int l = 0; l < kCount; ++l) out.lanes[l] = static_cast<Number>(~lanes[l]);
    return out;
  }
};

#undef UNSUPRANK_ARITHMETIC
#undef UNSUPRANK_LANEWISE

// The lanes of `yes` where a flag is set, of `no` elsewhere.
template <typename Vector>
Vector chosen(const typename Vector::Flags& flags, const Vector& yes, const Vector& no) {
  Vector out;
  for (int l = 0; l < Vector::kCount; ++l) out[l] = flags[l] ? yes[l] : no[l];
  return out;
}

// Each lane as a number of another type.
template <typename To, typename From>
To converted(const From& from) {
  static_assert(To::kCount == From::kCount, "as many lanes");
  To out;
  for (int l = 0; l < To::kCount; ++l) out[l] = To::of(from[l]);
  return out;
}

template <typename Vector, typename... Places>
Vector lanes_at(const Vector& a, const Vector& b, Places... places) {
  const auto lane = [&](int l) { return l < Vector::kCount ? a[l] : b[l - Vector::kCount]; };
  return {lane(places)...};
}

}  // namespace unsuprank
