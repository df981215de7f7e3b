// 16-bit codes of the values of a table, four times smaller than the values.
//
// Trees read columns at random rows, and waiting for memory is most of what that costs. Codes grow
// with the values, so that most comparisons are settled by codes alone; where codes are equal, the
// values decide. Nothing is approximate: the result is that of comparing values.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "table/columns.hpp"

namespace unsuprank {

// Codes first .. last, for which codes do not tell on which side of a threshold their values are.
struct OpenCodes {
  uint16_t first, last;
};

struct CoarseColumn {
  double low = 0.0;        // smallest value; of decimals, in units of the last place
  double per_unit = 0.0;   // codes per unit of value
  bool decimal = false;    // at most four decimal places: the value is (low + code) / per_unit
  bool injective = false;  // different values have different codes
  bool usable = false;     // no missing values, finite range

  // The value of a code, exactly, where values are decimals.
  double value(double code) const { return (low + code) / per_unit; }

  // The open codes of a threshold at a share of the way between two values of which the codes are
  // known, and differ. In units of codes, a value is in [code, code + 1), and so is the threshold
  // in an interval of length 1; decimals are their codes. Rounding widens the interval a little.
  OpenCodes open_codes(uint16_t from, uint16_t to, double share) const {
    constexpr double kRounding = 1e-6;
    const double threshold = from + share * (to - from);
    const int32_t first = static_cast<int32_t>(std::max(threshold - kRounding, 0.0)) + decimal;
    const int32_t last = static_cast<int32_t>(threshold + !decimal + kRounding);
    return {static_cast<uint16_t>(first), static_cast<uint16_t>(std::min(last, 65535))};
  }
};

// The codes of one feature: that of row i is start[i * step].
struct CodeLine {
  const uint16_t* start;
  int64_t step;

  uint16_t operator[](int64_t row) const { return start[row * step]; }
};

// The codes of all columns, which copies share.
struct CoarseTable {
  explicit CoarseTable(const Columns& table);

  int64_t rows, cols;
  std::shared_ptr<uint16_t[]> by_column, by_row;  // without codes by row if the table is wide
  std::vector<CoarseColumn> info;

  // A subtree looks at few rows and many features: rows that fit into the cache stay there until
  // it is finished. Large nodes look at whole columns.
  bool prefers_rows(int64_t count) const { return by_row && count * cols <= kCachedCodes; }
  // How far apart the codes of one feature are.
  int64_t step(bool from_rows) const { return from_rows ? cols : 1; }
  CodeLine line(int64_t j, bool from_rows) const {
    return {from_rows ? &by_row[j] : &by_column[j * rows], step(from_rows)};
  }

  // A single code; those of a row lie together where they are held by row.
  uint16_t code(int32_t feature, int64_t row) const {
    return by_row ? by_row[row * cols + feature] : by_column[feature * rows + row];
  }
  // A single value. Codes are nearer at hand, where they tell it.
  double value(const Columns& table, int32_t feature, int64_t row) const {
    return info[feature].decimal ? info[feature].value(code(feature, row))
                                 : table.value(row, feature);
  }

  static constexpr int64_t kCachedCodes = 128 * 1024;
};

}  // namespace unsuprank
