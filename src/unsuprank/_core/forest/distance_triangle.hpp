// Squared distances among a few rows of coordinates.
#pragma once
#include <cstdint>
#include <vector>

namespace unsuprank {

template <typename Real>
class DistanceTriangle {
 public:
  // Writes the lower triangle of a count x count matrix.
  void fill(const Real* coords, int64_t width, const int32_t* rows, int64_t count, Real* out);

 private:
  std::vector<Real> shifted_;  // the rows, relative to the first
  std::vector<Real> norms_;
};

}  // namespace unsuprank
