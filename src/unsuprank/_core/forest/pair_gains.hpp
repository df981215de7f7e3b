// The heuristic h of all splits of a block, from squared distances.
#pragma once
#include <cstdint>
#include <vector>

#include "forest/node_rows.hpp"

namespace unsuprank {

// There are two ways. All pairs of rows are summed, with all splits in the lanes of one vector:
// about count^2 / 2 vector operations, whatever the number of attributes. Or, if every split has
// few rows on one side, the pairs on that side are, and the rest follows from the sums of its rows.
template <typename Real>
class PairGains {
 public:
  void add(const DistanceView<Real>& view, const NodeRows<Real>& node, PairSums& sums,
           const SplitBlock& block, double* gains);

 private:
  void add_all_pairs(const DistanceView<Real>& view, const NodeRows<Real>& node,
                     const SplitBlock& block, double* gains);
  void add_small_sides(const DistanceView<Real>& view, const NodeRows<Real>& node, PairSums& sums,
                       const SplitBlock& block, double* gains);
  bool find_small_sides(const NodeRows<Real>& node, const PairSums& sums, const SplitBlock& block);

  std::vector<Real> lanes_;
  std::vector<int32_t> small_[kBlockSplits];  // rows of the smaller side of each split
  bool small_is_one_[kBlockSplits];
};

// Writes the weighted sum of the distances of every row of a node to all of its rows.
template <typename Real>
void sum_rows(const DistanceView<Real>& view, const NodeRows<Real>& node, double* row_sums);

}  // namespace unsuprank
