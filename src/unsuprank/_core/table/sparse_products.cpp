#include "table/sparse_products.hpp"

#include <algorithm>

namespace unsuprank {

// A row meets those that have a value in one of its columns: for all rows, the cost is the sum over
// columns of the squared number of their values. Terms are added in the order of the columns, so
// that the matrix of all products is symmetric to the last bit.
void sparse_products(const SparseLines& by_rows, const SparseLines& by_columns, int64_t rows,
                     int64_t first, int64_t last, double* lines) {
  std::fill(lines, lines + (last - first) * rows, 0.0);
  for (int64_t i = first; i < last; ++i) {
    double* line = lines + (i - first) * rows;
    for (int64_t p = by_rows.starts[i]; p < by_rows.starts[i + 1]; ++p) {
      const double value = by_rows.values[p];
      const int64_t column = by_rows.index[p], end = by_columns.starts[column + 1];
      for (int64_t q = by_columns.starts[column]; q < end; ++q) {
        line[by_columns.index[q]] += value * by_columns.values[q];
      }
    }
  }
}

}  // namespace unsuprank
