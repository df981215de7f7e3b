// The search for the best test of a node (Alg. 2).
#pragma once
#include <cstdint>
#include <vector>

#include "all_tests.hpp"
#include "feature_draw.hpp"
#include "node_context.hpp"
#include "random_tests.hpp"

namespace unsuprank {

template <typename Real>
class NodeSearch {
 public:
  NodeSearch(const Columns& table, const CoarseTable& coarse, const Space<Real>& space,
             const uint64_t* row_keys, const GrowSettings& settings, Interrupt& interrupt);
  NodeSearch(const NodeSearch&) = delete;

  // The best test of the node, or one without feature if there is none.
  Test find(const NodeRows<Real>& node, const DistanceView<Real>& view, PairSums& sums,
            int32_t node_id, uint64_t tree_key, Random& random);

  // Sides of the rows of the last node under a test: 1 where it sends them right.
  const std::vector<uint8_t>& sides(const Test& test);

  // Of the last node: all tests that were valued, and the subsets of the nominal ones.
  const std::vector<Test>& candidates() const { return context_.candidates; }
  const std::vector<uint64_t>& words() const { return context_.words; }
  int64_t words_of(int32_t feature) const { return context_.words_of(feature); }

 private:
  Test choose(Random& random) const;

  NodeContext<Real> context_;
  FeatureDraw draw_;
  RandomTests<Real> random_tests_;
  AllTests<Real> all_tests_;
  std::vector<uint8_t> sides_;
};

}  // namespace unsuprank
