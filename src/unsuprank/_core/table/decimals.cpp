#include "table/decimals.hpp"

#include <algorithm>
#include <cmath>

#include "simd/packs.hpp"

namespace unsuprank {
namespace {

// Most columns of real numbers show it within the first few rows.
constexpr int64_t kRowsAtOnce = 64;

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

}  // namespace

bool all_decimals(const double* x, int64_t rows, double per_unit) {
  for (int64_t i = 0; i < rows; i += kRowsAtOnce) {
    if (any_fraction(x + i, std::min(kRowsAtOnce, rows - i), per_unit)) return false;
  }
  return true;
}

}  // namespace unsuprank
