// One tree in the form in which rows are sent down it many times.
//
// Every step down a tree waits for memory. So a node takes 16 bytes, and where codes tell the
// values of a column exactly, nodes compare codes: those of a row lie together.
#pragma once
#include <cstdint>
#include <vector>

#include "forest/trees.hpp"
#include "table/coarse.hpp"
#include "table/columns.hpp"

namespace unsuprank {

class CodedTree {
 public:
  // `row_keys` may be null when no value is missing.
  CodedTree(const Columns& table, const CoarseTable& codes, const uint64_t* row_keys)
      : table_(table), codes_(codes), row_keys_(row_keys) {}

  // From here on, rows are sent down this tree.
  void set(const TreesView& trees, int64_t tree);

  // The feature that a node splits by; -1 for leaves.
  int32_t feature(int32_t node) const { return nodes_[node].feature; }

  // What splits by a feature look at: the code of a row, or its value.
  double reading(int32_t feature, int64_t row) const {
    return is_coded(feature) ? codes_.code(feature, row) : table_.value(row, feature);
  }

  // The child that a row with this reading is sent to.
  int32_t next(int32_t node, double reading, int64_t row) const {
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
  int32_t next_of_any(int32_t node, double value, int64_t row) const;

  const Columns& table_;
  const CoarseTable& codes_;
  const uint64_t* row_keys_;
  std::vector<Node> nodes_;
  TreesView trees_;
  int64_t base_ = 0;
  uint64_t tree_key_ = 0;
};

}  // namespace unsuprank
