// Growing predictive clustering trees (Alg. 1 and 2).
#pragma once
#include <cstdint>

#include "forest/candidate_split.hpp"
#include "forest/clustering_space.hpp"
#include "forest/grow_settings.hpp"
#include "forest/probes.hpp"
#include "forest/trees.hpp"

namespace unsuprank {

// Grows trees first .. last-1 of the forest and appends them to `trees`; probes look at every node
// and change nothing. Returns false if given up.
template <typename Real>
bool grow_trees(const ClusteringSpace<Real>& space, const GrowSettings& settings, int64_t first,
                int64_t last, Interrupt& interrupt, Trees& trees,
                CandidateRecorder* recorder = nullptr, Probes<Real>* probes = nullptr);

}  // namespace unsuprank
