#include "table/sparse_products.hpp"

#include <algorithm>
#include <vector>

namespace unsuprank {
namespace {

// Adds the products of line i with the others, which begin at `from` in each of the lines across. A
// line meets those that have a value beside one of its own: for all lines, the cost is the sum over
// those across of the squared number of their values. Terms are added in the order of these, so
// that the matrix of all products is symmetric to the last bit.
void add_products(const SparseLines& lines, const SparseLines& across, int64_t i,
                  const int64_t* from, double* products) {
  for (int64_t p = lines.starts[i]; p < lines.starts[i + 1]; ++p) {
    const double value = lines.values[p];
    const int64_t k = lines.index[p], end = across.starts[k + 1];
    for (int64_t q = from[k]; q < end; ++q) products[across.index[q]] += value * across.values[q];
  }
}

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

void sparse_products(const SparseLines& by_rows, const SparseLines& by_columns, int64_t rows,
                     int64_t first, int64_t last, double* lines) {
  std::fill(lines, lines + (last - first) * rows, 0.0);
  for (int64_t i = first; i < last; ++i) {
    add_products(by_rows, by_columns, i, by_columns.starts, lines + (i - first) * rows);
  }
}

void add_gram_squares(const ShiftedLines& matrix, int64_t first, int64_t last, double* sums) {
  const SparseLines& columns = matrix.by_columns;
  // Values of a row before the column at hand were products of columns before it.
  std::vector<int64_t> places = places_from(matrix.by_rows, matrix.rows, first);
  std::vector<double> line(matrix.columns, 0.0);
  for (int64_t j = first; j < last; ++j) {
    add_products(columns, matrix.by_rows, j, places.data(), line.data());
    for (int64_t p = columns.starts[j]; p < columns.starts[j + 1]; ++p) ++places[columns.index[p]];
    add_squares(matrix, j, line.data(), sums);
  }
}

}  // namespace unsuprank
