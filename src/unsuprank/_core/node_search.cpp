#include "node_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd.hpp"

namespace unsuprank {
namespace {

typedef double Four __attribute__((vector_size(32)));

// Copies the values of a node's rows and returns their range; missing values do not count, because
// comparisons with them are false. Four lanes at a time: the compiler may not reorder minima
// itself.
UNSUPRANK_CLONES ValueRange gather(const double* column, const int32_t* rows, int64_t count,
                                   double* values) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Four lows = {kInfinity, kInfinity, kInfinity, kInfinity}, highs = -lows;
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const Four v = {column[rows[i]], column[rows[i + 1]], column[rows[i + 2]], column[rows[i + 3]]};
    std::memcpy(values + i, &v, sizeof(v));
    lows = v < lows ? v : lows;
    highs = v > highs ? v : highs;
  }
  ValueRange range{kInfinity, -kInfinity};
  for (; i < count; ++i) {
    values[i] = column[rows[i]];
    lows[i & 3] = values[i] < lows[i & 3] ? values[i] : lows[i & 3];
    highs[i & 3] = values[i] > highs[i & 3] ? values[i] : highs[i & 3];
  }
  for (int l = 0; l < 4; ++l) {
    range.low = std::min(range.low, lows[l]);
    range.high = std::max(range.high, highs[l]);
  }
  return range;
}

// Sets a bit for the rows above a threshold and returns their weight. Integers, because a branch
// per row would be mispredicted half of the time.
template <typename Value>
UNSUPRANK_INLINE int64_t mark_above_body(const Value* values, Value threshold, int64_t count,
                                         int bit, const int32_t* times, uint16_t* sides) {
  int32_t weight = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int above = values[i] > threshold;
    sides[i] = static_cast<uint16_t>(sides[i] | above << bit);
    weight += times[i] & -above;
  }
  return weight;
}
UNSUPRANK_CLONES int64_t mark_above(const double* values, double threshold, int64_t count, int bit,
                                    const int32_t* times, uint16_t* sides) {
  return mark_above_body(values, threshold, count, bit, times, sides);
}
UNSUPRANK_CLONES int64_t mark_above(const uint16_t* codes, uint16_t threshold, int64_t count,
                                    int bit, const int32_t* times, uint16_t* sides) {
  return mark_above_body(codes, threshold, count, bit, times, sides);
}

UNSUPRANK_CLONES void gather_codes(CodeLine line, const int32_t* rows, int32_t count,
                                   bool find_rows, CoarseNode& node) {
  uint16_t* codes = node.codes;
  for (int32_t i = 0; i < count; ++i) codes[i] = line[rows[i]];
  uint16_t low = 65535, high = 0;
  for (int32_t i = 0; i < count; ++i) {
    low = codes[i] < low ? codes[i] : low;
    high = codes[i] > high ? codes[i] : high;
  }
  node.low = low;
  node.high = high;
  if (!find_rows) return;
  int32_t low_row = 0, high_row = 0, low_count = 0, high_count = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t is_low = -(codes[i] == low), is_high = -(codes[i] == high);
    low_count -= is_low;
    high_count -= is_high;
    low_row = std::max(low_row, i & is_low);
    high_row = std::max(high_row, i & is_high);
  }
  node.low_row = low_row;
  node.high_row = high_row;
  node.low_count = low_count;
  node.high_count = high_count;
}

UNSUPRANK_CLONES bool any_equal(const uint16_t* codes, uint16_t code, int32_t count) {
  int32_t equal = 0;
  for (int32_t i = 0; i < count; ++i) equal |= codes[i] == code;
  return equal;
}

// Gains this close to the best (relatively) count as equal to it.
constexpr double kTie = 1e-6;
// Up to this many values, all subsets are tried; above, they are grown greedily.
constexpr size_t kAllSubsets = 8;

double between(double low, double high, double share) {
  // Halves, because the range of very large values overflows.
  const double t = 2.0 * (low * 0.5 * (1.0 - share) + high * 0.5 * share);
  return t >= low && t < high ? t : low;
}

}  // namespace

