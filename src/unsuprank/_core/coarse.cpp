#include "coarse.hpp"

#include <algorithm>
#include <cmath>

#include "column_range.hpp"
#include "simd.hpp"

namespace unsuprank {
namespace {

constexpr double kCodes = 65535.0;

UNSUPRANK_CLONES void write_codes(const double* x, int64_t rows, double low, double per_unit,
                                  uint16_t* codes) {
  for (int64_t i = 0; i < rows; ++i) {
    const double c = (x[i] - low) * per_unit;
    codes[i] = static_cast<uint16_t>(static_cast<int32_t>(c < kCodes ? c : kCodes));
  }
}

// Most columns of real numbers show it within the first few rows.
constexpr int64_t kRowsAtOnce = 64;

UNSUPRANK_CLONES bool any_fraction(const double* x, int64_t rows) {
  int found = 0;
  for (int64_t i = 0; i < rows; ++i) found |= x[i] != std::floor(x[i]);
  return found != 0;
}

bool whole_numbers(const double* x, int64_t rows) {
  for (int64_t i = 0; i < rows; i += kRowsAtOnce) {
    if (any_fraction(x + i, std::min(kRowsAtOnce, rows - i))) return false;
  }
  return true;
}

CoarseColumn describe(const double* x, int64_t rows) {
  const ColumnRange range = range_of(x, rows);
  const double width = range.high - range.low;
  CoarseColumn column;
  column.low = range.low;
  column.usable = range.known == rows && std::isfinite(width);
  if (!column.usable) return column;
  column.whole = width <= kCodes && std::fabs(range.low) < 1e15 && whole_numbers(x, rows);
  column.injective = column.whole;
  column.per_unit = column.whole ? 1.0 : width > 0.0 ? kCodes / width : 0.0;
  // A range too small to be inverted leaves all codes equal, and the decision to the values.
  if (!std::isfinite(column.per_unit)) column.per_unit = 0.0;
  return column;
}

// Whether no code stands for two values. `first` is scratch: a value per code, NaN when new.
bool injective(const double* x, const uint16_t* codes, int64_t rows, std::vector<double>& first) {
  bool unique = true;
  for (int64_t i = 0; i < rows; ++i) {
    double& seen = first[codes[i]];
    if (is_missing(seen)) seen = x[i];
    unique &= seen == x[i];
  }
  for (int64_t i = 0; i < rows; ++i) first[codes[i]] = std::nan("");
  return unique;
}

}  // namespace

void make_coarse(const Columns& table, uint16_t* codes, CoarseColumn* info) {
  std::vector<double> first(table.rows > kFewRows ? 65536 : 0, std::nan(""));
  for (int64_t j = 0; j < table.cols; ++j) {
    info[j] = describe(table.column(j), table.rows);
    if (!info[j].usable) continue;
    write_codes(table.column(j), table.rows, info[j].low, info[j].per_unit, codes + j * table.rows);
    if (!info[j].whole && !first.empty()) {
      info[j].injective = injective(table.column(j), codes + j * table.rows, table.rows, first);
    }
  }
}

void transpose_codes(const uint16_t* by_column, int64_t rows, int64_t cols, uint16_t* by_row) {
  constexpr int64_t kTile = 64;
  for (int64_t i0 = 0; i0 < rows; i0 += kTile) {
    for (int64_t j = 0; j < cols; ++j) {
      const uint16_t* column = by_column + j * rows;
      for (int64_t i = i0; i < std::min(i0 + kTile, rows); ++i) by_row[i * cols + j] = column[i];
    }
  }
}

}  // namespace unsuprank
