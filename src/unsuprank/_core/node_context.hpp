// A node whose best test is looked for: what is known of it, and what has been found.
#pragma once
#include <cstdint>
#include <vector>

#include "coarse.hpp"
#include "columns.hpp"
#include "coord_gains.hpp"
#include "pair_gains.hpp"
#include "space.hpp"
#include "trees.hpp"

namespace unsuprank {

struct Test {
  int32_t feature = -1;
  double threshold = 0.0;
  double share = -1.0;  // where in the range of values a threshold lies that is not settled yet
  int64_t subset = -1;  // first of the words of a nominal test within NodeContext::words
  double gain = 0.0;
  double right_share = 0.0;
  int64_t block = -1;  // the block of tests that it was marked in, and
  int bit = 0;         // where, and
  int place = 0;       // the place of its feature in it
};

struct ValueRange {
  double low, high;
};

// A value in [low, high), at a share of the way, also where the range overflows.
inline double between(double low, double high, double share) {
  // Halves, because the range of very large values overflows.
  const double t = 2.0 * (low * 0.5 * (1.0 - share) + high * 0.5 * share);
  return t >= low && t < high ? t : low;
}

// Squared distances of the rows of a node, addressed by NodeRows::slots; null: use coordinates.
template <typename Real>
struct DistanceView {
  const Real* data = nullptr;
  int64_t stride = 0;
};

template <typename Real>
struct NodeContext {
  // The same for all nodes.
  const Columns& table;
  const CoarseTable& coarse;
  const Space<Real>& space;
  const uint64_t* row_keys;
  const GrowSettings& settings;
  Interrupt& interrupt;

  // The node.
  NodeRows<Real> node{};
  DistanceView<Real> view{};
  PairSums* sums = nullptr;
  bool from_rows = false;  // where codes are read
  int32_t node_id = 0;
  uint64_t tree_key = 0;

  // The feature at hand.
  std::vector<double> values{};    // per row of the node
  ValueRange range{};              // of those
  std::vector<int64_t> missing{};  // rows of the node without a value

  // What was valued.
  std::vector<Test> candidates{};
  std::vector<uint64_t> words{};  // subsets of the nominal tests

  void load_values(int32_t feature);
  // The number in [0, 1) that decides where a row without the tested value goes.
  double chance(int64_t i) const;
  bool heavy_enough(double side) const;
  int64_t words_of(int32_t feature) const { return (table.n_values[feature] + 63) / 64; }
};

}  // namespace unsuprank
