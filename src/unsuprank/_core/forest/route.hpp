// Sending rows down grown trees.
#pragma once
#include <cstdint>

#include "forest/trees.hpp"
#include "table/columns.hpp"

namespace unsuprank {

// A word per row that depends on its values only: it names the row for the draws that replace
// missing values, wherever the row stands.
void row_keys(const Columns& table, uint64_t* keys);

// The child that a value is sent to; `base` is where the nodes of the tree begin.
inline int32_t next_node(const TreesView& trees, int64_t base, int32_t node, double value,
                         uint64_t tree_key, uint64_t row_key) {
  const int64_t at = base + node;
  bool right;
  if (is_missing(value)) {
    right = goes_right_by_chance(tree_key, node, row_key, trees.right_share[at]);
  } else if (trees.subset[at] >= 0) {
    right = in_subset(trees.subset_words + trees.subset[at], static_cast<int64_t>(value));
  } else {
    right = value > trees.threshold[at];
  }
  return trees.left[at] + right;
}

// Leaf of every row in every tree, row-major rows x trees, node numbers within the tree. `keys` may
// be null when no value is missing.
void apply_trees(const Columns& table, const uint64_t* keys, const TreesView& trees,
                 int32_t* leaves);

}  // namespace unsuprank
