#include "table/gram_squares.hpp"

#include <algorithm>
#include <vector>

namespace unsuprank {
namespace {

// Where the values of each row begin whose column is `first` or a later one.
std::vector<int64_t> places_from(const SparseLines& by_rows, int64_t rows, int64_t first) {
  std::vector<int64_t> places(rows);
  for (int64_t i = 0; i < rows; ++i) {
    const int32_t* start = by_rows.index + by_rows.starts[i];
    const int32_t* end = by_rows.index + by_rows.starts[i + 1];
    places[i] = std::lower_bound(start, end, first) - by_rows.index;
  }
  return places;
}

// Squares of the products of column j with itself and with the columns after it. `line` has the
// products of M, and is 0 afterwards.
void add_squares(const ShiftedLines& matrix, int64_t j, double* line, double* sums) {
  const double shift = matrix.shift[j], excess = matrix.excess[j];
  double others = 0.0;
  for (int64_t k = j; k < matrix.columns; ++k) {
    const double product = line[k] - shift * matrix.excess[k] - excess * matrix.shift[k];
    const double square = product * product;
    line[k] = 0.0;
    sums[k] += square;
    if (k > j) others += square;
  }
  sums[j] += others;
}

}  // namespace

void add_gram_squares(const ShiftedLines& matrix, int64_t first, int64_t last, double* sums) {
  const SparseLines &rows = matrix.by_rows, &columns = matrix.by_columns;
  // Values of a row before the column at hand were products of columns before it.
  std::vector<int64_t> places = places_from(rows, matrix.rows, first);
  std::vector<double> line(matrix.columns, 0.0);
  for (int64_t j = first; j < last; ++j) {
    for (int64_t p = columns.starts[j]; p < columns.starts[j + 1]; ++p) {
      const int64_t i = columns.index[p], end = rows.starts[i + 1];
      const double value = columns.values[p];
      for (int64_t q = places[i]; q < end; ++q) line[rows.index[q]] += value * rows.values[q];
      ++places[i];
    }
    add_squares(matrix, j, line.data(), sums);
  }
}

}  // namespace unsuprank
