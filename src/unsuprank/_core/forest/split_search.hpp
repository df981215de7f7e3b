// The search for the best split of a node (Alg. 2).
#pragma once
#include <cstdint>
#include <vector>

#include "forest/exhaustive_splits.hpp"
#include "forest/feature_draw.hpp"
#include "forest/node_context.hpp"
#include "forest/probes.hpp"
#include "forest/random_splits.hpp"

namespace unsuprank {

template <typename Real>
class SplitSearch {
 public:
  SplitSearch(const ClusteringSpace<Real>& space, const GrowSettings& settings,
              Interrupt& interrupt, Probes<Real>* probes);
  SplitSearch(const SplitSearch&) = delete;

  // The next nodes belong to this tree.
  void begin_tree(uint64_t tree_key) { context_.tree_key = tree_key; }

  // The best split of the node, or one without feature if there is none.
  CandidateSplit find(int32_t node_id, const NodeRows<Real>& node, const DistanceView<Real>& view,
                      PairSums& sums, Random& random);

  // Sides of the rows of the last node under a split: 1 where it sends them right.
  const std::vector<uint8_t>& sides(const CandidateSplit& split);

  // All splits of the last node that were evaluated, and the subsets of the nominal ones.
  const std::vector<CandidateSplit>& candidates();
  const std::vector<uint64_t>& words() const { return context_.words; }
  int64_t words_of(int32_t feature) const { return context_.words_of(feature); }

 private:
  CandidateSplit choose(Random& random) const;

  NodeContext<Real> context_;
  FeatureDraw draw_;
  RandomSplits<Real> random_splits_;
  ExhaustiveSplits<Real> exhaustive_splits_;
  Probes<Real>* probes_;  // that value every node as well; null in plain forests
  std::vector<uint8_t> sides_;
};

}  // namespace unsuprank
