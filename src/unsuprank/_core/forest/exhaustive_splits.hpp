// All splits by each drawn feature, as random forests and bagging evaluate them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "forest/node_context.hpp"
#include "forest/split_scan.hpp"

namespace unsuprank {

template <typename Real>
class ExhaustiveSplits {
 public:
  explicit ExhaustiveSplits(NodeContext<Real>& context) : c_(context) {}

  // Adds the best split by every feature that can split the node to its candidates.
  void evaluate(const std::vector<int32_t>& features);

 private:
  void scan_thresholds(int32_t feature);
  void scan_subsets(int32_t feature);
  void try_all_subsets(CandidateSplit& best, std::vector<char>& chosen);
  void grow_subset(CandidateSplit& best, std::vector<char>& chosen);
  void toggle_group(std::size_t group, bool to_one);
  void consider_subset(CandidateSplit& best, const std::vector<char>& chosen);

  // A split that changes one row at a time, over all parts of the space.
  template <typename Visit>
  void each_scan(Visit visit);
  void split_clear();
  void split_move(int64_t row, bool to_one);
  double split_gain();
  void split_settle_missing(double share_one);

  NodeContext<Real>& c_;
  PairScan<Real> pair_scan_;
  CoordScan<Real> coord_scan_;
  PartialScan<Real> partial_scan_;
  double scan_one_ = 0.0;  // weight of side 1
  std::vector<char> missing_on_one_;
  double known_weight_ = 0.0;
  std::vector<std::pair<double, int64_t>> sorted_;
  std::vector<std::vector<int64_t>> groups_;  // rows by value of a nominal feature
  std::vector<int64_t> group_value_;
};

}  // namespace unsuprank
