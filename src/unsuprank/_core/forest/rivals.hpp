// The chance that one more candidate would win a node.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "forest/candidate_split.hpp"

namespace unsuprank {

// A node has drawn `n_drawn` features, and some of them have brought candidates. A column that was
// not drawn meets all of them but one, which is left out at random, as if the column had been drawn
// in its place; a column that was drawn meets the others. In both cases the others are a random
// draw of n_drawn - 1 features. The best wins, and equals have equal chances.
class Rivals {
 public:
  explicit Rivals(int64_t n_features) : drawn_in_(n_features, 0) {}

  void set(const std::vector<int32_t>& drawn, const std::vector<CandidateSplit>& candidates) {
    ++node_;
    n_drawn_ = drawn.size();
    for (const int32_t feature : drawn) drawn_in_[feature] = node_;
    best_first_.clear();
    for (const CandidateSplit& split : candidates)
      best_first_.emplace_back(split.gain, split.feature);
    std::sort(best_first_.begin(), best_first_.end(), std::greater<>());
  }

  // The chance of a candidate of this feature with this gain.
  double chance(int32_t feature, double gain) const {
    // Whoever is left out, the best or the second of the rivals stays.
    const bool hopeless = best_first_.size() > 1 && gain < best_first_[1].first * (1.0 - kTie);
    if (hopeless || gain <= 0.0) return 0.0;
    if (drawn_in_[feature] != node_) return chance_in_a_place(gain);
    size_t own = 0;
    while (own < best_first_.size() && best_first_[own].second != feature) ++own;
    return chance_without(own, gain);
  }

 private:
  static constexpr size_t kNobody = static_cast<size_t>(-1);

  double chance_without(size_t left_out, double gain) const {
    double best = gain;
    for (size_t i = 0; i < std::min<size_t>(2, best_first_.size()); ++i) {
      if (i != left_out) best = std::max(best, best_first_[i].first);
    }
    const double enough = best * (1.0 - kTie);
    if (gain < enough) return 0.0;
    int64_t equals = 1;
    for (size_t i = 0; i < best_first_.size() && best_first_[i].first >= enough; ++i) {
      equals += i != left_out;
    }
    return 1.0 / static_cast<double>(equals);
  }

  // The mean over the places of the draw. Most are of rivals that are too weak to matter, or of
  // features that have brought no candidate: the chance is the same in all of these.
  double chance_in_a_place(double gain) const {
    double total = 0.0;
    size_t strong = 0;
    for (; strong < best_first_.size() && best_first_[strong].first >= gain * (1.0 - kTie);
         ++strong) {
      total += chance_without(strong, gain);
    }
    if (strong < n_drawn_) {
      total += static_cast<double>(n_drawn_ - strong) * chance_without(kNobody, gain);
    }
    return total / static_cast<double>(n_drawn_);
  }

  std::vector<std::pair<double, int32_t>> best_first_;  // gains of the candidates, their features
  std::vector<uint64_t> drawn_in_;                      // the node that has drawn a feature last
  uint64_t node_ = 0;
  size_t n_drawn_ = 0;
};

}  // namespace unsuprank
