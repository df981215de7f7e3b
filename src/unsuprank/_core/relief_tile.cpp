#include "relief_tile.hpp"

#include <algorithm>
#include <cstring>

namespace unsuprank {
namespace {

#define UNSUPRANK_INLINE inline __attribute__((always_inline))

// Columns per pass: their codes, 64 rows each, fill half of a 32 kB first-level cache.
constexpr int64_t PASS_COLUMNS = 128;

// Vectors of 16-bit codes and of 32-bit sums, as wide as the registers of an instruction set.
template <int BYTES>
struct Simd {
  typedef int16_t Codes __attribute__((vector_size(BYTES)));
  typedef uint16_t Short __attribute__((vector_size(BYTES)));
  typedef uint32_t Wide __attribute__((vector_size(BYTES)));
  static constexpr int64_t LANES = BYTES / 2;
};

// Adds the terms of `columns` columns to the sums of QUERY_GROUP queries and two vectors of rows.
// Each 16-bit sum is split into its even and its odd lanes, which lie apart until `interleave`.
template <int BYTES, bool MATCHED>
UNSUPRANK_INLINE void add_columns(const uint32_t* queries, const int16_t* rows, int64_t columns,
                                  int32_t match, uint32_t* sums) {
  using S = Simd<BYTES>;
  using Codes = typename S::Codes;
  using Short = typename S::Short;
  using Wide = typename S::Wide;
  const Short weight = Short{} + static_cast<uint16_t>(match);
  Wide wide[QUERY_GROUP][2][2];
  for (int64_t r = 0; r < QUERY_GROUP; ++r) {
    std::memcpy(wide[r], sums + r * TILE, sizeof(wide[r]));
  }
  for (int64_t c = 0; c < columns; c += BURST) {
    Short burst[QUERY_GROUP][2] = {};
#pragma GCC unroll 8
    for (int64_t u = 0; u < BURST; ++u) {
      Codes b[2];
      std::memcpy(b, rows + (c + u) * TILE, sizeof(b));
#pragma GCC unroll 4
      for (int64_t r = 0; r < QUERY_GROUP; ++r) {
        const Codes a = (Codes)(Wide{} + queries[(c + u) * QUERY_GROUP + r]);
#pragma GCC unroll 2
        for (int v = 0; v < 2; ++v) {
          if (MATCHED) {
            burst[r][v] += (Short)(a == b[v]) & weight;
          } else {
            burst[r][v] += (Short)(a < b[v] ? a : b[v]);
          }
        }
      }
    }
#pragma GCC unroll 4
    for (int64_t r = 0; r < QUERY_GROUP; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) {
        wide[r][v][0] += (Wide)burst[r][v] & 0xffffu;
        wide[r][v][1] += (Wide)burst[r][v] >> 16;
      }
    }
  }
  for (int64_t r = 0; r < QUERY_GROUP; ++r) {
    std::memcpy(sums + r * TILE, wide[r], sizeof(wide[r]));
  }
}

template <int BYTES, bool MATCHED>
UNSUPRANK_INLINE void add_section(const uint32_t* queries, const int16_t* block, int64_t first,
                                  int64_t last, int64_t width, int32_t match, uint32_t* sums) {
  for (int64_t c = first; c < last; c += PASS_COLUMNS) {
    const int64_t columns = std::min(PASS_COLUMNS, last - c);
    for (int64_t q = 0; q < TILE; q += QUERY_GROUP) {
      for (int64_t lane = 0; lane < TILE; lane += 2 * Simd<BYTES>::LANES) {
        add_columns<BYTES, MATCHED>(queries + q * width + c * QUERY_GROUP, block + c * TILE + lane,
                                    columns, match, sums + q * TILE + lane);
      }
    }
  }
}

// Brings the sums of each vector from even lanes, odd lanes to the order of the rows.
template <int BYTES>
UNSUPRANK_INLINE void interleave(uint32_t* sums) {
  constexpr int64_t HALF = Simd<BYTES>::LANES / 2;
  for (uint32_t* group = sums; group < sums + TILE * TILE; group += 2 * HALF) {
    uint32_t parts[2 * HALF];
    std::memcpy(parts, group, sizeof(parts));
    for (int64_t i = 0; i < HALF; ++i) {
      group[2 * i] = parts[i];
      group[2 * i + 1] = parts[HALF + i];
    }
  }
}

template <int BYTES>
UNSUPRANK_INLINE void tile_sums(const uint32_t* queries, const int16_t* block, CodeWidths widths,
                                int32_t match, uint32_t* sums) {
  const int64_t width = widths.total();
  std::fill(sums, sums + TILE * TILE, 0u);
  add_section<BYTES, false>(queries, block, 0, widths.measured, width, match, sums);
  add_section<BYTES, true>(queries, block, widths.measured, width, width, match, sums);
  interleave<BYTES>(sums);
}

void tile_sums_generic(const uint32_t* queries, const int16_t* block, CodeWidths widths,
                       int32_t match, uint32_t* sums) {
  tile_sums<16>(queries, block, widths, match, sums);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void tile_sums_avx2(const uint32_t* queries, const int16_t* block,
                                                    CodeWidths widths, int32_t match,
                                                    uint32_t* sums) {
  tile_sums<32>(queries, block, widths, match, sums);
}

__attribute__((target("avx512f,avx512bw"))) void tile_sums_avx512(const uint32_t* queries,
                                                                  const int16_t* block,
                                                                  CodeWidths widths, int32_t match,
                                                                  uint32_t* sums) {
  tile_sums<64>(queries, block, widths, match, sums);
}
#endif

}  // namespace

const KernelChoices<TileSums>& tile_sums_choices() {
  static const KernelChoices<TileSums> choices = {
#if defined(__x86_64__)
      {"avx512", __builtin_cpu_supports("avx512bw") != 0, tile_sums_avx512},
      {"avx2", __builtin_cpu_supports("avx2") != 0, tile_sums_avx2},
#endif
      {"generic", true, tile_sums_generic}};
  return choices;
}

}  // namespace unsuprank
