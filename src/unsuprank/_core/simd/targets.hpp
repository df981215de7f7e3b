// All that depends on the compiler or on the processor stands here, behind guards.
//
// The kernels are C++17 with the vector extensions that g++ and clang have in common, which are
// compiled into whatever registers a processor has; other compilers get plain loops
// (split_vector.hpp). On x86-64 with the GNU C library, g++ compiles the hot functions for
// several instruction sets besides, and the loader picks the best one.
#pragma once
#include <cstdint>  // says which C library this is
#include <type_traits>

#if defined(__GNUC__) && !defined(UNSUPRANK_NO_EXTENSIONS)
#define UNSUPRANK_EXTENSIONS 1
#define UNSUPRANK_INLINE inline __attribute__((always_inline))
#define UNSUPRANK_LAMBDA __attribute__((always_inline))
#else
#define UNSUPRANK_EXTENSIONS 0
#define UNSUPRANK_INLINE inline
#define UNSUPRANK_LAMBDA
#endif

// A function with the attribute CLONES is compiled for AVX-512, AVX2 and the baseline. Helpers that
// it calls must be inlined into it to be compiled along with it. UNFUSED ones have no fused
// multiply-add, for functions that must round as plain code does.
#if UNSUPRANK_EXTENSIONS && defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && \
    !defined(UNSUPRANK_NO_CLONES)
#define UNSUPRANK_HAS_CLONES 1
#define UNSUPRANK_CLONES \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#define UNSUPRANK_UNFUSED_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define UNSUPRANK_HAS_CLONES 0
#define UNSUPRANK_CLONES
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

// The number of bytes of a register, as a constant.
template <int kBytes>
using Registers = std::integral_constant<int, kBytes>;

// Registers of the processor that everything is compiled for. Clang splits long vectors well by
// itself, and so may be told that registers are long.
#if defined(__clang__) || defined(__AVX512F__) || !UNSUPRANK_EXTENSIONS
constexpr int kPlainRegisters = 64;
#elif defined(__AVX2__)
constexpr int kPlainRegisters = 32;
#else
constexpr int kPlainRegisters = 16;
#endif
// Whether there are 32 registers of that size, so that many packs are summed at once.
template <int kBytes>
constexpr bool kManyRegisters = UNSUPRANK_HAS_CLONES && kBytes == 64;

// What `work`, which is to be inlined, gives for the size of the registers that the processor has,
// in a function that is compiled for them.
#if UNSUPRANK_HAS_CLONES
template <typename Work>
__attribute__((target("arch=x86-64-v4"))) auto with_long_registers(const Work& work) {
  return work(Registers<64>());
}
template <typename Work>
__attribute__((target("arch=x86-64-v3"))) auto with_middle_registers(const Work& work) {
  return work(Registers<32>());
}
inline int register_bytes() {
  static const int bytes = __builtin_cpu_supports("x86-64-v4")   ? 64
                           : __builtin_cpu_supports("x86-64-v3") ? 32
                                                                 : 16;
  return bytes;
}
#endif
template <typename Work>
auto with_registers(const Work& work) {
#if UNSUPRANK_HAS_CLONES
  if (register_bytes() == 64) return with_long_registers(work);
  if (register_bytes() == 32) return with_middle_registers(work);
#endif
  return work(Registers<kPlainRegisters>());
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
