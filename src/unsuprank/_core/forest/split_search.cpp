#include "forest/split_search.hpp"

#include <algorithm>

#include "forest/trees.hpp"

namespace unsuprank {

template <typename Real>
SplitSearch<Real>::SplitSearch(const ClusteringSpace<Real>& space, const GrowSettings& settings,
                               Interrupt& interrupt, Probes<Real>* probes)
    : context_(space, settings, interrupt),
      draw_(space.table.cols, settings.max_features),
      random_splits_(context_),
      exhaustive_splits_(context_),
      probes_(probes) {}

template <typename Real>
CandidateSplit SplitSearch<Real>::find(int32_t node_id, const NodeRows<Real>& node,
                                       const DistanceView<Real>& view, PairSums& sums,
                                       Random& random) {
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

template <typename Real>
const std::vector<CandidateSplit>& SplitSearch<Real>::candidates() {
  for (CandidateSplit& split : context_.candidates) random_splits_.settle(split);
  return context_.candidates;
}

template <typename Real>
CandidateSplit SplitSearch<Real>::choose(Random& random) const {
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

template <typename Real>
const std::vector<uint8_t>& SplitSearch<Real>::sides(const CandidateSplit& split) {
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

template class SplitSearch<float>;
template class SplitSearch<double>;

}  // namespace unsuprank
