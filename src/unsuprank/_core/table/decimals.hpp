// Columns of numbers with few decimal places.
#pragma once
#include <cstdint>

namespace unsuprank {

// Units of the last place that are looked for: 1, 0.1, ... 0.0001.
constexpr double kFinestUnits = 1e4;

// Decimals up to this size, in units of the last place, are far from losing digits.
constexpr double kLargestDecimal = 1 << 30;

// Whether all values are whole numbers of units, of which 1 has `per_unit`.
bool all_decimals(const double* x, int64_t rows, double per_unit);

}  // namespace unsuprank
