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

// Is told of the candidate splits of every node; null in all fits.
class CandidateListener {
 public:
  virtual ~CandidateListener() = default;
  // `words` are the subsets of the nominal splits.
  virtual void node_searched(int32_t node, const std::vector<CandidateSplit>& candidates,
                             const std::vector<uint64_t>& words) = 0;
  virtual void tree_grown() = 0;
};

}  // namespace unsuprank
