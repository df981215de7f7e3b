#include "table/column_range.hpp"

#include "simd/packs.hpp"
#include "table/columns.hpp"

namespace unsuprank {

// Comparisons with missing values are false, so that they do not count.
UNSUPRANK_CLONES ColumnRange range_of(const double* x, int64_t rows) {
  ColumnRange range;
  Pack<double> lows, highs;
  for (int l = 0; l < 8; ++l) {
    lows[l] = range.low;
    highs[l] = range.high;
  }
  int64_t missing = 0, i = 0;
  for (; i + 8 <= rows; i += 8) {
    Pack<double> v;
    load(v, x + i);
    lows = smaller_of(v, lows);
    highs = larger_of(v, highs);
    const auto holes = v != v;  // -1 in the lanes of missing values
    for (int l = 0; l < 8; ++l) missing -= holes[l];
  }
  for (; i < rows; ++i) {
    range.low = x[i] < range.low ? x[i] : range.low;
    range.high = x[i] > range.high ? x[i] : range.high;
    missing += is_missing(x[i]);
  }
  for (int l = 0; l < 8; ++l) {
    range.low = lows[l] < range.low ? lows[l] : range.low;
    range.high = highs[l] > range.high ? highs[l] : range.high;
  }
  range.known = rows - missing;
  return range;
}

}  // namespace unsuprank
