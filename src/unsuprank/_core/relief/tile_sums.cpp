#include "relief/tile_sums.hpp"

#include <algorithm>
#include <cstring>

#include "simd/packs.hpp"

namespace unsuprank {
namespace {

// Columns per pass: their codes, 64 rows each, fill half of a 32 kB first-level cache.
constexpr int64_t kPassColumns = 128;

// Codes in a vector as wide as the registers of an instruction set.
template <int kBytes>
constexpr int64_t kCodes = kBytes / 2;

// Sums for kQueryGroup queries and two vectors of rows. Each vector of 16-bit sums is split into
// its even and its odd lanes, which lie apart until `interleave`.
template <int kBytes>
struct GroupSums {
  using Codes = SimdVector<int16_t, kBytes>;
  using Short = SimdVector<uint16_t, kBytes>;
  using Wide = SimdVector<uint32_t, kBytes>;
  Wide wide[kQueryGroup][2][2];

  UNSUPRANK_INLINE void load(const uint32_t* sums) {
    for (int64_t r = 0; r < kQueryGroup; ++r) {
      std::memcpy(wide[r], sums + r * kTileRows, sizeof(wide[r]));
    }
  }

  UNSUPRANK_INLINE void store(uint32_t* sums) const {
    for (int64_t r = 0; r < kQueryGroup; ++r) {
      std::memcpy(sums + r * kTileRows, wide[r], sizeof(wide[r]));
    }
  }

  // Adds the terms of kBurst columns, which are summed in 16 bits first.
  template <bool kMatched>
  UNSUPRANK_INLINE void add_burst(const uint32_t* queries, const int16_t* rows, Short weight) {
    Short burst[kQueryGroup][2] = {};
#pragma GCC unroll 8
    for (int64_t u = 0; u < kBurst; ++u) {
      Codes b[2];
      std::memcpy(b, rows + u * kTileRows, sizeof(b));
#pragma GCC unroll 4
      for (int64_t r = 0; r < kQueryGroup; ++r) {
        const Codes a = (Codes)(Wide{} + queries[u * kQueryGroup + r]);
#pragma GCC unroll 2
        for (int v = 0; v < 2; ++v) {
          burst[r][v] += kMatched ? (Short)(a == b[v]) & weight : (Short)smaller_of(a, b[v]);
        }
      }
    }
#pragma GCC unroll 4
    for (int64_t r = 0; r < kQueryGroup; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < 2; ++v) {
        wide[r][v][0] += (Wide)burst[r][v] & 0xffffu;
        wide[r][v][1] += (Wide)burst[r][v] >> 16;
      }
    }
  }
};

// Adds the terms of some columns to the sums of a group of queries and two vectors of rows.
template <int kBytes, bool kMatched>
UNSUPRANK_INLINE void add_columns(const uint32_t* queries, const int16_t* rows, int64_t columns,
                                  int32_t match, uint32_t* sums) {
  using Short = typename GroupSums<kBytes>::Short;
  const Short weight = Short{} + static_cast<uint16_t>(match);
  GroupSums<kBytes> group;
  group.load(sums);
  for (int64_t c = 0; c < columns; c += kBurst) {
    group.template add_burst<kMatched>(queries + c * kQueryGroup, rows + c * kTileRows, weight);
  }
  group.store(sums);
}

template <int kBytes, bool kMatched>
UNSUPRANK_INLINE void add_section(const uint32_t* queries, const int16_t* block, int64_t first,
                                  int64_t last, int64_t width, int32_t match, uint32_t* sums) {
  for (int64_t c = first; c < last; c += kPassColumns) {
    const int64_t columns = std::min(kPassColumns, last - c);
    for (int64_t q = 0; q < kTileRows; q += kQueryGroup) {
      for (int64_t lane = 0; lane < kTileRows; lane += 2 * kCodes<kBytes>) {
        add_columns<kBytes, kMatched>(queries + q * width + c * kQueryGroup,
                                      block + c * kTileRows + lane, columns, match,
                                      sums + q * kTileRows + lane);
      }
    }
  }
}

// Brings the sums of each vector from even lanes, odd lanes to the order of the rows.
template <int kBytes>
UNSUPRANK_INLINE void interleave(uint32_t* sums) {
  constexpr int64_t kHalf = kCodes<kBytes> / 2;
  for (uint32_t* group = sums; group < sums + kTileRows * kTileRows; group += 2 * kHalf) {
    uint32_t parts[2 * kHalf];
    std::memcpy(parts, group, sizeof(parts));
    for (int64_t i = 0; i < kHalf; ++i) {
      group[2 * i] = parts[i];
      group[2 * i + 1] = parts[kHalf + i];
    }
  }
}

}  // namespace

void tile_sums(const uint32_t* queries, const int16_t* block, CodeWidths widths, int32_t match,
               uint32_t* sums) {
  const int64_t width = widths.total();
  std::fill(sums, sums + kTileRows * kTileRows, 0u);
  with_registers([=](auto bytes) UNSUPRANK_LAMBDA {
    constexpr int kBytes = UNSUPRANK_HAS_CLONES ? bytes : 16;  // long ones are many at a time here
    add_section<kBytes, false>(queries, block, 0, widths.measured, width, match, sums);
    add_section<kBytes, true>(queries, block, widths.measured, width, width, match, sums);
    interleave<kBytes>(sums);
  });
}

}  // namespace unsuprank
