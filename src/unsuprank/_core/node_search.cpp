#include "node_search.hpp"

#include <algorithm>

namespace unsuprank {
namespace {

// Gains this close to the best (relatively) count as equal to it.
constexpr double kTie = 1e-6;

}  // namespace

template <typename Real>
NodeSearch<Real>::NodeSearch(const Columns& table, const CoarseTable& coarse,
                             const Space<Real>& space, const uint64_t* row_keys,
                             const GrowSettings& settings, Interrupt& interrupt)
    : context_{table, coarse, space, row_keys, settings, interrupt},
      draw_(table.cols, settings.max_features),
      random_tests_(context_),
      all_tests_(context_) {}

template <typename Real>
Test NodeSearch<Real>::find(const NodeRows<Real>& node, const DistanceView<Real>& view,
                            PairSums& sums, int32_t node_id, uint64_t tree_key, Random& random) {
  context_.node = node;
  context_.view = view;
  context_.sums = &sums;
  context_.from_rows = context_.coarse.prefers_rows(node.count);
  context_.node_id = node_id;
  context_.tree_key = tree_key;
  context_.candidates.clear();
  context_.words.clear();
  const GrowSettings& settings = context_.settings;
  if (random_tests_.are_equals() && !settings.exhaustive && !settings.first_of_ties) {
    random_tests_.value_any(draw_, random);
    return choose(random);
  }
  std::vector<int32_t>& features = draw_.draw(random);
  if (settings.first_of_ties) std::sort(features.begin(), features.end());
  if (settings.exhaustive) {
    all_tests_.value(features);
  } else {
    random_tests_.value(features, random);
  }
  Test best = choose(random);
  random_tests_.settle(best);
  if (settings.record) {
    for (Test& test : context_.candidates) random_tests_.settle(test);
  }
  return best;
}

template <typename Real>
Test NodeSearch<Real>::choose(Random& random) const {
  Test best;
  if (context_.settings.first_of_ties) {
    for (const Test& test : context_.candidates) {
      if (test.gain > best.gain + kTie) best = test;
    }
    return best;
  }
  for (const Test& test : context_.candidates) {
    if (test.gain > best.gain) best = test;
  }
  const double enough = best.gain * (1.0 - kTie);
  uint32_t ties = 0;
  for (const Test& test : context_.candidates) ties += best.feature >= 0 && test.gain >= enough;
  if (ties < 2) return best;
  uint32_t pick = random.below(ties);
  for (const Test& test : context_.candidates) {
    if (test.gain >= enough && pick-- == 0) return test;
  }
  return best;
}

template <typename Real>
const std::vector<uint8_t>& NodeSearch<Real>::sides(const Test& test) {
  if (random_tests_.sides(test, sides_)) return sides_;
  context_.load_values(test.feature);
  const uint64_t* words = test.subset < 0 ? nullptr : context_.words.data() + test.subset;
  sides_.resize(context_.node.count);
  for (int64_t i = 0; i < context_.node.count; ++i) {
    const double v = context_.values[i];
    if (is_missing(v)) {
      sides_[i] = context_.chance(i) < test.right_share;
    } else {
      sides_[i] = words ? in_subset(words, static_cast<int64_t>(v)) : v > test.threshold;
    }
  }
  return sides_;
}

template class NodeSearch<float>;
template class NodeSearch<double>;

}  // namespace unsuprank
