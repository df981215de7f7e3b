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

constexpr int kBlock = 15;  // one lane of sixteen is kept for the node as a whole
constexpr int kLanes = kBlock + 1;

// Bit k of `sides[i]` tells whether row i of the node is on side 1 of split k.
struct SplitBlock {
  const uint16_t* sides;
  int size;
  double side_weight[kBlock];  // weight of side 1 of each split
};

}  // namespace unsuprank
