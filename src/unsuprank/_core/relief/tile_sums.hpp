// The inner loop of URelief: sums over columns for 64 x 64 pairs of rows at a time.
//
// It works on 16-bit codes (see relief/rows.hpp) and gives, for every pair of a query row a and a
// row b of the table,
//
//     sum over measured columns of min(a, b)  +  match * number of matched columns with a = b,
//
// from which distances follow, because |a - b| = a + b - 2 min(a, b). Sums of integers do not
// depend on their order, so registers of every size give the same result to the last bit.
#pragma once
#include <cstdint>

namespace unsuprank {

// Rows of a tile on either side. A block of rows is stored column by column, 64 codes each.
constexpr int64_t kTileRows = 64;
// Queries that share one load of a block's codes; their codes lie side by side.
constexpr int64_t kQueryGroup = 4;
// Columns whose codes are summed in 16 bits before they are added to 32-bit sums.
constexpr int64_t kBurst = 8;
// The largest code: 8 of them fit 16 bits, and as 2^3 3^3 5 7 it divides evenly by most small
// ranges, so that columns of small integers are coded without rounding.
constexpr int32_t kMaxCode = 7560;

// Widths of the two kinds of columns, each padded to a multiple of kBurst.
struct CodeWidths {
  int64_t measured;
  int64_t matched;
  int64_t total() const { return measured + matched; }
};

// queries: kTileRows / kQueryGroup groups, each column by column, kQueryGroup words that hold a
// code twice. block: column by column, kTileRows codes. sums: kTileRows x kTileRows, one row per
// query.
void tile_sums(const uint32_t* queries, const int16_t* block, CodeWidths widths, int32_t match,
               uint32_t* sums);

}  // namespace unsuprank