template <typename Real>
NodeSearch<Real>::NodeSearch(const Columns& table, const CoarseTable& coarse,
                             const Space<Real>& space, const uint64_t* row_keys,
                             const GrowSettings& settings, Interrupt& interrupt)
    : table_(table),
      coarse_(coarse),
      space_(space),
      row_keys_(row_keys),
      settings_(settings),
      interrupt_(interrupt),
      draw_(table.cols, settings.max_features) {}

template <typename Real>
Test NodeSearch<Real>::find(const NodeRows<Real>& node, const DistanceView<Real>& view,
                            PairSums& sums, int32_t node_id, uint64_t tree_key, Random& random) {
  node_ = node;
  view_ = view;
  sums_ = &sums;
  from_rows_ = coarse_.prefers_rows(node.count);
  node_id_ = node_id;
  tree_key_ = tree_key;
  candidates_.clear();
  words_.clear();
  std::vector<int32_t>& features = draw_.draw(random);
  if (settings_.first_of_ties) std::sort(features.begin(), features.end());
  prefetch(features);
  if (settings_.exhaustive) {
    value_all_tests(features);
  } else if (node_.count == 2 && space_.partial_width == 0) {
    value_tests_of_two_rows(features, random);
  } else {
    value_random_tests(features, random);
  }
  Test best = choose(random);
  settle(best);
  if (settings_.record) {
    for (Test& test : candidates_) settle(test);
  }
  return best;
}

// Columns are drawn at random from a table larger than the caches; asking for all of them before
// the first is used lets the waits overlap.
template <typename Real>
void NodeSearch<Real>::prefetch(const std::vector<int32_t>& features) const {
  if (node_.count > 64 || features.size() > 64) return;
  for (int32_t f : features) {
    const CodeLine line = coarse_.line(f, from_rows_);
    for (int64_t i = 0; i < node_.count; ++i) {
      __builtin_prefetch(line.start + node_.rows[i] * line.step);
    }
  }
}

template <typename Real>
double NodeSearch<Real>::chance(int64_t i) const {
  return to_unit(stream_key(tree_key_ ^ row_keys_[node_.rows[i]], node_id_));
}

template <typename Real>
bool NodeSearch<Real>::heavy_enough(double side) const {
  return side >= settings_.min_leaf && node_.weight - side >= settings_.min_leaf;
}

template <typename Real>
void NodeSearch<Real>::load_values(int32_t feature) {
  values_.resize(node_.count);
  range_ = gather(table_.column(feature), node_.rows, node_.count, values_.data());
  missing_.clear();
  if (!table_.may_miss(feature)) return;
  for (int64_t i = 0; i < node_.count; ++i) {
    if (is_missing(values_[i])) missing_.push_back(i);
  }
}

template <typename Real>
Test NodeSearch<Real>::choose(Random& random) const {
  Test best;
  if (settings_.first_of_ties) {
    for (const Test& test : candidates_) {
      if (test.gain > best.gain + kTie) best = test;
    }
    return best;
  }
  for (const Test& test : candidates_) {
    if (test.gain > best.gain) best = test;
  }
  const double enough = best.gain * (1.0 - kTie);
  uint32_t ties = 0;
  for (const Test& test : candidates_) ties += best.feature >= 0 && test.gain >= enough;
  if (ties < 2) return best;
  uint32_t pick = random.below(ties);
  for (const Test& test : candidates_) {
    if (test.gain >= enough && pick-- == 0) return test;
  }
  return best;
}

// ---- one random test per feature
// -----------------------------------------------------------------

template <typename Real>
void NodeSearch<Real>::value_random_tests(const std::vector<int32_t>& features, Random& random) {
  CoarseNode coarse[kBlock];
  codes_.resize(kBlock * node_.count);
  for (size_t start = 0; start < features.size(); start += kBlock) {
    const size_t n_features = std::min<size_t>(kBlock, features.size() - start);
    for (size_t k = 0; k < n_features; ++k) {
      coarse[k].codes = codes_.data() + k * node_.count;
      ask_for_codes(features[start + k], coarse[k]);
    }
    block_sides_.assign(node_.count, 0);
    ++block_;
    SplitBlock block{block_sides_.data(), 0, {}};
    const size_t first = candidates_.size();
    for (size_t k = 0; k < n_features; ++k) {
      Test test;
      double side = 0.0;
      if (!draw_and_mark(features[start + k], coarse[k], random, block.size, test, side)) continue;
      if (!heavy_enough(side)) {
        for (uint16_t& s : block_sides_) s &= static_cast<uint16_t>(~(1u << block.size));
        continue;
      }
      test.block = block_;
      test.bit = block.size;
      block.side_weight[block.size++] = side;
      candidates_.push_back(test);
    }
    if (block.size == 0) continue;
    double gains[kBlock] = {};
    add_gains(block, gains);
    for (int k = 0; k < block.size; ++k) candidates_[first + k].gain = gains[k];
  }
}

