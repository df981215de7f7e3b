// Vector types, and functions compiled for several instruction sets at once.
#pragma once
#include <cstdint>
#include <cstring>

// A function with this attribute is compiled for AVX-512, AVX2 and the baseline; the loader picks
// the best one. Helpers that it calls must be inlined into it to be compiled along with it.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(UNSUPRANK_NO_CLONES)
#define UNSUPRANK_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define UNSUPRANK_CLONES
#endif
#define UNSUPRANK_INLINE inline __attribute__((always_inline))

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

// Rows of coordinates are padded with zeros to whole packs, whatever the type.
inline int64_t padded(int64_t width) { return (width + 15) / 16 * 16; }

}  // namespace unsuprank
