// The clustering space: columns become coordinates in which normalised impurity is a squared
// distance. See clustering_space.py for the mathematics.
#pragma once
#include <cstdint>

#include "table/columns.hpp"

namespace unsuprank {

// What a column holds, as bits.
enum ColumnFlag : uint8_t { kMissing = 1, kInfinite = 2, kVaries = 4 };

// Writes one byte of flags per column; a column varies if it has two different known values.
void column_flags(const double* values, int64_t rows, int64_t cols, uint8_t* flags);

// Writes the centred coordinates of `count` columns from `first` on, times `scale`, into `out`:
// column-major, one run of `rows` doubles per coordinate. `widths` are those columns' widths.
// Missing values become 0, the centre.
void embed(const Columns& table, int64_t first, const int32_t* widths, int64_t count, double scale,
           double* out);

// Writes the factor between a value and its coordinate (numeric: scale / sd; nominal: scale /
// sqrt(Gini)), which is 0 for constant columns.
void embedding_scales(const Columns& table, double scale, double* scales);

constexpr int kDiagonalSums = 7;

// Sums over the squared lengths of rows, for the moments of shuffled columns; see
// rankers/shared_variance/others.py for what they are for. For each of `count` columns, with
// coordinates z (column-major, `widths` of them, one run of `rows` doubles each) and h_i = the sum
// of z_i^2 over its coordinates: the sums over rows of h k, h k^2, h^2 k, h, z^3 (of the first
// coordinate), h^2 and h^3, with one k per row.
void diagonal_sums(const double* coords, int64_t rows, const int32_t* widths, int64_t count,
                   const double* k, double* sums);

}  // namespace unsuprank