// Reads the codes of a feature, and asks memory for the values that will be needed soon.
template <typename Real>
void NodeSearch<Real>::ask_for_codes(int32_t feature, CoarseNode& coarse) {
  const CoarseColumn& info = coarse_.info[feature];
  if (!info.usable) return;
  gather_codes(coarse_.line(feature, from_rows_), node_.rows, static_cast<int32_t>(node_.count),
               !info.whole, coarse);
  if (info.whole) return;
  const double* x = table_.column(feature);
  __builtin_prefetch(x + node_.rows[coarse.low_row]);
  __builtin_prefetch(x + node_.rows[coarse.high_row]);
}

// Draws a test of the feature and marks the rows that go right; false if all values are equal.
template <typename Real>
bool NodeSearch<Real>::draw_and_mark(int32_t feature, const CoarseNode& coarse, Random& random,
                                     int bit, Test& test, double& side) {
  test.feature = feature;
  if (!table_.nominal(feature) && coarse_.info[feature].usable) {
    return draw_and_mark_coarse(coarse, random, bit, test, side);
  }
  load_values(feature);
  if (table_.nominal(feature)) {
    if (!draw_subset(test, random)) return false;
  } else {
    if (!(range_.low < range_.high)) return false;
    test.threshold = between(range_.low, range_.high, random.unit());
  }
  side = mark_side(test, bit);
  return true;
}

// The range of a node's values; the values decide among rows whose codes are the extreme ones.
template <typename Real>
ValueRange NodeSearch<Real>::coarse_range(int32_t feature, const CoarseNode& coarse) const {
  const CoarseColumn& info = coarse_.info[feature];
  if (info.whole) return {info.low + coarse.low, info.low + coarse.high};
  const double* x = table_.column(feature);
  ValueRange range{x[node_.rows[coarse.low_row]], x[node_.rows[coarse.high_row]]};
  if (info.injective || (coarse.low_count == 1 && coarse.high_count == 1)) return range;
  for (int64_t i = 0; i < node_.count; ++i) {
    const double value = x[node_.rows[i]];
    if (coarse.codes[i] == coarse.low) range.low = std::min(range.low, value);
    if (coarse.codes[i] == coarse.high) range.high = std::max(range.high, value);
  }
  return range;
}

template <typename Real>
bool NodeSearch<Real>::draw_and_mark_coarse(const CoarseNode& coarse, Random& random, int bit,
                                            Test& test, double& side) {
  const CoarseColumn& info = coarse_.info[test.feature];
  if (info.injective && coarse.low == coarse.high) return false;
  const ValueRange range = coarse_range(test.feature, coarse);
  if (!(range.low < range.high)) return false;
  test.threshold = between(range.low, range.high, random.unit());
  const uint16_t limit = info.code(test.threshold);
  int64_t weight =
      mark_above(coarse.codes, limit, node_.count, bit, node_.times, block_sides_.data());
  // Rows with the code of the threshold itself.
  const bool ties = any_equal(coarse.codes, limit, static_cast<int32_t>(node_.count));
  const double* x = table_.column(test.feature);
  for (int64_t i = 0; ties && i < node_.count; ++i) {
    if (coarse.codes[i] != limit) continue;
    const double value = info.whole ? info.low + limit : x[node_.rows[i]];
    if (value > test.threshold) {
      block_sides_[i] |= static_cast<uint16_t>(1u << bit);
      weight += node_.times[i];
    } else if (info.injective) {
      break;  // the others have the same value
    }
  }
  side = static_cast<double>(weight);
  test.right_share = side / node_.weight;
  return true;
}

