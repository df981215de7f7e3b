// All splits by each drawn feature, as random forests and bagging evaluate them.
#pragma once
#include <algorithm>
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
  void evaluate(const std::vector<int32_t>& features) {
    each_scan([this](auto& scan, const auto& from) { scan.begin(from, c_.node); });
    for (int32_t feature : features) {
      if (c_.interrupt.requested()) return;
      c_.load_values(feature);
      known_weight_ = c_.node.weight;
      for (int64_t i : c_.missing) known_weight_ -= c_.node.weights[i];
      if (c_.table.nominal(feature)) {
        scan_subsets(feature);
      } else {
        scan_thresholds(feature);
      }
    }
  }

 private:
  // Up to this many values, all subsets are tried; above, they are grown greedily.
  static constexpr size_t kAllSubsets = 8;

  // Rows move to side 1 in order of their values. The scan starts from the end with the smaller
  // group of equal values and never moves the last group, which in sparse data is nearly all of the
  // work.
  void scan_thresholds(int32_t feature) {
    sorted_.clear();
    for (int64_t i = 0; i < c_.node.count; ++i) {
      if (!is_missing(c_.values[i])) sorted_.emplace_back(c_.values[i], i);
    }
    if (sorted_.empty()) return;
    std::sort(sorted_.begin(), sorted_.end());
    const double low = sorted_.front().first, high = sorted_.back().first;
    if (!(low < high)) return;
    const auto count_of = [&](double v) {
      return std::count_if(sorted_.begin(), sorted_.end(),
                           [v](const auto& entry) { return entry.first == v; });
    };
    const bool upwards = c_.missing.empty() && count_of(low) <= count_of(high);
    if (!upwards) std::reverse(sorted_.begin(), sorted_.end());
    CandidateSplit best;
    best.feature = feature;
    double moved = 0.0;
    split_clear();
    for (size_t k = 0; k + 1 < sorted_.size(); ++k) {
      const double here = sorted_[k].first, next = sorted_[k + 1].first;
      if (here == sorted_.back().first) break;
      split_move(sorted_[k].second, true);
      moved += c_.node.weights[sorted_[k].second];
      if (here == next) continue;
      const double right_share = upwards ? 1.0 - moved / known_weight_ : moved / known_weight_;
      split_settle_missing(right_share);
      if (!c_.heavy_enough(scan_one_)) continue;
      const double gain = split_gain();
      if (gain <= best.gain) continue;
      best.gain = gain;
      best.threshold = between(std::min(here, next), std::max(here, next), 0.5);
      best.right_share = right_share;
    }
    if (best.gain > 0.0) c_.candidates.push_back(best);
  }

  void scan_subsets(int32_t feature) {
    std::vector<std::vector<int64_t>> by_value(c_.table.n_values[feature]);
    for (int64_t i = 0; i < c_.node.count; ++i) {
      if (!is_missing(c_.values[i])) by_value[static_cast<size_t>(c_.values[i])].push_back(i);
    }
    groups_.clear();
    group_value_.clear();
    for (size_t v = 0; v < by_value.size(); ++v) {
      if (by_value[v].empty()) continue;
      groups_.push_back(std::move(by_value[v]));
      group_value_.push_back(static_cast<int64_t>(v));
    }
    if (groups_.size() < 2) return;
    CandidateSplit best;
    best.feature = feature;
    best.subset = static_cast<int64_t>(c_.words.size());
    c_.words.resize(c_.words.size() + c_.words_of(feature), 0);
    std::vector<char> chosen(groups_.size(), 0);
    split_clear();
    if (groups_.size() <= kAllSubsets) {
      try_all_subsets(best, chosen);
    } else {
      grow_subset(best, chosen);
    }
    if (best.gain > 0.0) c_.candidates.push_back(best);
  }

  // A Gray code: each subset differs from the one before in one value. The last value never moves,
  // because a subset and its complement are the same split.
  void try_all_subsets(CandidateSplit& best, std::vector<char>& chosen) {
    const unsigned n_subsets = 1u << (groups_.size() - 1);
    for (unsigned code = 1; code < n_subsets; ++code) {
      const size_t g = static_cast<size_t>(lowest_bit(code));
      chosen[g] = !chosen[g];
      toggle_group(g, chosen[g]);
      consider_subset(best, chosen);
    }
  }

  // The value that gains most joins first, and so on until one is left.
  void grow_subset(CandidateSplit& best, std::vector<char>& chosen) {
    for (size_t step = 0; step + 1 < groups_.size(); ++step) {
      size_t pick = groups_.size();
      double highest = -1.0;
      for (size_t g = 0; g < groups_.size(); ++g) {
        if (chosen[g]) continue;
        toggle_group(g, true);
        const double gain = split_gain();
        toggle_group(g, false);
        if (gain > highest) {
          highest = gain;
          pick = g;
        }
      }
      if (pick == groups_.size()) return;
      chosen[pick] = 1;
      toggle_group(pick, true);
      consider_subset(best, chosen);
    }
  }

  void toggle_group(size_t group, bool to_one) {
    for (int64_t row : groups_[group]) split_move(row, to_one);
  }

  void consider_subset(CandidateSplit& best, const std::vector<char>& chosen) {
    double known_one = 0.0;
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (!chosen[g]) continue;
      for (int64_t row : groups_[g]) known_one += c_.node.weights[row];
    }
    const double share = known_one / known_weight_;
    split_settle_missing(share);
    if (!c_.heavy_enough(scan_one_)) return;
    const double gain = split_gain();
    if (gain <= best.gain) return;
    best.gain = gain;
    best.right_share = share;
    uint64_t* words = c_.words.data() + best.subset;
    std::fill(words, words + c_.words_of(best.feature), 0);
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (chosen[g]) words[group_value_[g] >> 6] |= uint64_t{1} << (group_value_[g] & 63);
    }
  }

  // A split that changes one row at a time, over all parts of the space.
  template <typename Visit>
  void each_scan(Visit visit) {
    if (c_.view.data) {
      visit(pair_scan_, c_.view);
    } else if (c_.space.width) {
      visit(coord_scan_, c_.space);
    }
    if (c_.space.partial_width) visit(partial_scan_, c_.space);
  }

  void split_clear() {
    each_scan([](auto& scan, const auto&) { scan.clear(); });
    scan_one_ = 0.0;
    missing_on_one_.assign(c_.missing.size(), 0);
  }

  void split_move(int64_t row, bool to_one) {
    each_scan([=](auto& scan, const auto&) { scan.move(row, to_one); });
    scan_one_ += to_one ? c_.node.weights[row] : -c_.node.weights[row];
  }

  double split_gain() {
    double gain = 0.0;
    each_scan([&](auto& scan, const auto&) { gain += scan.gain(); });
    return gain;
  }

  // Brings the rows without a value to the side that chance gives them; side 1 is the right one.
  void split_settle_missing(double share_one) {
    for (size_t k = 0; k < c_.missing.size(); ++k) {
      const bool to_one = c_.chance(c_.missing[k]) < share_one;
      if (to_one == static_cast<bool>(missing_on_one_[k])) continue;
      missing_on_one_[k] = to_one;
      split_move(c_.missing[k], to_one);
    }
  }

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
