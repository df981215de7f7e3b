// Grown trees as flat arrays.
#pragma once
#include <cstdint>
#include <numeric>
#include <vector>

#include "forest/random.hpp"
#include "table/columns.hpp"

namespace unsuprank {

// Names the random streams of a tree of the forest.
inline uint64_t tree_key(uint64_t seed, int64_t tree) { return stream_key(seed, tree); }

// The nodes of tree t are node_offset[t] .. node_offset[t+1]-1; the root comes first, and the two
// children of a node stand beside each other. `rows` lists the training rows of a tree such that
// those of node k are row_begin[k] .. row_end[k]-1 (from row_offset[t]), with their multiplicities.
struct Trees {
  std::vector<int64_t> node_offset{0}, row_offset{0};
  std::vector<int32_t> feature;   // -1 for leaves
  std::vector<int32_t> left;      // the left child, from node_offset; the right one is next
  std::vector<double> threshold;  // numeric split: values above go right
  std::vector<int64_t> subset;    // nominal split: values in this set (first word) go right; or -1
  std::vector<uint64_t> subset_words;
  std::vector<double> gain;         // h of the split
  std::vector<double> weight;       // of the training rows in the node
  std::vector<double> right_share;  // of the rows whose value is known; where others go by chance
  std::vector<int32_t> row_begin, row_end;
  std::vector<int32_t> rows, multiplicity;
};

// The training rows of one node with their multiplicities.
struct WeightedRows {
  const int32_t* rows;
  const int32_t* times;
  int64_t count;

  double weight() const { return std::accumulate(times, times + count, 0.0); }
};

inline bool in_subset(const uint64_t* words, int64_t value) {
  return words[value >> 6] >> (value & 63) & 1;
}

// The number in [0, 1) that decides where a row goes without the value that a node asks for. It is
// fixed by the tree, the node and the row itself, so that the row takes the same way whenever it is
// asked for.
inline double chance_of_row(uint64_t tree_key, int32_t node, uint64_t row_key) {
  return to_unit(stream_key(tree_key ^ row_key, node));
}

// The test of a node: whether a value is in a set, or above a threshold where there is no set.
struct NodeTest {
  uint64_t tree_key;
  int32_t node;
  double threshold;
  const uint64_t* words;
  double right_share;

  // `row_keys` may be null when no value is missing.
  bool sends_right(double value, const uint64_t* row_keys, int64_t row) const {
    if (is_missing(value)) return chance_of_row(tree_key, node, row_keys[row]) < right_share;
    return words ? in_subset(words, static_cast<int64_t>(value)) : value > threshold;
  }
};

// Some consecutive trees of a forest; points into arrays that somebody else owns. Trees are
// numbered from 0 here, and from `first_tree` in the forest.
struct TreesView {
  int64_t size;
  uint64_t seed;
  int64_t first_tree;
  const int64_t* node_offset;
  const int64_t* row_offset;
  const int32_t* feature;
  const int32_t* left;
  const double* threshold;
  const int64_t* subset;
  const uint64_t* subset_words;
  const double* right_share;
  const int32_t* row_begin;
  const int32_t* row_end;
  const int32_t* rows;
  const int32_t* multiplicity;

  uint64_t key(int64_t tree) const { return tree_key(seed, first_tree + tree); }
  int64_t n_nodes(int64_t tree) const { return node_offset[tree + 1] - node_offset[tree]; }
  // `base` is where the nodes of the tree begin.
  NodeTest test(uint64_t tree_key, int64_t base, int32_t node) const {
    const int64_t k = base + node;
    const uint64_t* words = subset[k] < 0 ? nullptr : subset_words + subset[k];
    return {tree_key, node, threshold[k], words, right_share[k]};
  }
  WeightedRows node_rows(int64_t tree, int32_t node) const {
    const int64_t k = node_offset[tree] + node, start = row_offset[tree] + row_begin[k];
    return {rows + start, multiplicity + start, row_end[k] - row_begin[k]};
  }
};

// A view of trees, the first of which is `first_tree` of the forest; valid until more are appended.
inline TreesView view_of(const Trees& trees, uint64_t seed, int64_t first_tree) {
  return {static_cast<int64_t>(trees.node_offset.size()) - 1,
          seed,
          first_tree,
          trees.node_offset.data(),
          trees.row_offset.data(),
          trees.feature.data(),
          trees.left.data(),
          trees.threshold.data(),
          trees.subset.data(),
          trees.subset_words.data(),
          trees.right_share.data(),
          trees.row_begin.data(),
          trees.row_end.data(),
          trees.rows.data(),
          trees.multiplicity.data()};
}

}  // namespace unsuprank
