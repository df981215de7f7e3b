// A node whose best split is looked for: what is known of it, and what has been found.
#pragma once
#include <cstdint>
#include <vector>

#include "forest/candidate_split.hpp"
#include "forest/clustering_space.hpp"
#include "forest/grow_settings.hpp"
#include "forest/node_rows.hpp"
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
             PairSums& pair_sums);
  void load_values(int32_t feature);
  // The number in [0, 1) that decides where a row without a value of the feature goes.
  double chance(int64_t i) const;
  bool heavy_enough(double side) const;
  int64_t words_of(int32_t feature) const { return (table.n_values[feature] + 63) / 64; }
};

}  // namespace unsuprank
