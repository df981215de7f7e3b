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
  ProbeWins(const ClusteringSpace<Real>& space, const RowMeasures& measures);
  ProbeWins(const ProbeWins&) = delete;

  void begin_tree();
  // A split of a node that wins with this chance; `words` are those of its subset, if it has one.
  void add(int32_t node, size_t probe, double chance, const CandidateSplit& split,
           const uint64_t* words, int64_t n_words);
  // Adds the out-of-bag gains of the splits, times their chances, to the credits of their probes.
  void end_tree(const TreesView& trees, int64_t tree, const std::vector<int32_t>& columns,
                double* credits);

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

  SplitRows parted(const Win& win, int32_t feature);

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
