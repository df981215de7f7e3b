// What benchmarks measure the distance kernel against: the simplest loop over absolute
// differences that keeps the arithmetic units busy.
#include "relief_yardstick.hpp"

#include <cstring>

#include "simd.hpp"

namespace unsuprank {
namespace {

typedef float Floats __attribute__((vector_size(64)));
typedef int32_t Bits __attribute__((vector_size(64)));
constexpr int64_t LANES = 16, CHAINS = 8;

UNSUPRANK_CLONES
float sum_of_absolute_differences(const float* a, const float* b, int64_t n) {
  Floats sums[CHAINS] = {};
  for (int64_t i = 0; i < n; i += LANES * CHAINS) {
#pragma GCC unroll 8
    for (int64_t c = 0; c < CHAINS; ++c) {
      Floats x, y;
      std::memcpy(&x, a + i + c * LANES, sizeof(x));
      std::memcpy(&y, b + i + c * LANES, sizeof(y));
      const Floats difference = x - y;
      sums[c] += (Floats)((Bits)difference & 0x7fffffff);
    }
  }
  for (int64_t c = 1; c < CHAINS; ++c) sums[0] += sums[c];
  float total = 0.0f;
  for (int64_t l = 0; l < LANES; ++l) total += sums[0][l];
  return total;
}

}  // namespace

double repeat_absolute_differences(const float* a, const float* b, int64_t n, int64_t repeats) {
  double total = 0.0;
  for (int64_t r = 0; r < repeats; ++r) {
    total += sum_of_absolute_differences(a, b, n / (LANES * CHAINS) * LANES * CHAINS);
  }
  return total;
}

}  // namespace unsuprank
