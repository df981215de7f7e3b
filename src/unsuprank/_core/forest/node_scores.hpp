// Scores that are sums over the nodes of a tree that split by a feature.
#pragma once
#include <cstdint>
#include <vector>

namespace unsuprank {

// One entry per tree and feature that it splits by, by tree and then by feature.
struct NodeScores {
  std::vector<int64_t> tree;
  std::vector<int32_t> feature;
  std::vector<double> value;
};

// Nodes of tree t are node_offset[t] .. node_offset[t + 1] - 1; leaves have a negative feature.
// Values of the same feature are added in the order of the nodes.
NodeScores node_scores(const int64_t* node_offset, int64_t n_trees, const int32_t* feature,
                       const double* value);

}  // namespace unsuprank
