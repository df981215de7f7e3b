// Columns that are credited with what they can expect, in every node of every tree.
//
// A forest credits a column when a node happens to draw it and its test wins: on wide tables, about
// once in a few hundred nodes. What the column can expect in a node is
//
//     (n'/n) E[h 1{h beats the tests of n' - 1 other columns}],
//
// where n' of n columns are drawn and h is the gain of a random test of the column. A probe draws
// such a test in every node and values it against the candidates that the node has evaluated for
// itself (see Rivals). The tree is grown exactly as it would be without probes, which have a random
// stream of their own, so that the mean of the credits over trees is the score of the paper: only
// the chance of being drawn is taken out of it, and with it most of the variance.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/clustering_space.hpp"
#include "forest/feature_draw.hpp"
#include "forest/grow_settings.hpp"
#include "forest/node_context.hpp"
#include "forest/probe_wins.hpp"
#include "forest/random_splits.hpp"
#include "forest/rivals.hpp"

namespace unsuprank {

// What the winner of a node is credited with: its gain, the node's share of the rows, or its gain
// on the rows that the tree was not grown from.
enum class Credit { gain, share, out_of_bag_gain };

template <typename Real>
class Probes {
 public:
  // For extra trees with fair ties.
  Probes(const ClusteringSpace<Real>& space, const GrowSettings& settings, Interrupt& interrupt,
         std::vector<int32_t> columns, Credit credit, const RowMeasures& measures);
  Probes(const Probes&) = delete;

  int64_t count() const { return static_cast<int64_t>(columns_.size()); }
  // Credits of all trees so far, trees x probes.
  std::vector<double>& credits() { return credits_; }

  // The next nodes belong to this tree, whose rows have this weight.
  void begin_tree(uint64_t tree_key, double weight);
  // The tree is grown, and the last of these.
  void end_tree(const Trees& trees, int64_t tree);
  // Values the probes in a node that has drawn features and evaluated candidates.
  void credit(int32_t node_id, const NodeRows<Real>& node, const DistanceView<Real>& view,
              PairSums sums, const std::vector<int32_t>& drawn,
              const std::vector<CandidateSplit>& candidates);
  // The same where all splits are equally good; see RandomSplits::are_equals.
  void credit_equals(int32_t node_id, const NodeRows<Real>& node, const DistanceView<Real>& view,
                     PairSums sums);

 private:
  void add(size_t probe, CandidateSplit& split, double chance);

  NodeContext<Real> context_;
  RandomSplits<Real> splits_;
  std::vector<int32_t> columns_;
  Credit credit_;
  ProbeWins<Real> wins_;
  Rivals rivals_;
  FeatureDraw draw_;
  Random random_;
  double drawn_share_;  // n'/n
  double tree_weight_ = 0.0;
  std::vector<double> credits_;
  double* of_tree_ = nullptr;
};

}  // namespace unsuprank
