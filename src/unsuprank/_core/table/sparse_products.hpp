// Inner products of sparse rows.
#pragma once
#include <cstdint>

namespace unsuprank {

// Values that are not zero, row after row or column after column; `index` is the column or the row.
struct SparseLines {
  const int64_t* starts;
  const int32_t* index;
  const double* values;
};

// Writes the products of rows first .. last-1 with all rows, `rows` of them to a line. The same
// matrix is given by rows and by columns.
void sparse_products(const SparseLines& by_rows, const SparseLines& by_columns, int64_t rows,
                     int64_t first, int64_t last, double* lines);

}  // namespace unsuprank
