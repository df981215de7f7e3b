// Sums of squares of the inner products of sparse columns, without the matrix of these products.
#pragma once
#include <cstdint>

#include "table/sparse_products.hpp"

namespace unsuprank {

// A matrix A = M - 1 s': M is held by rows and by columns, with ascending indices, and `shift` is
// s. `excess` is M'1 - (rows / 2) s, so that A'A = M'M - s excess' - excess s'.
struct ShiftedLines {
  SparseLines by_rows;
  SparseLines by_columns;
  const double* shift;
  const double* excess;
  int64_t rows;
  int64_t columns;
};

// Adds (A'A)_jk^2 to `sums`, at j and, if they are not the same, at k, for all j from `first` to
// last-1 and all k >= j. Over all j, that makes the diagonal of (A'A)^2. The cost is that of the
// pairs of values in each row.
void add_gram_squares(const ShiftedLines& matrix, int64_t first, int64_t last, double* sums);

}  // namespace unsuprank
