// The RandomForest score (eq. 2): how much worse out-of-bag rows are predicted when one feature is
// permuted among them, as a target as well as on their ways down the trees.
#pragma once
#include <cstdint>
#include <vector>

#include "forest/clustering_space.hpp"
#include "forest/grow_settings.hpp"
#include "forest/trees.hpp"

namespace unsuprank {

// Relative increases of the error, listed tree by tree for the features that the tree uses.
struct PermutationScores {
  std::vector<int64_t> offset{0};
  std::vector<int32_t> feature;
  std::vector<double> increase;
};

// The permutation of `count` out-of-bag rows that is used for a feature in a tree.
void permutation(uint64_t tree_key, int32_t feature, int64_t count, int32_t* order);

// `scales[f]` is the scale of the coordinates of feature f. Returns false if given up.
template <typename Real>
bool permutation_scores(const ClusteringSpace<Real>& space, const double* scales,
                        const TreesView& trees, Interrupt& interrupt, PermutationScores& scores);

// The same score as the program of the paper's authors computes it, which never puts a permuted
// feature back. It takes the features of a tree in the order in which a walk meets them, the root
// first, and a whole left branch before the right one; the error that a feature is charged with is
// that after permuting it and all features before it.
template <typename Real>
bool cumulative_permutation_scores(const ClusteringSpace<Real>& space, const double* scales,
                                   const TreesView& trees, Interrupt& interrupt,
                                   PermutationScores& scores);

}  // namespace unsuprank
