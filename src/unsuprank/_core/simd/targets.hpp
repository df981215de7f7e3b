// All that depends on the compiler or on the processor stands here, behind guards.
//
// The kernels are C++17 with the vector extensions that g++ and clang have in common, which are
// compiled into whatever registers a processor has. On x86-64, g++ compiles the hot functions for
// several instruction sets besides, and the loader picks the best one.
#pragma once

#define UNSUPRANK_INLINE inline __attribute__((always_inline))
#define UNSUPRANK_LAMBDA __attribute__((always_inline))

#if defined(__x86_64__)
#define UNSUPRANK_X86 1
#define UNSUPRANK_TARGET(instructions) __attribute__((target(instructions)))
#define UNSUPRANK_HAS(instructions) (__builtin_cpu_supports(instructions) != 0)
#else
#define UNSUPRANK_X86 0
#endif

#if UNSUPRANK_X86 && !defined(__clang__) && !defined(UNSUPRANK_NO_CLONES)
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
#ifdef __clang__
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

}  // namespace unsuprank
