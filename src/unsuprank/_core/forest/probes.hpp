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
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
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

// How the columns that separate the two rows of a node stand in a random order of all columns.
struct FirstTwo {
  int32_t first = -1;
  int64_t first_place, second_place;  // counted from 1, or beyond all places that count

  // The place of the first of them if a column that separates the rows is taken out.
  int64_t place_without(int32_t column) const {
    return column == first ? second_place - 1 : first_place;
  }
};

template <typename Real>
class Probes {
 public:
  // For extra trees with fair ties.
  Probes(const ClusteringSpace<Real>& space, const GrowSettings& settings, Interrupt& interrupt,
         std::vector<int32_t> columns, Credit credit, const RowMeasures& measures)
      : context_(space, settings, interrupt),
        splits_(context_),
        columns_(std::move(columns)),
        credit_(credit),
        wins_(space, measures),
        rivals_(space.table.cols),
        draw_(space.table.cols, settings.max_features + 1),
        random_(0),
        drawn_share_(static_cast<double>(settings.max_features) /
                     static_cast<double>(space.table.cols)) {}

  Probes(const Probes&) = delete;

  int64_t count() const { return static_cast<int64_t>(columns_.size()); }
  // Credits of all trees so far, trees x probes.
  std::vector<double>& credits() { return credits_; }

  // The next nodes belong to this tree, whose rows have this weight.
  void begin_tree(uint64_t tree_key, double weight) {
    context_.tree_key = tree_key;
    random_ = Random(stream_key(tree_key, kProbeStream));
    tree_weight_ = weight;
    wins_.begin_tree();
    credits_.resize(credits_.size() + columns_.size(), 0.0);
    of_tree_ = credits_.data() + credits_.size() - columns_.size();
  }

  // The tree is grown, and the last of these.
  void end_tree(const Trees& trees, int64_t tree) {
    if (credit_ != Credit::out_of_bag_gain) return;
    const int64_t place = static_cast<int64_t>(trees.node_offset.size()) - 2;
    const TreesView view = view_of(trees, context_.settings.seed, tree - place);
    wins_.end_tree(view, place, columns_, of_tree_);
  }

  // Values the probes in a node that has drawn features and evaluated candidates.
  void credit(int32_t node_id, const NodeRows<Real>& node, const DistanceView<Real>& view,
              PairSums sums, const std::vector<int32_t>& drawn,
              const std::vector<CandidateSplit>& candidates) {
    context_.enter(node_id, node, view, sums);
    rivals_.set(drawn, candidates);
    splits_.evaluate(columns_, random_);
    size_t probe = 0;
    for (CandidateSplit& split : context_.candidates) {
      while (columns_[probe] != split.feature) ++probe;
      const double chance = rivals_.chance(split.feature, split.gain);
      if (chance > 0.0) add(probe, split, chance);
    }
  }

  // The same where all splits are equally good; see RandomSplits::are_equals.
  // Of equals, the winner is the first one in a random order of the columns that separates the
  // rows, if it is among the first n'. A column stands at each place with the same chance, and wins
  // there if no other one comes before: at as many places as the first of the others lets it.
  void credit_equals(int32_t node_id, const NodeRows<Real>& node, const DistanceView<Real>& view,
                     PairSums sums) {
    context_.enter(node_id, node, view, sums);
    if (!context_.heavy_enough(node.weights[0])) return;
    const double gain = splits_.gain_of_two();
    if (gain <= 0.0) return;
    const int64_t places = context_.settings.max_features;
    FirstTwo found{-1, places + 2, places + 2};
    int64_t place = 0;
    draw_.draw_until(random_, [&](int32_t column) {
      ++place;
      if (!splits_.separates(column)) return false;
      (found.first < 0 ? found.first_place : found.second_place) = place;
      if (found.first >= 0) return true;
      found.first = column;
      return false;
    });
    for (size_t p = 0; p < columns_.size(); ++p) {
      if (!splits_.separates(columns_[p])) continue;
      CandidateSplit split;
      split.feature = columns_[p];
      split.gain = gain;
      if (credit_ == Credit::out_of_bag_gain) splits_.split_two(split, random_);
      const int64_t open = std::min(found.place_without(columns_[p]), places);
      add(p, split, static_cast<double>(open) / static_cast<double>(places));
    }
  }

 private:
  static constexpr uint64_t kProbeStream = ~uint64_t{0};  // named so within the streams of a tree

  void add(size_t probe, CandidateSplit& split, double chance) {
    const double expected = drawn_share_ * chance;
    if (credit_ != Credit::out_of_bag_gain) {
      const double share = context_.node.weight / tree_weight_;
      of_tree_[probe] += expected * (credit_ == Credit::gain ? split.gain : share);
      return;
    }
    splits_.settle(split);
    const uint64_t* words = split.subset < 0 ? nullptr : context_.words.data() + split.subset;
    wins_.add(context_.node_id, probe, expected, split, words, context_.words_of(split.feature));
  }

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
