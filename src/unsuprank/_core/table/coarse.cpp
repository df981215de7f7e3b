#include "table/coarse.hpp"

#include <algorithm>
#include <cmath>

#include "simd/packs.hpp"
#include "table/column_range.hpp"

namespace unsuprank {
namespace {

constexpr double kCodes = 65535.0;

// Tables of at most this many columns have their codes by row as well.
constexpr int64_t kNarrow = 2048;

// Units of the last place of decimals that are looked for: 1, 0.1, ... 0.0001.
constexpr double kFinestUnits = 1e4;

// Decimals up to this size, in units of the last place, are far from losing digits.
constexpr double kLargestDecimal = 1 << 30;

// Most columns of real numbers show within so many rows that they are no decimals.
constexpr int64_t kRowsAtOnce = 64;

// Up to this many rows it is not worth finding out whether codes are injective.
constexpr int64_t kFewRows = 512;

UNSUPRANK_CLONES void write_codes(const double* x, int64_t rows, double low, double per_unit,
                                  uint16_t* codes) {
  for (int64_t i = 0; i < rows; ++i) {
    const double c = (x[i] - low) * per_unit;
    codes[i] = static_cast<uint16_t>(static_cast<int32_t>(c < kCodes ? c : kCodes));
  }
}

UNSUPRANK_CLONES void write_decimals(const double* x, int64_t rows, double low, double per_unit,
                                     uint16_t* codes) {
  for (int64_t i = 0; i < rows; ++i) {
    codes[i] = static_cast<uint16_t>(static_cast<int32_t>(x[i] * per_unit - low + 0.5));
  }
}

// Whether a value is no whole number of units; whole numbers need no division to tell.
UNSUPRANK_CLONES bool any_fraction(const double* x, int64_t rows, double per_unit) {
  int found = 0;
  if (per_unit == 1.0) {
    for (int64_t i = 0; i < rows; ++i) found |= x[i] != std::floor(x[i]);
  } else {
    for (int64_t i = 0; i < rows; ++i) {
      found |= std::floor(x[i] * per_unit + 0.5) / per_unit != x[i];
    }
  }
  return found != 0;
}

// Whether all values are whole numbers of units, of which 1 has `per_unit`.
bool all_decimals(const double* x, int64_t rows, double per_unit) {
  for (int64_t i = 0; i < rows; i += kRowsAtOnce) {
    if (any_fraction(x + i, std::min(kRowsAtOnce, rows - i), per_unit)) return false;
  }
  return true;
}

// Describes a column of numbers with few decimal places; false if it is none.
bool describe_decimals(const double* x, int64_t rows, const ColumnRange& range,
                       CoarseColumn& column) {
  for (double per_unit = 1.0; per_unit <= kFinestUnits; per_unit *= 10.0) {
    const double low = range.low * per_unit, high = range.high * per_unit;
    if (high - low > kCodes - 1.0 || low < -kLargestDecimal || high > kLargestDecimal) break;
    if (!all_decimals(x, rows, per_unit)) continue;
    column.low = std::floor(low + 0.5);
    column.per_unit = per_unit;
    column.decimal = column.injective = true;
    return true;
  }
  return false;
}

CoarseColumn describe(const double* x, int64_t rows) {
  const ColumnRange range = range_of(x, rows);
  const double width = range.high - range.low;
  CoarseColumn column;
  column.low = range.low;
  column.usable = range.known == rows && std::isfinite(width);
  if (!column.usable || describe_decimals(x, rows, range, column)) return column;
  column.per_unit = width > 0.0 ? kCodes / width : 0.0;
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

void make_codes(const Columns& table, uint16_t* codes, CoarseColumn* info) {
  std::vector<double> first(table.rows > kFewRows ? 65536 : 0, std::nan(""));
  for (int64_t j = 0; j < table.cols; ++j) {
    info[j] = describe(table.column(j).all(), table.rows);
    if (!info[j].usable) continue;
    const double* x = table.column(j).all();
    uint16_t* written = codes + j * table.rows;
    if (info[j].decimal) {
      write_decimals(x, table.rows, info[j].low, info[j].per_unit, written);
      continue;
    }
    write_codes(x, table.rows, info[j].low, info[j].per_unit, written);
    if (!first.empty()) info[j].injective = injective(x, written, table.rows, first);
  }
}

void transpose(const uint16_t* by_column, int64_t rows, int64_t cols, uint16_t* by_row) {
  constexpr int64_t kTile = 64;
  for (int64_t i0 = 0; i0 < rows; i0 += kTile) {
    for (int64_t j = 0; j < cols; ++j) {
      const uint16_t* column = by_column + j * rows;
      for (int64_t i = i0; i < std::min(i0 + kTile, rows); ++i) by_row[i * cols + j] = column[i];
    }
  }
}

}  // namespace

CoarseTable::CoarseTable(const Columns& table)
    : rows(table.rows), cols(table.cols), info(table.cols) {
  if (table.held) return;  // zeros need no codes, and the other values are found as quickly
  by_column.reset(new uint16_t[rows * cols]);  // need not be set to 0
  make_codes(table, by_column.get(), info.data());
  if (cols > kNarrow) return;
  by_row.reset(new uint16_t[rows * cols]);
  transpose(by_column.get(), rows, cols, by_row.get());
}

}  // namespace unsuprank
