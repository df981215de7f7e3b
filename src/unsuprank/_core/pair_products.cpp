#include "pair_products.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace unsuprank {
namespace {

void generic_tile(const int16_t* rows, int64_t step, const int16_t* panel, int64_t pairs,
                  int32_t* sums) {
  for (int r = 0; r < kTileRows; ++r) {
    const int16_t* row = rows + r * step;
    int32_t* sum = sums + r * kPanel;
    for (int64_t k = 0; k < pairs; ++k) {
      const int16_t* pair = panel + k * 2 * kPanel;
      for (int l = 0; l < kPanel; ++l) {
        sum[l] += row[2 * k] * pair[2 * l] + row[2 * k + 1] * pair[2 * l + 1];
      }
    }
  }
}

#if defined(__x86_64__)
int32_t pair_at(const int16_t* numbers) {
  int32_t pair;
  std::memcpy(&pair, numbers, sizeof(pair));
  return pair;
}

// In both of these, sums stay in registers only because they are named one by one.

__attribute__((target("avx512f,avx512vnni"))) void vnni_tile(const int16_t* rows, int64_t step,
                                                             const int16_t* panel, int64_t pairs,
                                                             int32_t* sums) {
  constexpr int kLanes = 16;
  __m512i sum[kTileRows][2];
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
    sum[r][0] = _mm512_loadu_si512(sums + r * kPanel);
    sum[r][1] = _mm512_loadu_si512(sums + r * kPanel + kLanes);
  }
  for (int64_t k = 0; k < pairs; ++k) {
    const __m512i pair0 = _mm512_loadu_si512(panel + k * 2 * kPanel);
    const __m512i pair1 = _mm512_loadu_si512(panel + k * 2 * kPanel + 2 * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
      const __m512i number = _mm512_set1_epi32(pair_at(rows + r * step + 2 * k));
      sum[r][0] = _mm512_dpwssd_epi32(sum[r][0], number, pair0);
      sum[r][1] = _mm512_dpwssd_epi32(sum[r][1], number, pair1);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
    _mm512_storeu_si512(sums + r * kPanel, sum[r][0]);
    _mm512_storeu_si512(sums + r * kPanel + kLanes, sum[r][1]);
  }
}

// Half of the rows and half of the panel are what 16 registers hold.
__attribute__((target("avx2"))) void avx2_quarter(const int16_t* rows, int64_t step,
                                                  const int16_t* panel, int64_t pairs,
                                                  int32_t* sums) {
  __m256i sum[kTileRows / 2][2];
#pragma GCC unroll 4
  for (int r = 0; r < kTileRows / 2; ++r) {
    const auto* from = reinterpret_cast<const __m256i*>(sums + r * kPanel);
    sum[r][0] = _mm256_loadu_si256(from);
    sum[r][1] = _mm256_loadu_si256(from + 1);
  }
  for (int64_t k = 0; k < pairs; ++k) {
    const auto* pair = reinterpret_cast<const __m256i*>(panel + k * 2 * kPanel);
    const __m256i pair0 = _mm256_loadu_si256(pair), pair1 = _mm256_loadu_si256(pair + 1);
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows / 2; ++r) {
      const __m256i number = _mm256_set1_epi32(pair_at(rows + r * step + 2 * k));
      sum[r][0] = _mm256_add_epi32(sum[r][0], _mm256_madd_epi16(number, pair0));
      sum[r][1] = _mm256_add_epi32(sum[r][1], _mm256_madd_epi16(number, pair1));
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kTileRows / 2; ++r) {
    auto* to = reinterpret_cast<__m256i*>(sums + r * kPanel);
    _mm256_storeu_si256(to, sum[r][0]);
    _mm256_storeu_si256(to + 1, sum[r][1]);
  }
}

void avx2_tile(const int16_t* rows, int64_t step, const int16_t* panel, int64_t pairs,
               int32_t* sums) {
  for (int r = 0; r < kTileRows; r += kTileRows / 2) {
    for (int l = 0; l < kPanel; l += kPanel / 2) {
      avx2_quarter(rows + r * step, step, panel + 2 * l, pairs, sums + r * kPanel + l);
    }
  }
}
#endif

}  // namespace

const KernelChoices<PairTile>& pair_tiles() {
  static const KernelChoices<PairTile> choices = {
#if defined(__x86_64__)
      {"avx512vnni", __builtin_cpu_supports("avx512vnni") != 0, vnni_tile},
      {"avx2", __builtin_cpu_supports("avx2") != 0, avx2_tile},
#endif
      {"generic", true, generic_tile}};
  return choices;
}

}  // namespace unsuprank
