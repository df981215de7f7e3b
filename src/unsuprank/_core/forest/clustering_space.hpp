// A table and its place in the clustering space: all that growing and scoring know of the data.
#pragma once
#include <cstdint>

#include "table/coarse.hpp"
#include "table/columns.hpp"

namespace unsuprank {

// Features are read from `table` and `codes`, targets from coordinates and distances: what another
// storage of values changes is the former, and the latter stay as they are. Rows are `padded`
// coordinates apart. Either of `coords` and `distances` may be absent (null): the coordinates serve
// large sets of rows, the squared distances small ones.
template <typename Real>
struct ClusteringSpace {
  Columns table;
  CoarseTable codes;
  const uint64_t* row_keys = nullptr;  // see row_keys(); null when no value is missing

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
