// The known values of a column from the smallest to the largest.
#pragma once
#include <cstdint>
#include <limits>

namespace unsuprank {

struct ColumnRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  int64_t known = 0;

  bool varies() const { return known > 0 && low < high; }
};

// Missing values do not count.
ColumnRange range_of(const double* x, int64_t rows);

}  // namespace unsuprank
