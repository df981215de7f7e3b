// What a set of columns is worth to a nearest-neighbour predictor if one of them is swapped.
#pragma once
#include <cstdint>

namespace unsuprank {

// Rows and columns that a swap search looks at.
struct SwapProblem {
  const double* pool;  // row-major, rows x width: the columns that may be chosen
  int64_t rows;
  int64_t width;
  const int64_t* picks;  // positions in the pool of the columns chosen now
  int64_t n_picks;
};

// Adds up, over queries first .. last-1 and for every pair (r, c), what it costs to predict the
// query by its nearest row other than itself. Distances are Euclidean, over the picks with pick r
// replaced by column c; of equally near rows, the first counts. cost[q * rows + k] is the cost of
// predicting query q by row k; errors[r * width + c] receives the sum.
void add_swap_errors(const SwapProblem& problem, const int64_t* queries, const double* cost,
                     int64_t first, int64_t last, double* errors);

}  // namespace unsuprank
