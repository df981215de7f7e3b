// Keeps every candidate split that was evaluated while trees grew, for tests to compare with an
// oracle.
#pragma once
#include <cstdint>
#include <vector>

#include "forest/candidate_split.hpp"

namespace unsuprank {

// The candidates of tree t are offset[t] .. offset[t+1]-1.
struct CandidateRecorder : CandidateListener {
  std::vector<int64_t> offset{0};
  std::vector<int32_t> node, feature;
  std::vector<double> threshold, gain;
  std::vector<uint64_t> subset;  // the first 64 values of a nominal split

  void node_searched(int32_t id, const std::vector<CandidateSplit>& candidates,
                     const std::vector<uint64_t>& words) override {
    for (const CandidateSplit& split : candidates) {
      node.push_back(id);
      feature.push_back(split.feature);
      threshold.push_back(split.threshold);
      gain.push_back(split.gain);
      subset.push_back(split.subset < 0 ? 0 : words[split.subset]);
    }
  }

  void tree_grown() override { offset.push_back(static_cast<int64_t>(node.size())); }
};

}  // namespace unsuprank