// Half of all nodes have two rows. Every test that separates them has the same gain.
template <typename Real>
void NodeSearch<Real>::value_tests_of_two_rows(const std::vector<int32_t>& features,
                                               Random& random) {
  if (!heavy_enough(node_.weights[0])) return;
  const uint16_t sides[2] = {0, 1};
  SplitBlock block{sides, 1, {static_cast<double>(node_.weights[1])}};
  double gain = 0.0;
  add_gains(block, &gain);
  for (int32_t feature : features) {
    if (!separates(feature)) continue;
    Test test;
    test.feature = feature;
    test.gain = gain;
    if (table_.nominal(feature)) {
      load_values(feature);
      draw_subset(test, random);
      const int64_t code = static_cast<int64_t>(values_[0]);
      const bool first_goes_right = in_subset(words_.data() + test.subset, code);
      test.right_share = node_.weights[first_goes_right ? 0 : 1] / node_.weight;
    } else {
      test.share = random.unit();
    }
    candidates_.push_back(test);
  }
}

// Whether a feature has different, known values in the two rows of the node.
template <typename Real>
bool NodeSearch<Real>::separates(int32_t feature) const {
  const CoarseColumn& info = coarse_.info[feature];
  if (info.usable) {
    const CodeLine codes = coarse_.line(feature, from_rows_);
    if (codes[node_.rows[0]] != codes[node_.rows[1]]) return true;
    if (info.injective) return false;
  }
  const double* x = table_.column(feature);
  return x[node_.rows[0]] < x[node_.rows[1]] || x[node_.rows[1]] < x[node_.rows[0]];
}

// Most tests of two rows lose the draw among equals; only those that count get a threshold.
template <typename Real>
void NodeSearch<Real>::settle(Test& test) {
  if (test.feature < 0 || test.share < 0.0) return;
  const double* x = table_.column(test.feature);
  const double a = x[node_.rows[0]], b = x[node_.rows[1]];
  test.threshold = between(std::min(a, b), std::max(a, b), test.share);
  test.right_share = node_.weights[a > b ? 0 : 1] / node_.weight;
  test.share = -1.0;
}

template <typename Real>
void NodeSearch<Real>::add_gains(const SplitBlock& block, double* gains) {
  if (view_.data) {
    pair_gains_.add(view_.data, view_.stride, node_, *sums_, block, gains);
  } else if (space_.width) {
    bucket_gains_.add(space_, node_, block, gains);
  }
  if (space_.partial_width) bucket_gains_.add_partial(space_, node_, block, gains);
}

template <typename Real>
bool NodeSearch<Real>::draw_subset(Test& test, Random& random) {
  const int64_t n_words = words_of(test.feature);
  std::vector<uint64_t> present(n_words, 0);
  for (double v : values_) {
    if (is_missing(v)) continue;
    const int64_t code = static_cast<int64_t>(v);
    present[code >> 6] |= uint64_t{1} << (code & 63);
  }
  int64_t n_present = 0;
  for (uint64_t word : present) n_present += __builtin_popcountll(word);
  if (n_present < 2) return false;
  test.subset = static_cast<int64_t>(words_.size());
  words_.resize(words_.size() + n_words);
  uint64_t* words = words_.data() + test.subset;
  // Values that do not occur in the node take a side too, for rows that come later.
  int64_t inside = 0;
  while (inside == 0 || inside == n_present) {
    inside = 0;
    for (int64_t w = 0; w < n_words; ++w) {
      words[w] = random.bits();
      inside += __builtin_popcountll(words[w] & present[w]);
    }
  }
  return true;
}

// Sets `bit` for the rows that go right under the test; returns their weight.
template <typename Real>
double NodeSearch<Real>::mark_side(Test& test, int bit) {
  double right = 0.0, known = node_.weight;
  if (test.subset < 0) {
    right = static_cast<double>(mark_above(values_.data(), test.threshold, node_.count, bit,
                                           node_.times, block_sides_.data()));
  } else {
    const uint64_t* words = words_.data() + test.subset;
    for (int64_t i = 0; i < node_.count; ++i) {
      if (is_missing(values_[i]) || !in_subset(words, static_cast<int64_t>(values_[i]))) continue;
      block_sides_[i] |= static_cast<uint16_t>(1u << bit);
      right += node_.weights[i];
    }
  }
  for (int64_t i : missing_) known -= node_.weights[i];
  test.right_share = right / known;
  for (int64_t i : missing_) {
    if (chance(i) >= test.right_share) continue;
    block_sides_[i] |= static_cast<uint16_t>(1u << bit);
    right += node_.weights[i];
  }
  return right;
}

