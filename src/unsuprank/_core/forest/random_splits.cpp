#include "forest/random_splits.hpp"

#include <algorithm>
#include <cstring>

#include "forest/trees.hpp"
#include "simd/packs.hpp"

namespace unsuprank {
namespace {

// Sets a bit for the rows above a threshold and returns their weight. Comparisons are counted as
// integers, because a branch per row would be mispredicted half of the time.
UNSUPRANK_CLONES int64_t mark_above(const double* values, double threshold, int64_t count, int bit,
                                    const int32_t* times, uint16_t* sides) {
  int32_t weight = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int above = values[i] > threshold;
    sides[i] = static_cast<uint16_t>(sides[i] | above << bit);
    weight += times[i] & -above;
  }
  return weight;
}

// Codes are worked on eight at a time; see CodedRows.
using Codes = SimdVector<uint16_t, 16>;
using Flags = SimdVector<int16_t, 16>;
using Times = SimdVector<int32_t, 32>;
static_assert(CodedRows::kPad == 8, "these vectors have eight lanes");

// The smallest lane, by halves.
UNSUPRANK_INLINE uint16_t smallest(Codes v) {
  v = smaller_of(v, UNSUPRANK_LANES_AT(Codes, v, v, 4, 5, 6, 7, 0, 1, 2, 3));
  v = smaller_of(v, UNSUPRANK_LANES_AT(Codes, v, v, 2, 3, 0, 1, 6, 7, 4, 5));
  v = smaller_of(v, UNSUPRANK_LANES_AT(Codes, v, v, 1, 0, 3, 2, 5, 4, 7, 6));
  return v[0];
}

UNSUPRANK_CLONES void gather_codes(const uint16_t* start, const CodedRows& rows, NodeCodes& node) {
  const int64_t padded = static_cast<int64_t>(rows.places.size());
  Codes lows = {}, highs = {};
  lows = ~lows;
  for (int64_t i = 0; i < padded; i += CodedRows::kPad) {
    const int64_t* at = rows.places.data() + i;
    const Codes v = {start[at[0]], start[at[1]], start[at[2]], start[at[3]],
                     start[at[4]], start[at[5]], start[at[6]], start[at[7]]};
    std::memcpy(node.codes + i, &v, sizeof(v));
    lows = smaller_of(v, lows);
    highs = larger_of(v, highs);
  }
  node.low = smallest(lows);
  node.high = static_cast<uint16_t>(~smallest(~highs));
}

// Where a code is found first; it occurs, and padding repeats the first row only.
UNSUPRANK_CLONES int64_t first_code(const uint16_t* codes, uint16_t code) {
  int64_t i = 0;
  for (uint64_t found[2] = {}; !(found[0] | found[1]); i += CodedRows::kPad) {
    const Flags same = loaded<Codes>(codes + i) == code;
    std::memcpy(found, &same, sizeof(found));
  }
  for (i -= CodedRows::kPad; codes[i] != code;) ++i;
  return i;
}

// Sets a bit for the rows whose codes are above the open ones and returns their weight, or -1 if
// the code of a row is among these.
UNSUPRANK_CLONES int64_t mark_codes_above(const uint16_t* codes, OpenCodes open, int bit,
                                          const CodedRows& rows, uint16_t* sides) {
  const int64_t padded = static_cast<int64_t>(rows.places.size());
  const uint16_t flag = static_cast<uint16_t>(1u << bit);
  Times weights = {};
  Flags undecided = {};
  for (int64_t i = 0; i < padded; i += CodedRows::kPad) {
    const Codes v = loaded<Codes>(codes + i);
    const Flags above = v > open.last;
    const Codes marked = loaded<Codes>(sides + i) | ((Codes)above & flag);
    std::memcpy(sides + i, &marked, sizeof(marked));
    weights += converted<Times>(above) & loaded<Times>(rows.times.data() + i);
    undecided |= (v >= open.first) & (v <= open.last);
  }
  uint64_t words[2];
  std::memcpy(words, &undecided, sizeof(words));
  if (words[0] | words[1]) return -1;
  int32_t weight = 0;
  for (int l = 0; l < CodedRows::kPad; ++l) weight += weights[l];
  return weight;
}

}  // namespace

template <typename Real>
bool RandomSplits<Real>::sides(const CandidateSplit& split, std::vector<uint8_t>& sides) const {
  if (split.block != block_) return false;
  sides.resize(c_.node.count);
  for (int64_t i = 0; i < c_.node.count; ++i) sides[i] = block_sides_[i] >> split.bit & 1;
  return true;
}

