// The RandomForest score (eq. 2): how much worse out-of-bag rows are predicted when one feature is
// permuted among them, as a target as well as in the tests.
#pragma once
#include <cstdint>
#include <vector>

#include "coarse.hpp"
#include "space.hpp"
#include "trees.hpp"

namespace unsuprank {

struct ForestRows {
  const int64_t* row_offset;
  const int32_t* row_begin;
  const int32_t* row_end;
  const int32_t* rows;
  const int32_t* multiplicity;
};

// Relative increases of the error, listed tree by tree for the features that the tree uses.
struct PermutationScores {
  std::vector<int64_t> offset{0};
  std::vector<int32_t> feature;
  std::vector<double> increase;
};

// The permutation of `count` out-of-bag rows that is used for a feature in a tree.
void permutation(uint64_t seed, int64_t tree, int32_t feature, int64_t count, int32_t* order);

// `scales[f]` is the scale of the coordinates of feature f. Returns false if given up.
template <typename Real>
bool permutation_scores(const Columns& table, const CoarseTable& coarse, const Space<Real>& space,
                        const double* scales, const uint64_t* row_keys, const TreesView& trees,
                        const ForestRows& rows, uint64_t seed, int64_t first_tree, int64_t n_trees,
                        Interrupt& interrupt, PermutationScores& scores);

}  // namespace unsuprank
