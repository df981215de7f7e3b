// The heuristic h of all splits of a block, from squared distances.
#pragma once
#include <cstdint>
#include <vector>

#include "node_rows.hpp"

namespace unsuprank {

// Sums over the pairs of rows of a node, where they are known from its parents. They make splits
// that take a few rows away from many (sparse data has hardly any others) cheap to value.
struct PairSums {
  double* row_sums = nullptr;  // weighted sum of the distances of each row to all rows of the node
  bool has_row_sums = false;
};

// From squared distances (lower triangle, `stride` apart). Either all pairs of rows, all splits in
// the lanes of one vector: about count^2 / 2 vector operations, whatever the number of attributes.
// Or, if every split has few rows on one side, the pairs on that side and the sums of its rows.
template <typename Real>
class PairGains {
 public:
  void add(const Real* distances, int64_t stride, const NodeRows<Real>& node, PairSums& sums,
           const SplitBlock& block, double* gains);

 private:
  void add_all_pairs(const Real* distances, int64_t stride, const NodeRows<Real>& node,
                     const SplitBlock& block, double* gains);
  void add_small_sides(const Real* distances, int64_t stride, const NodeRows<Real>& node,
                       PairSums& sums, const SplitBlock& block, double* gains);
  bool find_small_sides(const NodeRows<Real>& node, const PairSums& sums, const SplitBlock& block);

  std::vector<Real> lanes_;
  std::vector<int32_t> small_[kBlock];  // rows of the smaller side of each split
  bool small_is_one_[kBlock];
};

// Weighted distances of every row of a node to all of its rows.
template <typename Real>
void sum_rows(const Real* distances, int64_t stride, const NodeRows<Real>& node, double* row_sums);

}  // namespace unsuprank
