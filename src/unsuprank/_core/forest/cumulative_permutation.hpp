// The RandomForest score as the program of the paper's authors computes it.
//
// That program never puts a permuted feature back. It takes the features of a tree in the order in
// which a walk meets them, the root first, and a whole left branch before the right one; the error
// that a feature is charged with is that after permuting it and all features before it.
#pragma once
#include "forest/clustering_space.hpp"
#include "forest/grow_settings.hpp"
#include "forest/permutation_scores.hpp"
#include "forest/trees.hpp"

namespace unsuprank {

// Like `permutation_scores`, with the same permutation of each feature.
template <typename Real>
bool cumulative_permutation_scores(const ClusteringSpace<Real>& space, const double* scales,
                                   const TreesView& trees, Interrupt& interrupt,
                                   PermutationScores& scores);

}  // namespace unsuprank
