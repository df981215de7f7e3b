#include "table/column_range.hpp"

#include "simd/packs.hpp"
#include "table/columns.hpp"

namespace unsuprank {

namespace {

// Comparisons with missing values are false, so that they do not count.
template <int kRegister>
UNSUPRANK_INLINE ColumnRange find_range(const double* x, int64_t rows) {
  ColumnRange range;
  Pack<double, kRegister> lows = {}, highs = {};
  lows += range.low;
  highs += range.high;
  int64_t missing = 0, i = 0;
  for (; i + 8 <= rows; i += 8) {
    const auto v = loaded<Pack<double, kRegister>>(x + i);
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
  const auto least = lows, largest = highs;
  for (int l = 0; l < 8; ++l) {
    range.low = least[l] < range.low ? least[l] : range.low;
    range.high = largest[l] > range.high ? largest[l] : range.high;
  }
  range.known = rows - missing;
  return range;
}

}  // namespace

ColumnRange range_of(const double* x, int64_t rows) {
  return with_registers([=](auto bytes) UNSUPRANK_LAMBDA { return find_range<bytes>(x, rows); });
}

}  // namespace unsuprank
