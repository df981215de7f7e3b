// One random split by each drawn feature, as extra trees evaluate them.
#pragma once
#include <cstdint>
#include <vector>

#include "forest/coord_gains.hpp"
#include "forest/feature_draw.hpp"
#include "forest/node_context.hpp"
#include "forest/pair_gains.hpp"

namespace unsuprank {

// The codes of one feature in a node, the smallest and the largest.
struct NodeCodes {
  uint16_t* codes;
  uint16_t low, high;
};

// The rows of a node as codes are read: padded with its first row, at weight 0, to a multiple of
// `kPad`. Copies of a row do not change the range of the codes. Most nodes are small, and what is
// left over by loops that take many rows at a time would be most of the work.
struct CodedRows {
  static constexpr int64_t kPad = 8;

  std::vector<int64_t> places;  // of their codes from the first of a feature
  std::vector<int32_t> times;

  void set(const int32_t* rows, const int32_t* multiplicity, int64_t count, int64_t step) {
    places.assign((count + kPad - 1) / kPad * kPad, rows[0] * step);
    times.assign(places.size(), 0);
    for (int64_t i = 0; i < count; ++i) {
      places[i] = rows[i] * step;
      times[i] = multiplicity[i];
    }
  }
};

template <typename Real>
class RandomSplits {
 public:
  explicit RandomSplits(NodeContext<Real>& context) : c_(context) {}

  // Adds a split by every feature that can split the node to its candidates, with its gain.
  void evaluate(const std::vector<int32_t>& features, Random& random);
  // Whether all splits of the node are equally good, as those of two rows are.
  bool are_equals() const { return c_.node.count == 2 && c_.space.partial_width == 0; }
  // Does the same where they are: adds one of the splits that a whole draw would have brought,
  // chosen at random.
  void evaluate_any(FeatureDraw& draw, Random& random);
  // The gain that they all have.
  double gain_of_two();
  // Whether a feature has different, known values in the two rows of the node.
  bool separates(int32_t feature) const;
  // Draws a split that separates the two rows of the node; returns the weight of the right one.
  double split_two(CandidateSplit& split, Random& random);
  // Gives a split the threshold that was left open while it was not known to be needed.
  void settle(CandidateSplit& split);
  // Sides of the node's rows, if the split is one of those marked last.
  bool sides(const CandidateSplit& split, std::vector<uint8_t>& sides) const;

 private:
  void gather_block(const int32_t* features, int n_features);
  void evaluate_block(const int32_t* features, int n_features, Random& random);
  bool draw_and_mark(int32_t feature, const NodeCodes& codes, Random& random, int bit,
                     CandidateSplit& split, double& side);
  bool mark_share(const NodeCodes& codes, int bit, CandidateSplit& split, double& side);
  ColumnRange range_by_codes(const CandidateSplit& split) const;
  void unmark(int bit);
  bool draw_subset(CandidateSplit& split, Random& random);
  double mark_side(CandidateSplit& split, int bit);
  void add_gains(const SplitBlock& block, double* gains);

  NodeContext<Real>& c_;
  CodedRows rows_;
  std::vector<uint16_t> codes_;         // of the features of the last block, one run of rows each
  NodeCodes node_codes_[kBlockSplits];  // the same, feature by feature
  std::vector<uint16_t> block_sides_;
  int64_t block_ = 0;  // number of the block that block_sides_ belongs to
  PairGains<Real> pair_gains_;
  CoordGains<Real> coord_gains_;
};

}  // namespace unsuprank
