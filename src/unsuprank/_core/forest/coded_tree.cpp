#include "forest/coded_tree.hpp"

#include <cmath>

namespace unsuprank {
namespace {

// The largest code whose value does not exceed a threshold: codes above it go right.
double last_code_left(const CoarseColumn& column, double threshold) {
  double code = std::floor(threshold * column.per_unit - column.low);
  while (column.value(code + 1.0) <= threshold) code += 1.0;
  while (column.value(code) > threshold) code -= 1.0;
  return code;
}

}  // namespace

void CodedTree::set(const TreesView& trees, int64_t tree) {
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

int32_t CodedTree::next_of_any(int32_t node, double value, int64_t row) const {
  const NodeTest test = trees_.test(tree_key_, base_, node);
  return trees_.left[base_ + node] + test.sends_right(value, row_keys_, row);
}

}  // namespace unsuprank
