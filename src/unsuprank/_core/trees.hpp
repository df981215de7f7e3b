// Grown trees as flat arrays, and the settings they are grown with.
#pragma once
#include <cstdint>
#include <vector>

#include "columns.hpp"
#include "random.hpp"

namespace unsuprank {

// The nodes of tree t are node_offset[t] .. node_offset[t+1]-1; the root comes first, and the two
// children of a node stand beside each other. `rows` lists the training rows of a tree such that
// those of node k are row_begin[k] .. row_end[k]-1 (from row_offset[t]), with their multiplicities.
struct Trees {
  std::vector<int64_t> node_offset{0}, row_offset{0};
  std::vector<int32_t> feature;   // -1 for leaves
  std::vector<int32_t> left;      // first child (test false), from node_offset; the other is next
  std::vector<double> threshold;  // numeric test: value > threshold
  std::vector<int64_t> subset;    // nominal test: value in this set (first word), else -1
  std::vector<uint64_t> subset_words;
  std::vector<double> gain;         // h of the test
  std::vector<double> weight;       // of the training rows in the node
  std::vector<double> right_share;  // of the rows whose value is known; where others go by chance
  std::vector<int32_t> row_begin, row_end;
  std::vector<int32_t> rows, multiplicity;

  // Every candidate test that was valued, when asked for: node (from node_offset), test, gain.
  std::vector<int64_t> candidate_offset{0};
  std::vector<int32_t> candidate_node, candidate_feature;
  std::vector<double> candidate_threshold, candidate_gain;
  std::vector<uint64_t> candidate_words;  // the first 64 values of a nominal test
};

// A view of the nodes, as routing needs them; points into arrays that somebody else owns.
struct TreesView {
  const int64_t* node_offset;
  const int32_t* feature;
  const int32_t* left;
  const double* threshold;
  const int64_t* subset;
  const uint64_t* subset_words;
  const double* right_share;
};

inline bool in_subset(const uint64_t* words, int64_t value) {
  return words[value >> 6] >> (value & 63) & 1;
}

// Whether a row without the tested value goes right: by a chance that is fixed by the tree, the
// node and the row itself, so that the row takes the same way whenever it is asked for.
inline bool goes_right_by_chance(uint64_t tree_key, int32_t node, uint64_t row_key, double share) {
  return to_unit(stream_key(tree_key ^ row_key, node)) < share;
}

struct GrowSettings {
  uint64_t seed = 0;
  int64_t max_features = 1;
  int32_t max_depth = 0;  // 0: no limit
  double min_leaf = 1.0;
  bool bootstrap = true;
  bool exhaustive = false;  // all tests of a candidate, or one at random
  bool first_of_ties = false;
  bool record = false;
  int64_t pair_rows = 0;  // nodes of at most this many rows are split by their distances
};

// Keys of the random streams of tree t.
inline uint64_t tree_key(uint64_t seed, int64_t tree) { return stream_key(seed, tree); }

// Told now and then how things are; returns true to give up.
class Interrupt {
 public:
  virtual ~Interrupt() = default;
  virtual bool requested() = 0;
};

}  // namespace unsuprank