template <typename Real>
const std::vector<uint8_t>& NodeSearch<Real>::sides(const Test& test) {
  if (test.block == block_) {
    sides_.resize(node_.count);
    for (int64_t i = 0; i < node_.count; ++i) sides_[i] = block_sides_[i] >> test.bit & 1;
    return sides_;
  }
  load_values(test.feature);
  const uint64_t* words = test.subset < 0 ? nullptr : words_.data() + test.subset;
  sides_.resize(node_.count);
  for (int64_t i = 0; i < node_.count; ++i) {
    const double v = values_[i];
    if (is_missing(v)) {
      sides_[i] = chance(i) < test.right_share;
    } else {
      sides_[i] = words ? in_subset(words, static_cast<int64_t>(v)) : v > test.threshold;
    }
  }
  return sides_;
}

// ---- all tests of each feature
// -------------------------------------------------------------------

template <typename Real>
void NodeSearch<Real>::value_all_tests(const std::vector<int32_t>& features) {
  scan_begin();
  for (int32_t feature : features) {
    if (interrupt_.requested()) return;
    load_values(feature);
    known_weight_ = node_.weight;
    for (int64_t i : missing_) known_weight_ -= node_.weights[i];
    if (table_.nominal(feature)) {
      scan_subsets(feature);
    } else {
      scan_thresholds(feature);
    }
  }
}

template <typename Real>
void NodeSearch<Real>::scan_begin() {
  if (view_.data) {
    pair_scan_.begin(view_.data, view_.stride, node_);
  } else if (space_.width) {
    coord_scan_.begin(space_, node_);
  }
  if (space_.partial_width) partial_scan_.begin(space_, node_);
}

template <typename Real>
void NodeSearch<Real>::scan_clear() {
  if (view_.data) {
    pair_scan_.clear();
  } else if (space_.width) {
    coord_scan_.clear();
  }
  if (space_.partial_width) partial_scan_.clear();
  scan_one_ = 0.0;
  missing_on_one_.assign(missing_.size(), 0);
}

template <typename Real>
void NodeSearch<Real>::scan_move(int64_t row, bool to_one) {
  if (view_.data) {
    pair_scan_.move(row, to_one);
  } else if (space_.width) {
    coord_scan_.move(row, to_one);
  }
  if (space_.partial_width) partial_scan_.move(row, to_one);
  scan_one_ += to_one ? node_.weights[row] : -node_.weights[row];
}

template <typename Real>
double NodeSearch<Real>::scan_gain() const {
  double gain = 0.0;
  if (view_.data) {
    gain += pair_scan_.gain();
  } else if (space_.width) {
    gain += coord_scan_.gain();
  }
  if (space_.partial_width) gain += partial_scan_.gain();
  return gain;
}

// Brings the rows without a value to the side that chance gives them; side 1 is the right one.
template <typename Real>
void NodeSearch<Real>::scan_settle_missing(double share_one) {
  for (size_t k = 0; k < missing_.size(); ++k) {
    const bool to_one = chance(missing_[k]) < share_one;
    if (to_one == static_cast<bool>(missing_on_one_[k])) continue;
    missing_on_one_[k] = to_one;
    scan_move(missing_[k], to_one);
  }
}

