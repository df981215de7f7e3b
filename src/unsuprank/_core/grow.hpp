// Growing predictive clustering trees (Alg. 1 and 2).
#pragma once
#include "coarse.hpp"
#include "space.hpp"
#include "trees.hpp"

namespace unsuprank {

// Grows trees first .. last-1 of the forest and appends them to `trees`. `row_keys` names the rows
// for the draws of missing values; it may be null when there are none. Returns false if given up.
template <typename Real>
bool grow_trees(const Columns& table, const CoarseTable& coarse, const Space<Real>& space,
                const uint64_t* row_keys, const GrowSettings& settings, int64_t first, int64_t last,
                Interrupt& interrupt, Trees& trees);

}  // namespace unsuprank
