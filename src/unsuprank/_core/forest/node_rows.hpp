// The rows of a node, and a block of candidate splits of it.
#pragma once
#include <cstdint>

namespace unsuprank {

template <typename Real>
struct NodeRows {
  const int32_t* rows;   // row numbers, ascending
  const int32_t* slots;  // row numbers within the matrix of distances in use, ascending
  const Real* weights;   // their multiplicities, and
  const int32_t* times;  // the same as integers
  int64_t count;
  double weight;  // sum of weights
};

// Squared distances of the rows of a node (lower triangle, rows `stride` apart), addressed by
// NodeRows::slots. Where they are null, coordinates are used.
template <typename Real>
struct DistanceView {
  const Real* data = nullptr;
  int64_t stride = 0;

  const Real* row(int64_t slot) const { return data + stride * slot; }
};

// Sums over the pairs of rows of a node, where they are known from its parents. They make splits
// that take a few rows away from many (sparse data has hardly any others) cheap to evaluate.
struct PairSums {
  double* row_sums = nullptr;  // weighted sum of the distances of each row to all rows of the node
  bool has_row_sums = false;
};

constexpr int kBlockSplits = 15;  // one lane of sixteen is kept for the node as a whole
constexpr int kSplitLanes = kBlockSplits + 1;

// Bit k of `sides[i]` tells whether row i of the node is on side 1 of split k.
struct SplitBlock {
  const uint16_t* sides;
  int size;
  double side_weight[kBlockSplits];  // weight of side 1 of each split
};

}  // namespace unsuprank
