// The search for the best test of a node (Alg. 2).
#pragma once
#include <cstdint>
#include <vector>

#include "coarse.hpp"
#include "columns.hpp"
#include "feature_draw.hpp"
#include "space.hpp"
#include "split_gains.hpp"
#include "split_scan.hpp"
#include "trees.hpp"

namespace unsuprank {

struct Test {
  int32_t feature = -1;
  double threshold = 0.0;
  double share = -1.0;  // where in the range of the values the threshold lies; < 0: settled already
  int64_t subset = -1;  // first of the words of a nominal test within NodeSearch::words()
  double gain = 0.0;
  double right_share = 0.0;
  int64_t block = -1;  // the block of tests that it was marked in, and
  int bit = 0;         // where
};

struct ValueRange {
  double low, high;
};

// The codes of one feature in a node: the smallest and the largest, rows that have them, and how
// many do.
struct CoarseNode {
  uint16_t* codes;
  uint16_t low, high;
  int32_t low_row, high_row;
  int32_t low_count, high_count;
};

// Squared distances of the rows of a node, addressed by NodeRows::slots; null: use coordinates.
template <typename Real>
struct DistanceView {
  const Real* data = nullptr;
  int64_t stride = 0;
};

template <typename Real>
class NodeSearch {
 public:
  NodeSearch(const Columns& table, const CoarseTable& coarse, const Space<Real>& space,
             const uint64_t* row_keys, const GrowSettings& settings, Interrupt& interrupt);

  // The best test of the node, or one without feature if there is none.
  Test find(const NodeRows<Real>& node, const DistanceView<Real>& view, PairSums& sums,
            int32_t node_id, uint64_t tree_key, Random& random);

  // Sides of the rows of the last node under a test: 1 where it sends them right.
  const std::vector<uint8_t>& sides(const Test& test);

  const std::vector<uint64_t>& words() const { return words_; }
  // All tests that were valued for the last node.
  const std::vector<Test>& candidates() const { return candidates_; }
  int64_t words_of(int32_t feature) const { return (table_.n_values[feature] + 63) / 64; }

 private:
  // One test at random for each drawn feature.
  void value_random_tests(const std::vector<int32_t>& features, Random& random);
  void value_tests_of_two_rows(const std::vector<int32_t>& features, Random& random);
  bool separates(int32_t feature) const;
  void settle(Test& test);
  void ask_for_codes(int32_t feature, CoarseNode& coarse);
  bool draw_and_mark(int32_t feature, const CoarseNode& coarse, Random& random, int bit, Test& test,
                     double& side);
  bool draw_and_mark_coarse(const CoarseNode& coarse, Random& random, int bit, Test& test,
                            double& side);
  bool draw_subset(Test& test, Random& random);
  double mark_side(Test& test, int bit);
  void add_gains(const SplitBlock& block, double* gains);

  // All tests of each drawn feature.
  void value_all_tests(const std::vector<int32_t>& features);
  void scan_thresholds(int32_t feature);
  void scan_subsets(int32_t feature);
  void try_all_subsets(Test& best, std::vector<char>& chosen);
  void grow_subset(Test& best, std::vector<char>& chosen);
  void toggle_group(size_t group, bool to_one);
  void consider_subset(Test& best, const std::vector<char>& chosen);

  // A split that changes one row at a time, over all parts of the space.
  void scan_begin();
  void scan_clear();
  void scan_move(int64_t row, bool to_one);
  double scan_gain() const;
  void scan_settle_missing(double share_one);

  void load_values(int32_t feature);
  ValueRange coarse_range(int32_t feature, const CoarseNode& coarse) const;
  void prefetch(const std::vector<int32_t>& features) const;
  bool heavy_enough(double side) const;
  Test choose(Random& random) const;
  double chance(int64_t i) const;

  const Columns& table_;
  const CoarseTable& coarse_;
  const Space<Real>& space_;
  const uint64_t* row_keys_;
  const GrowSettings& settings_;
  Interrupt& interrupt_;
  FeatureDraw draw_;

  NodeRows<Real> node_{};
  DistanceView<Real> view_;
  PairSums* sums_ = nullptr;
  bool from_rows_ = false;  // where codes are read
  int32_t node_id_ = 0;
  uint64_t tree_key_ = 0;

  std::vector<double> values_;    // of the feature at hand, per row of the node
  ValueRange range_{};            // of those
  std::vector<uint16_t> codes_;   // of the features of a block, one run of rows each
  std::vector<int64_t> missing_;  // rows of the node without a value
  std::vector<uint16_t> block_sides_;
  int64_t block_ = 0;  // number of the block that block_sides_ belongs to
  std::vector<uint8_t> sides_;
  std::vector<uint64_t> words_;
  std::vector<Test> candidates_;

  PairGains<Real> pair_gains_;
  BucketGains<Real> bucket_gains_;
  PairScan<Real> pair_scan_;
  CoordScan<Real> coord_scan_;
  PartialScan<Real> partial_scan_;
  double scan_one_ = 0.0;
  std::vector<char> missing_on_one_;
  std::vector<std::pair<double, int64_t>> sorted_;
  std::vector<std::vector<int64_t>> groups_;  // rows by value of a nominal feature
  std::vector<int64_t> group_value_;
  double known_weight_ = 0.0;
};

}  // namespace unsuprank
