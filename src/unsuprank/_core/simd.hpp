// Vector types, and functions compiled for several instruction sets at once.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

// A function with this attribute is compiled for AVX-512, AVX2 and the baseline; the loader picks
// the best one. Helpers that it calls must be inlined into it to be compiled along with it.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(UNSUPRANK_NO_CLONES)
#define UNSUPRANK_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define UNSUPRANK_CLONES
#endif
#define UNSUPRANK_INLINE inline __attribute__((always_inline))
#define UNSUPRANK_LAMBDA __attribute__((always_inline))

// Whether the processor has 32 registers of 64 bytes, so that many packs are summed at once.
inline bool has_wide_registers() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(UNSUPRANK_NO_CLONES)
  return __builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

// The lanes of a vector in another order.
#ifdef __clang__
#define UNSUPRANK_SHUFFLE(v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#else
#define UNSUPRANK_SHUFFLE(v, ...) __builtin_shuffle(v, decltype(v){__VA_ARGS__})
#endif

namespace unsuprank {

// 64 bytes of floats or doubles: one register with AVX-512, two with AVX2.
template <typename Real>
struct Simd {
  typedef Real Pack __attribute__((vector_size(64)));
  // As many integers as lanes, of their size.
  typedef std::conditional_t<sizeof(Real) == 4, int32_t, int64_t> Places
      __attribute__((vector_size(64)));
  static constexpr int lanes = 64 / sizeof(Real);
};
template <typename Real>
using Pack = typename Simd<Real>::Pack;

template <typename Real>
UNSUPRANK_INLINE void load(Pack<Real>& pack, const Real* from) {
  std::memcpy(&pack, from, sizeof(pack));
}

template <typename Real>
UNSUPRANK_INLINE void store(Real* to, const Pack<Real>& pack) {
  std::memcpy(to, &pack, sizeof(pack));
}

template <typename Real>
UNSUPRANK_INLINE double sum_of(const Pack<Real>& pack) {
  double total = 0.0;
  for (int l = 0; l < Simd<Real>::lanes; ++l) total += static_cast<double>(pack[l]);
  return total;
}

// The same by halves, in the precision of the lanes: quicker, for short sums.
template <typename Real>
UNSUPRANK_INLINE Real folded(const Pack<Real>& pack) {
  typedef Real Half __attribute__((vector_size(32)));
  typedef Real Quarter __attribute__((vector_size(16)));
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

// The lanes of `a` and `b`, one after the other, at some places.
template <typename Real>
UNSUPRANK_INLINE Pack<Real> lanes_at(const Pack<Real>& a, const Pack<Real>& b,
                                     const typename Simd<Real>::Places& places) {
#ifdef __clang__
  Pack<Real> picked;
  constexpr int kCount = Simd<Real>::lanes;
  for (int l = 0; l < kCount; ++l) {
    picked[l] = places[l] < kCount ? a[places[l]] : b[places[l] - kCount];
  }
  return picked;
#else
  return __builtin_shuffle(a, b, places);
#endif
}

// The halves of every block of 2 kHalf lanes of two packs, added up.
template <int kHalf, typename Real, int... l>
UNSUPRANK_INLINE Pack<Real> halves_added(const Pack<Real>& a, const Pack<Real>& b,
                                         std::integer_sequence<int, l...>) {
  constexpr typename Simd<Real>::Places low = {(l / kHalf * 2 * kHalf + l % kHalf)...};
  return lanes_at<Real>(a, b, low) + lanes_at<Real>(a, b, low + kHalf);
}

// Sums over the lanes of each of as many packs as a pack has lanes, in rounds that make one pack
// of two. The packs are overwritten.
template <typename Real, int kHalf = Simd<Real>::lanes / 2>
UNSUPRANK_INLINE Pack<Real> lane_sums(Pack<Real>* packs) {
  for (int p = 0; p < kHalf; ++p) {
    packs[p] = halves_added<kHalf, Real>(packs[2 * p], packs[2 * p + 1],
                                         std::make_integer_sequence<int, Simd<Real>::lanes>());
  }
  if constexpr (kHalf > 1) return lane_sums<Real, kHalf / 2>(packs);
  return packs[0];
}

// Rows of coordinates are padded with zeros to whole packs, whatever the type.
inline int64_t padded(int64_t width) { return (width + 15) / 16 * 16; }

}  // namespace unsuprank
