// Inner products of the rows or columns of a sparse matrix.
#pragma once
#include <cstdint>

namespace unsuprank {

// Values that are not zero, row after row or column after column; `index`, which ascends, is the
// column or the row.
struct SparseLines {
  const int64_t* starts;
  const int32_t* index;
  const double* values;
};

// Writes the products of rows first .. last-1 with all rows, `rows` of them to a line. The same
// matrix is given by rows and by columns.
void sparse_products(const SparseLines& by_rows, const SparseLines& by_columns, int64_t rows,
                     int64_t first, int64_t last, double* lines);

// A matrix A = M - 1 s': M is held by rows and by columns, and `shift` is s. `excess` is
// M'1 - (rows / 2) s, so that A'A = M'M - s excess' - excess s'.
struct ShiftedLines {
  SparseLines by_rows;
  SparseLines by_columns;
  const double* shift;
  const double* excess;
  int64_t rows;
  int64_t columns;
};

// Adds (A'A)_jk^2 to `sums`, at j and, if they are not the same, at k, for all j from `first` to
// last-1 and all k >= j. Over all j, that makes the diagonal of (A'A)^2, without the matrix A'A.
// The cost is that of the pairs of values in each row.
void add_gram_squares(const ShiftedLines& matrix, int64_t first, int64_t last, double* sums);

}  // namespace unsuprank