// Rows move to side 1 in order of their values. The scan starts from the end with the smaller group
// of equal values and never moves the last group, which in sparse data is nearly all of the work.
template <typename Real>
void NodeSearch<Real>::scan_thresholds(int32_t feature) {
  sorted_.clear();
  for (int64_t i = 0; i < node_.count; ++i) {
    if (!is_missing(values_[i])) sorted_.emplace_back(values_[i], i);
  }
  if (sorted_.empty()) return;
  std::sort(sorted_.begin(), sorted_.end());
  const double low = sorted_.front().first, high = sorted_.back().first;
  if (!(low < high)) return;
  const auto count_of = [&](double v) {
    return std::count_if(sorted_.begin(), sorted_.end(),
                         [v](const auto& entry) { return entry.first == v; });
  };
  const bool upwards = missing_.empty() && count_of(low) <= count_of(high);
  if (!upwards) std::reverse(sorted_.begin(), sorted_.end());
  Test best;
  best.feature = feature;
  double moved = 0.0;
  scan_clear();
  for (size_t k = 0; k + 1 < sorted_.size(); ++k) {
    const double here = sorted_[k].first, next = sorted_[k + 1].first;
    if (here == sorted_.back().first) break;
    scan_move(sorted_[k].second, true);
    moved += node_.weights[sorted_[k].second];
    if (here == next) continue;
    const double right_share = upwards ? 1.0 - moved / known_weight_ : moved / known_weight_;
    scan_settle_missing(right_share);
    if (!heavy_enough(scan_one_)) continue;
    const double gain = scan_gain();
    if (gain <= best.gain) continue;
    best.gain = gain;
    best.threshold = between(std::min(here, next), std::max(here, next), 0.5);
    best.right_share = right_share;
  }
  if (best.gain > 0.0) candidates_.push_back(best);
}

template <typename Real>
void NodeSearch<Real>::scan_subsets(int32_t feature) {
  std::vector<std::vector<int64_t>> by_value(table_.n_values[feature]);
  for (int64_t i = 0; i < node_.count; ++i) {
    if (!is_missing(values_[i])) by_value[static_cast<size_t>(values_[i])].push_back(i);
  }
  groups_.clear();
  group_value_.clear();
  for (size_t v = 0; v < by_value.size(); ++v) {
    if (by_value[v].empty()) continue;
    groups_.push_back(std::move(by_value[v]));
    group_value_.push_back(static_cast<int64_t>(v));
  }
  if (groups_.size() < 2) return;
  Test best;
  best.feature = feature;
  best.subset = static_cast<int64_t>(words_.size());
  words_.resize(words_.size() + words_of(feature), 0);
  std::vector<char> chosen(groups_.size(), 0);
  scan_clear();
  if (groups_.size() <= kAllSubsets) {
    try_all_subsets(best, chosen);
  } else {
    grow_subset(best, chosen);
  }
  if (best.gain > 0.0) candidates_.push_back(best);
}

template <typename Real>
void NodeSearch<Real>::toggle_group(size_t group, bool to_one) {
  for (int64_t row : groups_[group]) scan_move(row, to_one);
}

template <typename Real>
void NodeSearch<Real>::consider_subset(Test& best, const std::vector<char>& chosen) {
  double known_one = 0.0;
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (!chosen[g]) continue;
    for (int64_t row : groups_[g]) known_one += node_.weights[row];
  }
  const double share = known_one / known_weight_;
  scan_settle_missing(share);
  if (!heavy_enough(scan_one_)) return;
  const double gain = scan_gain();
  if (gain <= best.gain) return;
  best.gain = gain;
  best.right_share = share;
  uint64_t* words = words_.data() + best.subset;
  std::fill(words, words + words_of(best.feature), 0);
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (chosen[g]) words[group_value_[g] >> 6] |= uint64_t{1} << (group_value_[g] & 63);
  }
}

// A Gray code: each subset differs from the one before in one value. The last value never moves,
// because a subset and its complement are the same split.
template <typename Real>
void NodeSearch<Real>::try_all_subsets(Test& best, std::vector<char>& chosen) {
  const unsigned n_subsets = 1u << (groups_.size() - 1);
  for (unsigned code = 1; code < n_subsets; ++code) {
    const size_t g = static_cast<size_t>(__builtin_ctz(code));
    chosen[g] = !chosen[g];
    toggle_group(g, chosen[g]);
    consider_subset(best, chosen);
  }
}

// The value that gains most joins first, and so on until one is left.
template <typename Real>
void NodeSearch<Real>::grow_subset(Test& best, std::vector<char>& chosen) {
  for (size_t step = 0; step + 1 < groups_.size(); ++step) {
    size_t pick = groups_.size();
    double highest = -1.0;
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (chosen[g]) continue;
      toggle_group(g, true);
      const double gain = scan_gain();
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

template class NodeSearch<float>;
template class NodeSearch<double>;

}  // namespace unsuprank
