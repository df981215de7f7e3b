// The in-bag and out-of-bag rows of the nodes of one tree, and gains from sums over them.
#pragma once
#include <cstdint>
#include <vector>

#include "forest/clustering_space.hpp"
#include "forest/out_of_bag.hpp"
#include "forest/trees.hpp"

namespace unsuprank {

struct OutRows {
  const int32_t* rows;
  int64_t count;
};

// Both kinds of rows on the two sides of a split.
struct SplitRows {
  WeightedRows in[2];
  OutRows out[2];
};

// Both kinds of rows of every node of a tree, each in one run.
class NodeSets {
 public:
  explicit NodeSets(const TreesView& trees) : trees_(trees) {}

  void set(int64_t tree, const OutOfBag& outside);

  int32_t count() const { return static_cast<int32_t>(trees_.n_nodes(tree_)); }
  bool is_leaf(int32_t node) const { return feature(node) < 0; }
  int32_t feature(int32_t node) const { return trees_.feature[base_ + node]; }
  int32_t left(int32_t node) const { return trees_.left[base_ + node]; }
  double weight(int32_t node) const { return weights_[node]; }
  WeightedRows in(int32_t node) const { return trees_.node_rows(tree_, node); }
  OutRows out(int32_t node) const {
    return {rows_.data() + begins_[node], ends_[node] - begins_[node]};
  }
  SplitRows sides(int32_t node) const {
    const int32_t l = left(node);
    return {{in(l), in(l + 1)}, {out(l), out(l + 1)}};
  }

  // Adds to `gains` what the splits explain by sums over rows: a Sums has `place(n)`, which makes
  // room for n sums, `gather`, which sums a leaf, and `gain`, which also merges the sums of two
  // sides with these weights into the first. Larger children come first, so that a few sums are
  // kept at a time.
  template <typename Sums>
  void add_gains(Sums& sums, double* gains);

 private:
  const TreesView& trees_;
  int64_t tree_ = 0, base_ = 0;
  std::vector<int32_t> rows_;
  std::vector<int64_t> begins_, ends_;
  std::vector<double> weights_;
  std::vector<int32_t> pending_;
};

// What a split explains of the very feature that it splits by.
class OwnGain {
 public:
  double gain(const Columns& table, const double* scales, int32_t feature, const SplitRows& rows);
  // Asks for the values of a small node ahead of time: each of them is a wait for memory.
  static void expect(const Columns& table, const NodeSets& nodes, int32_t node);

 private:
  const std::vector<double>& centre(const Columns& table, int32_t feature);
  double numeric(const ColumnView& x, double centre, const SplitRows& rows) const;
  double nominal(const ColumnView& x, const std::vector<double>& centre, const SplitRows& rows);
  static double tally(const ColumnView& x, const WeightedRows& rows, double* counts);

  std::vector<std::vector<double>> centres_;  // of each feature, over all rows
  std::vector<double> counts_;
};

template <typename Sums>
void NodeSets::add_gains(Sums& sums, double* gains) {
  // A node is entered once, and left (its number inverted) when its children are summed.
  pending_.assign(1, 0);
  size_t filled = 0;
  while (!pending_.empty()) {
    const int32_t top = pending_.back();
    pending_.pop_back();
    const int32_t node = top < 0 ? ~top : top;
    const int32_t l = left(node);
    const bool left_first = !is_leaf(node) && in(l).count >= in(l + 1).count;
    if (top < 0) {
      filled -= 1;
      gains[node] +=
          sums.gain(filled - 1, weight(left_first ? l : l + 1), weight(left_first ? l + 1 : l));
    } else if (is_leaf(node)) {
      sums.place(++filled);
      sums.gather(in(node), out(node), filled - 1);
    } else {
      pending_.push_back(~node);
      pending_.push_back(left_first ? l + 1 : l);
      pending_.push_back(left_first ? l : l + 1);
    }
  }
}

}  // namespace unsuprank
