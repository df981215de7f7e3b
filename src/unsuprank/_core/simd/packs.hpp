// Vectors of numbers that are worked on together.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "simd/split_vector.hpp"

namespace unsuprank {

#if UNSUPRANK_EXTENSIONS
template <typename Number, int kBytes>
using SimdVector = typename RegisterOf<Number, kBytes>::Type;

// The lanes of `yes` where a flag is set, of `no` elsewhere.
template <typename Flags, typename Vector>
UNSUPRANK_INLINE Vector chosen(const Flags& flags, const Vector& yes, const Vector& no) {
  return flags ? yes : no;
}
#else
template <typename Number, int kBytes>
using SimdVector = SplitVector<Number, kBytes, sizeof(Number)>;
#endif

// Each lane as a number of another type.
template <typename To, typename From>
UNSUPRANK_INLINE To converted(const From& from) {
#if UNSUPRANK_EXTENSIONS
  return __builtin_convertvector(from, To);
#else
  static_assert(To::kCount == From::kCount, "as many lanes");
  To out;
  for (int l = 0; l < To::kCount; ++l) out[l] = To::of(from[l]);
  return out;
#endif
}

// Lane by lane; `b` where numbers do not compare, that is, where one of them is missing.
template <typename Vector>
UNSUPRANK_INLINE Vector smaller_of(const Vector& a, const Vector& b) {
  return chosen(a < b, a, b);
}
template <typename Vector>
UNSUPRANK_INLINE Vector larger_of(const Vector& a, const Vector& b) {
  return chosen(a > b, a, b);
}

// 64 bytes of numbers, in registers of some size; see with_registers.
template <typename Number, int kRegister>
using Pack = std::conditional_t<kRegister == 64, SimdVector<Number, 64>,
                                SplitVector<Number, 64, kRegister == 64 ? 16 : kRegister>>;
template <typename Real>
constexpr int kLanes = 64 / sizeof(Real);

// A vector from memory that need not be aligned, and back.
template <typename Vector>
UNSUPRANK_INLINE void load(Vector& vector, const void* from) {
  std::memcpy(&vector, from, sizeof(vector));
}
template <typename Vector>
UNSUPRANK_INLINE void store(void* to, const Vector& vector) {
  std::memcpy(to, &vector, sizeof(vector));
}
template <typename Number, int kBytes, int kRegister>
UNSUPRANK_INLINE void load(SplitVector<Number, kBytes, kRegister>& vector, const Number* from) {
  for (int p = 0; p < vector.kParts; ++p) load(vector.part[p], from + p * vector.kPartLanes);
}
template <typename Number, int kBytes, int kRegister>
UNSUPRANK_INLINE void store(Number* to, const SplitVector<Number, kBytes, kRegister>& vector) {
  for (int p = 0; p < vector.kParts; ++p) store(to + p * vector.kPartLanes, vector.part[p]);
}
template <typename Vector, typename Number>
UNSUPRANK_INLINE Vector loaded(const Number* from) {
  Vector v;
  load(v, from);
  return v;
}

// Eight doubles from memory, or from as many floats.
template <int kRegister>
UNSUPRANK_INLINE Pack<double, kRegister> widened(const double* from) {
  return loaded<Pack<double, kRegister>>(from);
}
template <int kRegister>
UNSUPRANK_INLINE Pack<double, kRegister> widened(const float* from) {
  if constexpr (kRegister == 64) {
    return converted<Pack<double, 64>>(loaded<SimdVector<float, 32>>(from));
  } else {
    using Doubles = Pack<double, kRegister>;
    Doubles out;
    for (int p = 0; p < Doubles::kParts; ++p) {
      const auto floats = loaded<SimdVector<float, kRegister / 2>>(from + p * Doubles::kPartLanes);
      out.part[p] = converted<typename Doubles::Register>(floats);
    }
    return out;
  }
}

// The sum of the lanes in double precision.
template <typename Real, typename Vector>
UNSUPRANK_INLINE double sum_of(const Vector& pack) {
  double total = 0.0;
  for (int l = 0; l < kLanes<Real>; ++l) total += static_cast<double>(pack[l]);
  return total;
}

// The same sum by halves, in the precision of the lanes: quicker, for short sums.
template <typename Real, typename Vector>
UNSUPRANK_INLINE Real folded(const Vector& pack) {
  using Quarter = SimdVector<Real, 16>;
  Quarter quarters[4];
  std::memcpy(quarters, &pack, sizeof(pack));
  const Quarter sums = (quarters[0] + quarters[2]) + (quarters[1] + quarters[3]);
  Real total = 0;
  for (size_t l = 0; l < sizeof(Quarter) / sizeof(Real); ++l) total += sums[l];
  return total;
}

// Writes the sums over the lanes of as many packs as a pack has lanes, each by halves. The packs
// are overwritten.
template <typename Real, int kRegister>
UNSUPRANK_INLINE void write_lane_sums(SplitVector<Real, 64, kRegister>* packs, Real* sums) {
  using Split = SplitVector<Real, 64, kRegister>;
  for (int p = 0; p < kLanes<Real>; ++p) {
    for (int half = Split::kParts / 2; half > 0; half /= 2) {
      for (int k = 0; k < half; ++k) packs[p].part[k] += packs[p].part[k + half];
    }
    Real lanes[Split::kPartLanes];
    std::memcpy(lanes, packs[p].part, sizeof(lanes));
    for (int half = Split::kPartLanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) lanes[l] += lanes[l + half];
    }
    sums[p] = lanes[0];
  }
}

#if UNSUPRANK_EXTENSIONS
// As many integers as lanes, of their size.
template <typename Real>
using LanePlaces = SimdVector<FlagOf<Real>, 64>;

// The halves of every block of 2 kHalf lanes of two packs, added up.
template <int kHalf, typename Real, int... l>
UNSUPRANK_INLINE Pack<Real, 64> halves_added(const Pack<Real, 64>& a, const Pack<Real, 64>& b,
                                             std::integer_sequence<int, l...>) {
  return UNSUPRANK_LANES_AT(LanePlaces<Real>, a, b, (l / kHalf * 2 * kHalf + l % kHalf)...) +
         UNSUPRANK_LANES_AT(LanePlaces<Real>, a, b, (l / kHalf * 2 * kHalf + l % kHalf + kHalf)...);
}

// The same sums in rounds that make one pack of two.
template <typename Real, int kHalf = kLanes<Real> / 2>
UNSUPRANK_INLINE void write_lane_sums(SimdVector<Real, 64>* packs, Real* sums) {
  for (int p = 0; p < kHalf; ++p) {
    packs[p] = halves_added<kHalf, Real>(packs[2 * p], packs[2 * p + 1],
                                         std::make_integer_sequence<int, kLanes<Real>>());
  }
  if constexpr (kHalf > 1)
    write_lane_sums<Real, kHalf / 2>(packs, sums);
  else
    store(sums, packs[0]);
}
#endif

// Adds a multiple of one vector to another.
template <typename Real>
void add_multiple(Real factor, const Real* from, int64_t length, Real* to) {
  with_registers([=](auto) UNSUPRANK_LAMBDA {
    for (int64_t c = 0; c < length; ++c) to[c] += factor * from[c];
  });
}

// Rows of coordinates are padded with zeros to whole packs, whatever the type.
inline int64_t padded(int64_t count, int64_t to = 16) { return (count + to - 1) / to * to; }

}  // namespace unsuprank
