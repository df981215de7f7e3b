// Small, fast random streams. Every stream is named by what it is for (a seed, a tree, a feature),
// so that no result depends on the order in which streams are used.
#pragma once
#include <cstdint>

namespace unsuprank {

// A bijection of 64-bit words whose output bits all depend on all input bits.
inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// One word that names a stream.
inline uint64_t stream_key(uint64_t a, uint64_t b) {
  return mix(mix(a + 0x9e3779b97f4a7c15ULL) ^ (b * 0xd1342543de82ef95ULL + 0x2545f4914f6cdd1dULL));
}

// Uniform in [0, 1) from the 53 high bits.
inline double to_unit(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

// xoshiro256++ of Blackman and Vigna.
class Random {
 public:
  explicit Random(uint64_t key) {
    for (uint64_t& word : state_) word = mix(key += 0x9e3779b97f4a7c15ULL);
  }

  uint64_t bits() {
    const uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  double unit() { return to_unit(bits()); }

  // Uniform in 0 .. bound-1, without bias (Lemire's method).
  uint32_t below(uint32_t bound) {
    uint64_t product = (bits() >> 32) * bound;
    if (static_cast<uint32_t>(product) < bound) {
      const uint32_t threshold = -bound % bound;
      while (static_cast<uint32_t>(product) < threshold) product = (bits() >> 32) * bound;
    }
    return static_cast<uint32_t>(product >> 32);
  }

 private:
  static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  uint64_t state_[4];
};

}  // namespace unsuprank
