#include "testing/yardstick.hpp"

#include "simd/packs.hpp"

namespace unsuprank {
namespace {

constexpr int64_t kChains = 8, kStep = kLanes<float> * kChains;

// The simplest loop over absolute differences that keeps the arithmetic units busy.
template <int kRegister>
UNSUPRANK_INLINE float sum_of_absolute_differences(const float* a, const float* b, int64_t n) {
  using Floats = Pack<float, kRegister>;
  using Bits = Pack<int32_t, kRegister>;
  Floats sums[kChains] = {};
  for (int64_t i = 0; i < n; i += kStep) {
#pragma GCC unroll 8
    for (int64_t c = 0; c < kChains; ++c) {
      const int64_t at = i + c * kLanes<float>;
      const Floats difference = loaded<Floats>(a + at) - loaded<Floats>(b + at);
      sums[c] += (Floats)((Bits)difference & 0x7fffffff);
    }
  }
  for (int64_t c = 1; c < kChains; ++c) sums[0] += sums[c];
  return folded<float>(sums[0]);
}

}  // namespace

double repeat_absolute_differences(const float* a, const float* b, int64_t n, int64_t repeats) {
  double total = 0.0;
  with_registers([&](auto bytes) UNSUPRANK_LAMBDA {
    for (int64_t r = 0; r < repeats; ++r) {
      total += sum_of_absolute_differences<bytes>(a, b, n / kStep * kStep);
    }
  });
  return total;
}

}  // namespace unsuprank
