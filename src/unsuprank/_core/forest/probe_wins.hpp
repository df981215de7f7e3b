// The splits by which probes may win the nodes of one tree, and their out-of-bag gains.
//
// While a tree grows, nobody knows yet which rows from outside will come to a node. So the splits
// are kept, and valued when the tree is finished.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forest/candidate_split.hpp"
#include "forest/node_sums.hpp"
#include "forest/out_of_bag.hpp"
#include "forest/split_gain.hpp"

namespace unsuprank {

template <typename Real>
class ProbeWins {
 public:
  ProbeWins(const ClusteringSpace<Real>& space, const RowMeasures& measures)
      : space_(space), outside_(space), nodes_(trees_), gains_(space, measures) {}

  ProbeWins(const ProbeWins&) = delete;

  void begin_tree() {
    wins_.clear();
    words_.clear();
  }

  // A split of a node that wins with this chance; `words` are those of its subset, if it has one.
  void add(int32_t node, size_t probe, double chance, const CandidateSplit& split,
           const uint64_t* words, int64_t n_words) {
    const int64_t subset = words ? static_cast<int64_t>(words_.size()) : -1;
    if (words) words_.insert(words_.end(), words, words + n_words);
    wins_.push_back(
        {node, static_cast<int32_t>(probe), subset, chance, split.threshold, split.right_share});
  }

  // Adds the out-of-bag gains of the splits, times their chances, to the credits of their probes.
  void end_tree(const TreesView& trees, int64_t tree, const std::vector<int32_t>& columns,
                double* credits) {
    trees_ = trees;
    tree_key_ = trees.key(tree);
    outside_.find_leaves(trees_, tree);
    nodes_.set(tree, outside_);
    const double n_out = static_cast<double>(nodes_.out(0).count);
    for (const Win& win : wins_) {
      if (nodes_.out(win.node).count == 0) continue;
      const int32_t feature = columns[win.probe];
      const double gain = gains_.gain(feature, parted(win, feature));
      credits[win.probe] += win.chance * gain * nodes_.weight(0) / n_out;
    }
  }

 private:
  struct Win {
    int32_t node, probe;
    int64_t subset;
    double chance, threshold, right_share;
  };
  // Rows of a node that a split has sent to one side.
  struct Side {
    std::vector<int32_t> in, times, out;

    void clear() {
      in.clear();
      times.clear();
      out.clear();
    }
  };

  SplitRows parted(const Win& win, int32_t feature) {
    const ColumnView column = space_.table.column(feature);
    const uint64_t* words = win.subset < 0 ? nullptr : words_.data() + win.subset;
    const NodeTest test{tree_key_, win.node, win.threshold, words, win.right_share};
    const auto side_of = [&](int32_t row) -> Side& {
      return sides_[test.sends_right(column[row], space_.row_keys, row)];
    };
    for (Side& side : sides_) side.clear();
    const WeightedRows in = nodes_.in(win.node);
    for (int64_t i = 0; i < in.count; ++i) {
      Side& side = side_of(in.rows[i]);
      side.in.push_back(in.rows[i]);
      side.times.push_back(in.times[i]);
    }
    const OutRows out = nodes_.out(win.node);
    for (int64_t i = 0; i < out.count; ++i) side_of(out.rows[i]).out.push_back(out.rows[i]);
    SplitRows rows;
    for (int s = 0; s < 2; ++s) {
      const Side& side = sides_[s];
      rows.in[s] = {side.in.data(), side.times.data(), static_cast<int64_t>(side.in.size())};
      rows.out[s] = {side.out.data(), static_cast<int64_t>(side.out.size())};
    }
    return rows;
  }

  const ClusteringSpace<Real>& space_;
  TreesView trees_;
  uint64_t tree_key_ = 0;
  OutOfBag outside_;
  NodeSets nodes_;
  SplitGain<Real> gains_;
  std::vector<Win> wins_;
  std::vector<uint64_t> words_;
  Side sides_[2];
};

}  // namespace unsuprank
