// Sums over the squared lengths of rows, for the moments of shuffled columns. See
// rankers/shared_variance/others.py for what they are for.
#pragma once
#include <cstdint>

namespace unsuprank {

constexpr int kDiagonalSums = 7;

// For each of `count` columns, with coordinates z (column-major, `widths` of them, one run of
// `rows` doubles each) and h_i = the sum of z_i^2 over its coordinates: the sums over rows of h k,
// h k^2, h^2 k, h, z^3 (of the first coordinate), h^2 and h^3, with one k per row.
void diagonal_sums(const double* coords, int64_t rows, const int32_t* widths, int64_t count,
                   const double* k, double* sums);

}  // namespace unsuprank
