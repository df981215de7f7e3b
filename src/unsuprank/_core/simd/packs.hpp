// Vectors of numbers that are worked on together.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "simd/targets.hpp"
#if !UNSUPRANK_EXTENSIONS
#include "simd/portable_vector.hpp"
#endif

namespace unsuprank {

#if UNSUPRANK_EXTENSIONS
template <typename Number, int kBytes>
struct VectorOf {
  typedef Number Type __attribute__((vector_size(kBytes)));
};
template <typename Number, int kBytes>
using SimdVector = typename VectorOf<Number, kBytes>::Type;

// The lanes of `yes` where a flag is set, of `no` elsewhere.
template <typename Flags, typename Vector>
UNSUPRANK_INLINE Vector chosen(const Flags& flags, const Vector& yes, const Vector& no) {
  return flags ? yes : no;
}

// Each lane as a number of another type.
template <typename To, typename From>
UNSUPRANK_INLINE To converted(const From& from) {
  return __builtin_convertvector(from, To);
}
#else
template <typename Number, int kBytes>
using SimdVector = PortableVector<Number, kBytes>;
#endif

// Lane by lane; `b` where numbers do not compare, that is, where one of them is missing.
template <typename Vector>
UNSUPRANK_INLINE Vector smaller_of(const Vector& a, const Vector& b) {
  return chosen(a < b, a, b);
}
template <typename Vector>
UNSUPRANK_INLINE Vector larger_of(const Vector& a, const Vector& b) {
  return chosen(a > b, a, b);
}

// 64 bytes of floats or doubles: one register with AVX-512, two with AVX2.
template <typename Real>
using Pack = SimdVector<Real, 64>;
template <typename Real>
constexpr int kLanes = 64 / sizeof(Real);
// As many integers as lanes, of their size.
template <typename Real>
using LanePlaces = SimdVector<std::conditional_t<sizeof(Real) == 4, int32_t, int64_t>, 64>;

// A vector from memory that need not be aligned.
template <typename Vector, typename Number>
UNSUPRANK_INLINE Vector loaded(const Number* from) {
  Vector v;
  std::memcpy(&v, from, sizeof(v));
  return v;
}

template <typename Real>
UNSUPRANK_INLINE void load(Pack<Real>& pack, const Real* from) {
  std::memcpy(&pack, from, sizeof(pack));
}

template <typename Real>
UNSUPRANK_INLINE void store(Real* to, const Pack<Real>& pack) {
  std::memcpy(to, &pack, sizeof(pack));
}

// The sum of the lanes in double precision.
template <typename Real>
UNSUPRANK_INLINE double sum_of(const Pack<Real>& pack) {
  double total = 0.0;
  for (int l = 0; l < kLanes<Real>; ++l) total += static_cast<double>(pack[l]);
  return total;
}

// The same sum by halves, in the precision of the lanes: quicker, for short sums.
template <typename Real>
UNSUPRANK_INLINE Real folded(const Pack<Real>& pack) {
  using Half = SimdVector<Real, 32>;
  using Quarter = SimdVector<Real, 16>;
  Half halves[2];
  std::memcpy(halves, &pack, sizeof(pack));
  halves[0] += halves[1];
  Quarter quarters[2];
  std::memcpy(quarters, halves, sizeof(Half));
  quarters[0] += quarters[1];
  Real total = 0;
  for (size_t l = 0; l < sizeof(Quarter) / sizeof(Real); ++l) total += quarters[0][l];
  return total;
}

// The halves of every block of 2 kHalf lanes of two packs, added up.
template <int kHalf, typename Real, int... l>
UNSUPRANK_INLINE Pack<Real> halves_added(const Pack<Real>& a, const Pack<Real>& b,
                                         std::integer_sequence<int, l...>) {
  return UNSUPRANK_LANES_AT(LanePlaces<Real>, a, b, (l / kHalf * 2 * kHalf + l % kHalf)...) +
         UNSUPRANK_LANES_AT(LanePlaces<Real>, a, b, (l / kHalf * 2 * kHalf + l % kHalf + kHalf)...);
}

// Sums over the lanes of each of as many packs as a pack has lanes, in rounds that make one pack
// of two. The packs are overwritten.
template <typename Real, int kHalf = kLanes<Real> / 2>
UNSUPRANK_INLINE Pack<Real> lane_sums(Pack<Real>* packs) {
  for (int p = 0; p < kHalf; ++p) {
    packs[p] = halves_added<kHalf, Real>(packs[2 * p], packs[2 * p + 1],
                                         std::make_integer_sequence<int, kLanes<Real>>());
  }
  if constexpr (kHalf > 1) return lane_sums<Real, kHalf / 2>(packs);
  return packs[0];
}

// Rows of coordinates are padded with zeros to whole packs, whatever the type.
inline int64_t padded(int64_t count, int64_t to = 16) { return (count + to - 1) / to * to; }

}  // namespace unsuprank
