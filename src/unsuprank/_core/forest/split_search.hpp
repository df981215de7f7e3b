// The search for the best split of a node (Alg. 2).
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "forest/exhaustive_splits.hpp"
#include "forest/feature_draw.hpp"
#include "forest/node_context.hpp"
#include "forest/probes.hpp"
#include "forest/random_splits.hpp"
#include "forest/trees.hpp"

namespace unsuprank {

template <typename Real>
class SplitSearch {
 public:
  SplitSearch(const ClusteringSpace<Real>& space, const GrowSettings& settings,
              Interrupt& interrupt, Probes<Real>* probes)
      : context_(space, settings, interrupt),
        draw_(space.table.cols, settings.max_features),
        random_splits_(context_),
        exhaustive_splits_(context_),
        probes_(probes) {}

  SplitSearch(const SplitSearch&) = delete;

  // The next nodes belong to this tree.
  void begin_tree(uint64_t tree_key) { context_.tree_key = tree_key; }

  // The best split of the node, or one without feature if there is none.
  CandidateSplit find(int32_t node_id, const NodeRows<Real>& node, const DistanceView<Real>& view,
                      PairSums& sums, Random& random) {
    context_.enter(node_id, node, view, sums);
    const GrowSettings& settings = context_.settings;
    if (random_splits_.are_equals() && !settings.exhaustive && !settings.first_of_ties) {
      random_splits_.evaluate_any(draw_, random);
      if (probes_) probes_->credit_equals(node_id, node, view, sums);
      return choose(random);
    }
    std::vector<int32_t>& features = draw_.draw(random);
    if (settings.first_of_ties) std::sort(features.begin(), features.end());
    if (settings.exhaustive) {
      exhaustive_splits_.evaluate(features);
    } else {
      random_splits_.evaluate(features, random);
    }
    if (probes_) probes_->credit(node_id, node, view, sums, features, context_.candidates);
    CandidateSplit best = choose(random);
    random_splits_.settle(best);
    return best;
  }

  // Sides of the rows of the last node under a split: 1 where it sends them right.
  const std::vector<uint8_t>& sides(const CandidateSplit& split) {
    if (random_splits_.sides(split, sides_)) return sides_;
    context_.load_values(split.feature);
    const uint64_t* words = split.subset < 0 ? nullptr : context_.words.data() + split.subset;
    const NodeTest test{context_.tree_key, context_.node_id, split.threshold, words,
                        split.right_share};
    sides_.resize(context_.node.count);
    for (int64_t i = 0; i < context_.node.count; ++i) {
      sides_[i] =
          test.sends_right(context_.values[i], context_.space.row_keys, context_.node.rows[i]);
    }
    return sides_;
  }

  // All splits of the last node that were evaluated, and the subsets of the nominal ones.
  const std::vector<CandidateSplit>& candidates() {
    for (CandidateSplit& split : context_.candidates) random_splits_.settle(split);
    return context_.candidates;
  }

  const std::vector<uint64_t>& words() const { return context_.words; }
  int64_t words_of(int32_t feature) const { return context_.words_of(feature); }

 private:
  CandidateSplit choose(Random& random) const {
    CandidateSplit best;
    if (context_.settings.first_of_ties) {
      for (const CandidateSplit& split : context_.candidates) {
        if (split.gain > best.gain + kTie) best = split;
      }
      return best;
    }
    for (const CandidateSplit& split : context_.candidates) {
      if (split.gain > best.gain) best = split;
    }
    const double enough = best.gain * (1.0 - kTie);
    uint32_t ties = 0;
    for (const CandidateSplit& split : context_.candidates)
      ties += best.feature >= 0 && split.gain >= enough;
    if (ties < 2) return best;
    uint32_t pick = random.below(ties);
    for (const CandidateSplit& split : context_.candidates) {
      if (split.gain >= enough && pick-- == 0) return split;
    }
    return best;
  }

  NodeContext<Real> context_;
  FeatureDraw draw_;
  RandomSplits<Real> random_splits_;
  ExhaustiveSplits<Real> exhaustive_splits_;
  Probes<Real>* probes_;  // that value every node as well; null in plain forests
  std::vector<uint8_t> sides_;
};

}  // namespace unsuprank
