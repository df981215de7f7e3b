// The typed columns that all kernels read, whole or value by value.
#pragma once
#include <cstdint>

namespace unsuprank {

// A column-major table of doubles. Nominal columns hold codes 0 .. n_values-1, numeric ones have
// n_values 0, NaN is a missing value.
struct Columns {
  const double* values;
  const int32_t* n_values;
  int64_t rows;
  int64_t cols;
  const bool* missing = nullptr;  // per column, whether values are missing; null: not known

  const double* column(int64_t j) const { return values + j * rows; }
  double value(int64_t i, int64_t j) const { return values[j * rows + i]; }
  bool nominal(int64_t j) const { return n_values[j] > 0; }
  bool may_miss(int64_t j) const { return !missing || missing[j]; }
};

// Missing values are the only ones that differ from themselves.
inline bool is_missing(double x) { return x != x; }

}  // namespace unsuprank
