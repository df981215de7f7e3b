// What is asked of grown trees: where rows end in them, and sums over the nodes of a feature.
#pragma once
#include <cstdint>
#include <vector>

#include "forest/trees.hpp"
#include "table/columns.hpp"

namespace unsuprank {

// A word per row that depends on its values only: it names the row for the draws that replace
// missing values, wherever the row stands.
void row_keys(const Columns& table, uint64_t* keys);

// Leaf of every row in every tree, row-major rows x trees, node numbers within the tree. `keys` may
// be null when no value is missing.
void apply_trees(const Columns& table, const uint64_t* keys, const TreesView& trees,
                 int32_t* leaves);

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
