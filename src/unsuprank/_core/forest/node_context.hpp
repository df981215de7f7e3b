// A node whose best split is looked for: what is known of it, and what has been found.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "forest/candidate_split.hpp"
#include "forest/clustering_space.hpp"
#include "forest/grow_settings.hpp"
#include "forest/node_rows.hpp"
#include "forest/trees.hpp"
#include "table/column_range.hpp"

namespace unsuprank {

// A value in [low, high), at a share of the way, also where the range overflows.
inline double between(double low, double high, double share) {
  // Halves are added, because the range of very large values overflows.
  const double t = 2.0 * (low * 0.5 * (1.0 - share) + high * 0.5 * share);
  return t >= low && t < high ? t : low;
}

template <typename Real>
struct NodeContext {
  NodeContext(const ClusteringSpace<Real>& space, const GrowSettings& settings,
              Interrupt& interrupt)
      : space(space),
        table(space.table),
        codes(space.codes),
        settings(settings),
        interrupt(interrupt) {}

  // The same for all nodes.
  const ClusteringSpace<Real>& space;
  const Columns& table;
  const CoarseTable& codes;
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
  ColumnRange range{};             // of those
  std::vector<int64_t> missing{};  // rows of the node without a value

  // The splits that were evaluated.
  std::vector<CandidateSplit> candidates{};
  std::vector<uint64_t> words{};  // subsets of the nominal ones

  // The next splits are of this node; what was found in the last one is forgotten.
  void enter(int32_t id, const NodeRows<Real>& rows, const DistanceView<Real>& distances,
             PairSums& pair_sums) {
    node = rows;
    view = distances;
    sums = &pair_sums;
    from_rows = codes.prefers_rows(node.count);
    node_id = id;
    candidates.clear();
    words.clear();
  }

  void load_values(int32_t feature) {
    values.resize(node.count);
    const ColumnView column = table.column(feature);
    ColumnRange found;
    for (int64_t i = 0; i < node.count; ++i) {
      values[i] = column[node.rows[i]];
      found.low = std::min(found.low, values[i]);  // comparisons with missing values are false
      found.high = std::max(found.high, values[i]);
    }
    range = found;
    missing.clear();
    if (!table.may_miss(feature)) return;
    for (int64_t i = 0; i < node.count; ++i) {
      if (is_missing(values[i])) missing.push_back(i);
    }
  }

  // The number in [0, 1) that decides where a row without a value of the feature goes.
  double chance(int64_t i) const {
    return chance_of_row(tree_key, node_id, space.row_keys[node.rows[i]]);
  }

  bool heavy_enough(double side) const {
    return side >= settings.min_leaf && node.weight - side >= settings.min_leaf;
  }

  int64_t words_of(int32_t feature) const { return (table.n_values[feature] + 63) / 64; }
};

}  // namespace unsuprank
