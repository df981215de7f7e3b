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
template <template <typename> class Array>
struct TreeArrays {
  Array<int64_t> node_offset, row_offset;
  Array<int32_t> feature;   // -1 for leaves
  Array<int32_t> left;      // the left child, from node_offset; the right one is next
  Array<double> threshold;  // numeric split: values above go right
  Array<int64_t> subset;    // nominal split: values in this set (first word) go right; or -1
  Array<uint64_t> subset_words;
  Array<double> gain;         // h of the split
  Array<double> weight;       // of the training rows in the node
  Array<double> right_share;  // of the rows whose value is known; where others go by chance
  Array<int32_t> row_begin, row_end;
  Array<int32_t> rows, multiplicity;

  // Calls `visit` with the name of every array, the array, and that of other trees.
  template <typename Others, typename Visit>
  void each(Others& others, Visit visit) {
    visit("node_offset", node_offset, others.node_offset);
    visit("row_offset", row_offset, others.row_offset);
    visit("feature", feature, others.feature);
    visit("left", left, others.left);
    visit("threshold", threshold, others.threshold);
    visit("subset", subset, others.subset);
    visit("subset_words", subset_words, others.subset_words);
    visit("gain", gain, others.gain);
    visit("weight", weight, others.weight);
    visit("right_share", right_share, others.right_share);
    visit("row_begin", row_begin, others.row_begin);
    visit("row_end", row_end, others.row_end);
    visit("rows", rows, others.rows);
    visit("multiplicity", multiplicity, others.multiplicity);
  }
};

template <typename T>
using OwnArray = std::vector<T>;
template <typename T>
using HeldArray = const T*;

struct Trees : TreeArrays<OwnArray> {
  Trees() { node_offset = row_offset = {0}; }
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
struct TreesView : TreeArrays<HeldArray> {
  int64_t size = 0;
  uint64_t seed = 0;
  int64_t first_tree = 0;

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
  TreesView view;
  view.size = static_cast<int64_t>(trees.node_offset.size()) - 1;
  view.seed = seed;
  view.first_tree = first_tree;
  view.each(trees, [](const char*, auto& array, const auto& from) { array = from.data(); });
  return view;
}

}  // namespace unsuprank