template <typename Real>
void RandomSplits<Real>::evaluate(const std::vector<int32_t>& features, Random& random) {
  rows_.set(c_.node.rows, c_.node.times, c_.node.count, c_.codes.step(c_.from_rows));
  codes_.resize(kBlockSplits * rows_.places.size());
  for (size_t start = 0; start < features.size(); start += kBlockSplits) {
    const size_t n_features = std::min<size_t>(kBlockSplits, features.size() - start);
    gather_block(features.data() + start, static_cast<int>(n_features));
    evaluate_block(features.data() + start, static_cast<int>(n_features), random);
  }
}

template <typename Real>
void RandomSplits<Real>::gather_block(const int32_t* features, int n_features) {
  for (int k = 0; k < n_features; ++k) {
    node_codes_[k].codes = codes_.data() + k * rows_.places.size();
    if (!c_.codes.info[features[k]].usable) continue;
    gather_codes(c_.codes.line(features[k], c_.from_rows).start, rows_, node_codes_[k]);
  }
}

template <typename Real>
void RandomSplits<Real>::evaluate_block(const int32_t* features, int n_features, Random& random) {
  block_sides_.assign(rows_.places.size(), 0);
  ++block_;
  SplitBlock block{block_sides_.data(), 0, {}};
  const size_t first = c_.candidates.size();
  for (int k = 0; k < n_features; ++k) {
    CandidateSplit split;
    double side = 0.0;
    if (!draw_and_mark(features[k], node_codes_[k], random, block.size, split, side)) continue;
    if (!c_.heavy_enough(side)) {
      unmark(block.size);
      continue;
    }
    split.block = block_;
    split.bit = block.size;
    split.place = k;
    block.side_weight[block.size++] = side;
    c_.candidates.push_back(split);
  }
  if (block.size == 0) return;
  double gains[kBlockSplits] = {};
  add_gains(block, gains);
  for (int k = 0; k < block.size; ++k) c_.candidates[first + k].gain = gains[k];
}

// Draws a split by the feature and marks the rows that go right; false if all values are equal.
template <typename Real>
bool RandomSplits<Real>::draw_and_mark(int32_t feature, const NodeCodes& codes, Random& random,
                                       int bit, CandidateSplit& split, double& side) {
  split.feature = feature;
  if (!c_.table.nominal(feature)) {
    split.share = random.unit();
    return mark_share(codes, bit, split, side);
  }
  c_.load_values(feature);
  if (!draw_subset(split, random)) return false;
  side = mark_side(split, bit);
  return true;
}

// Marks the rows above the threshold at the share of the range that the split has; by codes where
// they suffice, and without finding out what the threshold is, by values otherwise.
template <typename Real>
bool RandomSplits<Real>::mark_share(const NodeCodes& codes, int bit, CandidateSplit& split,
                                    double& side) {
  const CoarseColumn& info = c_.codes.info[split.feature];
  if (info.usable) {
    if (info.injective && codes.low == codes.high) return false;
    const OpenCodes open = info.open_codes(codes.low, codes.high, split.share);
    const int64_t weight = mark_codes_above(codes.codes, open, bit, rows_, block_sides_.data());
    if (weight >= 0) {
      side = static_cast<double>(weight);
      split.right_share = side / c_.node.weight;
      return true;
    }
    unmark(bit);
  }
  settle(split);
  if (!(c_.range.low < c_.range.high)) return false;
  side = mark_side(split, bit);
  return true;
}

template <typename Real>
void RandomSplits<Real>::settle(CandidateSplit& split) {
  if (split.feature < 0 || split.share < 0.0) return;
  if (split.block != block_) c_.load_values(split.feature);
  const ColumnRange range = split.block == block_ ? range_by_codes(split) : c_.range;
  split.threshold = between(range.low, range.high, split.share);
  split.share = -1.0;
}

// The range of the values in the node, of a split in the last block that codes have marked. The
// smallest value is among those with the smallest code: few values, if any, are looked up.
template <typename Real>
ColumnRange RandomSplits<Real>::range_by_codes(const CandidateSplit& split) const {
  const CoarseColumn& info = c_.codes.info[split.feature];
  const NodeCodes& node = node_codes_[split.place];
  if (info.decimal) return {info.value(node.low), info.value(node.high)};
  const ColumnView x = c_.table.column(split.feature);
  if (info.injective) {
    return {x[c_.node.rows[first_code(node.codes, node.low)]],
            x[c_.node.rows[first_code(node.codes, node.high)]]};
  }
  ColumnRange range;
  for (int64_t i = 0; i < c_.node.count; ++i) {
    if (node.codes[i] == node.low) range.low = std::min(range.low, x[c_.node.rows[i]]);
    if (node.codes[i] == node.high) range.high = std::max(range.high, x[c_.node.rows[i]]);
  }
  return range;
}

template <typename Real>
void RandomSplits<Real>::unmark(int bit) {
  for (uint16_t& s : block_sides_) s &= static_cast<uint16_t>(~(1u << bit));
}

