// All that depends on the compiler or on the processor stands here, behind guards.
//
// The kernels are C++17 with the vector extensions that g++ and clang have in common, which are
// compiled into whatever registers a processor has; other compilers get plain loops
// (portable_vector.hpp). On x86-64 with the GNU C library, g++ compiles the hot functions for
// several instruction sets besides, and the loader picks the best one.
#pragma once
#include <cstdint>  // says which C library this is

#if defined(__GNUC__) && !defined(UNSUPRANK_NO_EXTENSIONS)
#define UNSUPRANK_EXTENSIONS 1
#define UNSUPRANK_INLINE inline __attribute__((always_inline))
#define UNSUPRANK_LAMBDA __attribute__((always_inline))
#else
#define UNSUPRANK_EXTENSIONS 0
#define UNSUPRANK_INLINE inline
#define UNSUPRANK_LAMBDA
#endif

#if UNSUPRANK_EXTENSIONS && defined(__x86_64__)
#define UNSUPRANK_X86 1
#define UNSUPRANK_TARGET(instructions) __attribute__((target(instructions)))
#define UNSUPRANK_HAS(instructions) (__builtin_cpu_supports(instructions) != 0)
#else
#define UNSUPRANK_X86 0
#endif

#if UNSUPRANK_X86 && defined(__GLIBC__) && !defined(__clang__) && !defined(UNSUPRANK_NO_CLONES)
#define UNSUPRANK_HAS_CLONES 1
#else
#define UNSUPRANK_HAS_CLONES 0
#endif

// A function with this attribute is compiled for AVX-512, AVX2 and the baseline. Helpers that it
// calls must be inlined into it to be compiled along with it.
#if UNSUPRANK_HAS_CLONES
#define UNSUPRANK_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define UNSUPRANK_CLONES
#endif

// The same without fused multiply-add, for functions that must round as plain code does.
#if UNSUPRANK_HAS_CLONES
#define UNSUPRANK_UNFUSED_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define UNSUPRANK_UNFUSED_CLONES
#endif

// The lanes of two vectors, one after the other, at some constant places; `Places` is a vector of
// integers of their size.
#if !UNSUPRANK_EXTENSIONS
#define UNSUPRANK_LANES_AT(Places, a, b, ...) lanes_at(a, b, __VA_ARGS__)
#elif defined(__clang__)
#define UNSUPRANK_LANES_AT(Places, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define UNSUPRANK_LANES_AT(Places, a, b, ...) __builtin_shuffle(a, b, Places{__VA_ARGS__})
#endif

namespace unsuprank {

// Whether clones have 32 registers of 64 bytes, so that many packs are summed at once.
inline bool has_wide_registers() {
#if UNSUPRANK_HAS_CLONES
  return UNSUPRANK_HAS("avx512f");
#else
  return false;
#endif
}

// Asks for memory that is about to be read.
UNSUPRANK_INLINE void prefetch(const void* at) {
#if UNSUPRANK_EXTENSIONS
  __builtin_prefetch(at);
#else
  static_cast<void>(at);
#endif
}

UNSUPRANK_INLINE int count_bits(uint64_t word) {
#if UNSUPRANK_EXTENSIONS
  return __builtin_popcountll(word);
#else
  int count = 0;
  for (; word; word &= word - 1) ++count;
  return count;
#endif
}

// The place of the lowest bit that is set; one is.
UNSUPRANK_INLINE int lowest_bit(uint64_t word) { return count_bits(~word & (word - 1)); }

}  // namespace unsuprank
