// What growing and scoring know of the clustering space.
#pragma once
#include <cstdint>

namespace unsuprank {

// Rows are `padded` coordinates apart. Either of `coords` and `distances` may be absent (null): the
// coordinates serve large sets of rows, the squared distances small ones.
template <typename Real>
struct Space {
  int64_t rows = 0;

  // Attributes without missing values.
  const Real* coords = nullptr;
  int64_t width = 0;  // padded
  const Real* distances = nullptr;

  // Attributes with missing values: coordinates (0 where missing) and whether they are known.
  const double* partial = nullptr;
  const double* known = nullptr;
  int64_t partial_width = 0;  // padded

  const Real* row(int64_t i) const { return coords + i * width; }
};

}  // namespace unsuprank