// Half of all nodes have two rows, and most features separate them: few are looked at.
template <typename Real>
void RandomSplits<Real>::evaluate_any(FeatureDraw& draw, Random& random) {
  if (!c_.heavy_enough(c_.node.weights[0])) return;
  CandidateSplit split;
  split.feature = draw.draw_until(random, [this](int32_t feature) { return separates(feature); });
  if (split.feature < 0) return;
  const double right = split_two(split, random);
  SplitBlock block{block_sides_.data(), 1, {right}};
  split.block = ++block_;
  add_gains(block, &split.gain);
  c_.candidates.push_back(split);
}

template <typename Real>
double RandomSplits<Real>::split_two(CandidateSplit& split, Random& random) {
  block_sides_.assign(2, 0);
  if (c_.table.nominal(split.feature)) {
    c_.load_values(split.feature);
    draw_subset(split, random);
    return mark_side(split, 0);
  }
  const double first = c_.codes.value(c_.table, split.feature, c_.node.rows[0]);
  const double second = c_.codes.value(c_.table, split.feature, c_.node.rows[1]);
  split.threshold = between(std::min(first, second), std::max(first, second), random.unit());
  const int right = first < second;
  block_sides_[right] = 1;
  split.right_share = c_.node.weights[right] / c_.node.weight;
  return c_.node.weights[right];
}

template <typename Real>
double RandomSplits<Real>::gain_of_two() {
  block_sides_ = {0, 1};
  ++block_;
  double gain = 0.0;
  add_gains({block_sides_.data(), 1, {static_cast<double>(c_.node.weights[1])}}, &gain);
  return gain;
}

template <typename Real>
bool RandomSplits<Real>::separates(int32_t feature) const {
  const CoarseColumn& info = c_.codes.info[feature];
  if (info.usable) {
    const CodeLine codes = c_.codes.line(feature, c_.from_rows);
    if (codes[c_.node.rows[0]] != codes[c_.node.rows[1]]) return true;
    if (info.injective) return false;
  }
  const ColumnView x = c_.table.column(feature);
  return x[c_.node.rows[0]] < x[c_.node.rows[1]] || x[c_.node.rows[1]] < x[c_.node.rows[0]];
}

template <typename Real>
void RandomSplits<Real>::add_gains(const SplitBlock& block, double* gains) {
  if (c_.view.data) {
    pair_gains_.add(c_.view, c_.node, *c_.sums, block, gains);
  } else if (c_.space.width) {
    coord_gains_.add(c_.space, c_.node, block, gains);
  }
  if (c_.space.partial_width) coord_gains_.add_partial(c_.space, c_.node, block, gains);
}

template <typename Real>
bool RandomSplits<Real>::draw_subset(CandidateSplit& split, Random& random) {
  const int64_t n_words = c_.words_of(split.feature);
  std::vector<uint64_t> present(n_words, 0);
  for (double v : c_.values) {
    if (is_missing(v)) continue;
    const int64_t code = static_cast<int64_t>(v);
    present[code >> 6] |= uint64_t{1} << (code & 63);
  }
  int64_t n_present = 0;
  for (uint64_t word : present) n_present += count_bits(word);
  if (n_present < 2) return false;
  split.subset = static_cast<int64_t>(c_.words.size());
  c_.words.resize(c_.words.size() + n_words);
  uint64_t* words = c_.words.data() + split.subset;
  // Values that do not occur in the node take a side too, for rows that come later.
  int64_t inside = 0;
  while (inside == 0 || inside == n_present) {
    inside = 0;
    for (int64_t w = 0; w < n_words; ++w) {
      words[w] = random.bits();
      inside += count_bits(words[w] & present[w]);
    }
  }
  return true;
}

// Sets `bit` for the rows that go right under the split; returns their weight.
template <typename Real>
double RandomSplits<Real>::mark_side(CandidateSplit& split, int bit) {
  double right = 0.0, known = c_.node.weight;
  if (split.subset < 0) {
    right = static_cast<double>(mark_above(c_.values.data(), split.threshold, c_.node.count, bit,
                                           c_.node.times, block_sides_.data()));
  } else {
    const uint64_t* words = c_.words.data() + split.subset;
    for (int64_t i = 0; i < c_.node.count; ++i) {
      if (is_missing(c_.values[i]) || !in_subset(words, static_cast<int64_t>(c_.values[i])))
        continue;
      block_sides_[i] |= static_cast<uint16_t>(1u << bit);
      right += c_.node.weights[i];
    }
  }
  for (int64_t i : c_.missing) known -= c_.node.weights[i];
  split.right_share = right / known;
  for (int64_t i : c_.missing) {
    if (c_.chance(i) >= split.right_share) continue;
    block_sides_[i] |= static_cast<uint16_t>(1u << bit);
    right += c_.node.weights[i];
  }
  return right;
}

template class RandomSplits<float>;
template class RandomSplits<double>;

}  // namespace unsuprank
