// A vector as a struct of registers, or of plain numbers where a compiler has no vectors.
//
// g++ takes vectors of any length, but keeps one that is longer than the registers of a processor
// in memory, and copies it there piece by piece at every step, which takes several times as long
// as the arithmetic. As a struct of registers, the same vector stays in them. Loops over a constant
// number of plain numbers are what compilers without vectors vectorise most easily. Either way,
// lanes round as those of one long register do.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simd/targets.hpp"

namespace unsuprank {

// The signed integer as wide as a number; comparisons give vectors of these, -1 where they hold.
template <typename Number>
using FlagOf = std::conditional_t<
    sizeof(Number) == 8, int64_t,
    std::conditional_t<sizeof(Number) == 4, int32_t,
                       std::conditional_t<sizeof(Number) == 2, int16_t, int8_t>>>;

// A register of some bytes; one of the size of a number is that number.
template <typename Number, int kBytes, bool kPlain = kBytes == sizeof(Number)>
struct RegisterOf {
  using Type = Number;
};
#if UNSUPRANK_EXTENSIONS
template <typename Number, int kBytes>
struct RegisterOf<Number, kBytes, false> {
  typedef Number Type __attribute__((vector_size(kBytes)));
};
#endif

#define UNSUPRANK_LANEWISE(Result, op)                                                     \
  UNSUPRANK_INLINE friend Result operator op(const SplitVector& a, const SplitVector& b) { \
    Result out;                                                                            \
    for (int p = 0; p < kParts; ++p) out.part[p] = Result::of(a.part[p] op b.part[p]);     \
    return out;                                                                            \
  }                                                                                        \
  UNSUPRANK_INLINE friend Result operator op(const SplitVector& a, Number b) {             \
    Result out;                                                                            \
    for (int p = 0; p < kParts; ++p) out.part[p] = Result::of(a.part[p] op b);             \
    return out;                                                                            \
  }                                                                                        \
  UNSUPRANK_INLINE friend Result operator op(Number a, const SplitVector& b) {             \
    Result out;                                                                            \
    for (int p = 0; p < kParts; ++p) out.part[p] = Result::of(a op b.part[p]);             \
    return out;                                                                            \
  }

#define UNSUPRANK_ARITHMETIC(op)                                   \
  UNSUPRANK_LANEWISE(SplitVector, op)                              \
  template <typename Other>                                        \
  UNSUPRANK_INLINE SplitVector& operator op## = (const Other& b) { \
    return *this = *this op b;                                     \
  }

// An aggregate, so that it is zeroed by {} and, if it is of plain numbers, takes them in braces.
template <typename Number, int kBytes, int kRegister>
struct SplitVector {
  using Register = typename RegisterOf<Number, kRegister>::Type;
  using Flags = SplitVector<FlagOf<Number>, kBytes, kRegister>;
  static constexpr bool kPlain = kRegister == sizeof(Number);
  static constexpr int kParts = kBytes / kRegister;
  static constexpr int kPartLanes = kRegister / static_cast<int>(sizeof(Number));
  static constexpr int kCount = kParts * kPartLanes;
  alignas(kBytes) Register part[kParts];

  // What an operation gives becomes a part: numbers as they are, truths as 0 and -1.
  template <typename Found>
  UNSUPRANK_INLINE static Register of(const Found& found) {
    if constexpr (std::is_same_v<Found, bool>)
      return static_cast<Register>(found ? -1 : 0);
    else
      return (Register)found;
  }

  UNSUPRANK_INLINE Number operator[](int64_t lane) const {
    if constexpr (kPlain)
      return part[lane];
    else
      return part[lane / kPartLanes][lane % kPartLanes];
  }
  // Lanes of registers have no address.
  template <bool kHasAddress = kPlain, typename = std::enable_if_t<kHasAddress>>
  Number& operator[](int64_t lane) {
    return part[lane];
  }

  // The same bits as a vector of other numbers.
  template <typename Other, int kOther>
  UNSUPRANK_INLINE explicit operator SplitVector<Other, kBytes, kOther>() const {
    SplitVector<Other, kBytes, kOther> out;
    if constexpr (kOther == kRegister) {
      for (int p = 0; p < kParts; ++p) std::memcpy(&out.part[p], &part[p], kRegister);
    } else {
      std::memcpy(out.part, part, kBytes);
    }
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

  UNSUPRANK_INLINE SplitVector operator-() const {
    SplitVector out;
    for (int p = 0; p < kParts; ++p) out.part[p] = -part[p];
    return out;
  }
  UNSUPRANK_INLINE SplitVector operator~() const {
    SplitVector out;
    for (int p = 0; p < kParts; ++p) out.part[p] = static_cast<Register>(~part[p]);
    return out;
  }
};

#undef UNSUPRANK_ARITHMETIC
#undef UNSUPRANK_LANEWISE

// The lanes of `yes` where a flag is set, of `no` elsewhere.
template <typename Number, int kBytes, int kRegister>
UNSUPRANK_INLINE SplitVector<Number, kBytes, kRegister> chosen(
    const SplitVector<FlagOf<Number>, kBytes, kRegister>& flags,
    const SplitVector<Number, kBytes, kRegister>& yes,
    const SplitVector<Number, kBytes, kRegister>& no) {
  SplitVector<Number, kBytes, kRegister> out;
  for (int p = 0; p < out.kParts; ++p) out.part[p] = flags.part[p] ? yes.part[p] : no.part[p];
  return out;
}

template <typename Vector, typename... Places>
Vector lanes_at(const Vector& a, const Vector& b, Places... places) {
  const auto lane = [&](int l) { return l < Vector::kCount ? a[l] : b[l - Vector::kCount]; };
  return {lane(places)...};
}

}  // namespace unsuprank
