// Sending rows down grown trees.
#pragma once
#include <cstdint>

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

}  // namespace unsuprank
