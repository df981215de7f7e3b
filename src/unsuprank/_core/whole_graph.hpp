// The graph of all pairs of rows with weights exp(-gamma d^2), of a table of whole numbers.
//
// Squared distances are exact. Weights are fixed-point numbers, high * 2^16 + low in units of
// 1 / kOne, so that their products with the table are exact as well: the only error is the
// rounding of a weight, of at most half a unit.
#pragma once
#include <cstdint>

#include "whole_table.hpp"

namespace unsuprank {

// Fixed-point 1: the largest number with a high part of 15 bits and no low part.
constexpr double kOne = 32767.0 * 65536.0;
// In place of distances of pairs that do not count.
constexpr int32_t kNoPair = 0x7fffffff;

// Squared distances of a band of rows to all rows from its first on, all_rows - first of them for
// each row; kNoPair up to the diagonal, so that every pair counts once, and beyond the table.
void band_distances(const WholeTable& table, int64_t first, int32_t* distances);

// Adds the weights of the pairs of a band to `degrees`, of the rows from the first of the band on,
// and f' W f over these pairs to `forms`, for every column f less its centre.
void add_band_sums(const WholeTable& table, int64_t first, const int32_t* distances, double gamma,
                   int64_t* degrees, double* forms);

// Sums over the rows of f^2, degree * f and degree * f^2, of every column f less its centre.
void weighted_sums(const WholeTable& table, const double* degrees, double* squares, double* linear,
                   double* weighted_squares);

}  // namespace unsuprank
