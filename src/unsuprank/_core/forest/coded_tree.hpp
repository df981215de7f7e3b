// One tree in the form in which rows are sent down it many times.
//
// Every step down a tree waits for memory. So a node takes 16 bytes, and where codes tell the
// values of a column exactly, nodes compare codes: those of a row lie together.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "forest/trees.hpp"
#include "table/coarse.hpp"
#include "table/columns.hpp"

namespace unsuprank {

// The largest code whose value does not exceed a threshold: codes above it go right.
inline double last_code_left(const CoarseColumn& column, double threshold) {
  double code = std::floor(threshold * column.per_unit - column.low);
  while (column.value(code + 1.0) <= threshold) code += 1.0;
  while (column.value(code) > threshold) code -= 1.0;
  return code;
}

class CodedTree {
 public:
  // `row_keys` may be null when no value is missing.
  CodedTree(const Columns& table, const CoarseTable& codes, const uint64_t* row_keys)
      : table_(table), codes_(codes), row_keys_(row_keys) {}

  // From here on, rows are sent down this tree.
  void set(const TreesView& trees, int64_t tree) {
    trees_ = trees;
    base_ = trees.node_offset[tree];
    tree_key_ = trees.key(tree);
    nodes_.resize(trees.n_nodes(tree));
    for (size_t k = 0; k < nodes_.size(); ++k) {
      const int64_t at = base_ + static_cast<int64_t>(k);
      const int32_t feature = trees.feature[at];
      nodes_[k] = {feature, trees.left[at], trees.threshold[at]};
      if (feature < 0) continue;
      if (trees.subset[at] >= 0 || table_.may_miss(feature)) nodes_[k].left = -1;
      if (is_coded(feature)) {
        nodes_[k].threshold = last_code_left(codes_.info[feature], trees.threshold[at]);
      }
    }
  }

  // The feature that a node splits by; -1 for leaves.
  int32_t feature(int32_t node) const { return nodes_[node].feature; }

  // What splits by a feature look at: the code of a row, or its value.
  double reading(int32_t feature, int64_t row) const {
    return is_coded(feature) ? codes_.code(feature, row) : table_.value(row, feature);
  }

  // The child that a row with this reading is sent to.
  UNSUPRANK_INLINE int32_t next(int32_t node, double reading, int64_t row) const {
    const Node& n = nodes_[node];
    return n.left < 0 ? next_of_any(node, reading, row) : n.left + (reading > n.threshold);
  }

 private:
  struct Node {
    int32_t feature;
    int32_t left;  // first child; -1 if there is more to the split than a threshold
    double threshold;
  };

  bool is_coded(int32_t feature) const {
    return codes_.info[feature].decimal && !table_.nominal(feature);
  }

  int32_t next_of_any(int32_t node, double value, int64_t row) const {
    const NodeTest test = trees_.test(tree_key_, base_, node);
    return trees_.left[base_ + node] + test.sends_right(value, row_keys_, row);
  }

  const Columns& table_;
  const CoarseTable& codes_;
  const uint64_t* row_keys_;
  std::vector<Node> nodes_;
  TreesView trees_;
  int64_t base_ = 0;
  uint64_t tree_key_ = 0;
};

}  // namespace unsuprank
