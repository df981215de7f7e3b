// A candidate split of a node: a feature, and which of its values go right.
#pragma once
#include <cstdint>
#include <vector>

namespace unsuprank {

// Gains this close to the best (relatively) count as equal to it.
constexpr double kTie = 1e-6;

struct CandidateSplit {
  int32_t feature = -1;
  double threshold = 0.0;
  double share = -1.0;  // where in the range of values a threshold lies that is not settled yet
  int64_t subset = -1;  // first of the words of a nominal split within NodeContext::words
  double gain = 0.0;
  double right_share = 0.0;
  int64_t block = -1;  // the block of splits that it was marked in,
  int bit = 0;         // where in it, and
  int place = 0;       // the place of its feature in it
};

// Keeps every candidate split that is evaluated, for tests to compare with an oracle. Those of tree
// t are offset[t] .. offset[t+1]-1.
struct CandidateRecorder {
  std::vector<int64_t> offset{0};
  std::vector<int32_t> node, feature;
  std::vector<double> threshold, gain;
  std::vector<uint64_t> subset;  // the first 64 values of a nominal split

  void add(int32_t id, const CandidateSplit& split, const std::vector<uint64_t>& words) {
    node.push_back(id);
    feature.push_back(split.feature);
    threshold.push_back(split.threshold);
    gain.push_back(split.gain);
    subset.push_back(split.subset < 0 ? 0 : words[split.subset]);
  }
  void end_tree() { offset.push_back(static_cast<int64_t>(node.size())); }
};

}  // namespace unsuprank
