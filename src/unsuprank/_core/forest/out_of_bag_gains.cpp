#include "forest/out_of_bag_gains.hpp"

#include "forest/node_sums.hpp"
#include "forest/out_of_bag.hpp"
#include "forest/split_gain.hpp"

namespace unsuprank {
namespace {

template <typename Real>
class GainFinder {
 public:
  GainFinder(const ClusteringSpace<Real>& space, const RowMeasures& measures,
             const TreesView& trees)
      : space_(space),
        measures_(measures),
        trees_(trees),
        outside_(space),
        nodes_(trees),
        complete_(space),
        partial_(space) {}

  void add_tree(int64_t tree, std::vector<double>& gains) {
    outside_.find_leaves(trees_, tree);
    nodes_.set(tree, outside_);
    const size_t first = gains.size();
    gains.resize(first + nodes_.count(), 0.0);
    if (nodes_.out(0).count == 0) return;
    double* of_tree = gains.data() + first;
    if (space_.distances) {
      add_pairs(of_tree);
    } else if (space_.width) {
      nodes_.add_gains(complete_, of_tree);
    }
    if (space_.partial_width) nodes_.add_gains(partial_, of_tree);
    if (measures_.scales) subtract_own(of_tree);
    const double unit = nodes_.weight(0) / static_cast<double>(nodes_.out(0).count);
    for (int32_t k = 0; k < nodes_.count(); ++k) of_tree[k] *= unit;
  }

 private:
  // From the leaves up: children come after their parents.
  void add_pairs(double* gains) {
    pairs_.resize(nodes_.count());
    norm_sums_.resize(nodes_.count());
    for (int32_t k = nodes_.count() - 1; k >= 0; --k) {
      if (nodes_.is_leaf(k)) {
        pairs_[k] = distances(k, k);
        norm_sums_[k] = norm_sum(measures_.norms, nodes_.in(k));
        continue;
      }
      const int32_t left = nodes_.left(k), right = left + 1;
      const double to_right = distances(left, right), to_left = distances(right, left);
      norm_sums_[k] = norm_sums_[left] + norm_sums_[right];
      gains[k] += side_gain(k, left, to_right) + side_gain(k, right, to_left);
      pairs_[k] = pairs_[left] + pairs_[right] + to_right + to_left;
    }
  }

  // Of the out-of-bag rows of one node to the in-bag rows of another.
  double distances(int32_t out, int32_t in) const {
    return distances_across(space_, nodes_.out(out), nodes_.in(in));
  }

  // `to_other`: distances of the out-of-bag rows of a side to the in-bag rows of the other.
  double side_gain(int32_t node, int32_t side, double to_other) const {
    const PairSide of{static_cast<double>(nodes_.out(side).count), nodes_.weight(side),
                      norm_sums_[side], pairs_[side], to_other};
    return of.gain(nodes_.weight(node), norm_sums_[node]);
  }

  void subtract_own(double* gains) {
    constexpr int32_t kAhead = 6;
    for (int32_t k = 0; k < nodes_.count(); ++k) {
      if (k + kAhead < nodes_.count()) OwnGain::expect(space_.table, nodes_, k + kAhead);
      if (nodes_.is_leaf(k)) continue;
      gains[k] -= own_.gain(space_.table, measures_.scales, nodes_.feature(k), nodes_.sides(k));
    }
  }

  const ClusteringSpace<Real>& space_;
  const RowMeasures measures_;
  const TreesView& trees_;
  OutOfBag outside_;
  NodeSets nodes_;
  CompleteSums<Real> complete_;
  PartialSums<Real> partial_;
  OwnGain own_;
  std::vector<double> pairs_;      // distances of out-of-bag to in-bag rows, summed over each node
  std::vector<double> norm_sums_;  // of the in-bag rows of each node
};

}  // namespace

template <typename Real>
bool out_of_bag_gains(const ClusteringSpace<Real>& space, const RowMeasures& measures,
                      const TreesView& trees, Interrupt& interrupt, std::vector<double>& gains) {
  GainFinder<Real> finder(space, measures, trees);
  for (int64_t tree = 0; tree < trees.size; ++tree) {
    if (interrupt.requested()) return false;
    finder.add_tree(tree, gains);
  }
  return true;
}

template bool out_of_bag_gains(const ClusteringSpace<float>&, const RowMeasures&, const TreesView&,
                               Interrupt&, std::vector<double>&);
template bool out_of_bag_gains(const ClusteringSpace<double>&, const RowMeasures&, const TreesView&,
                               Interrupt&, std::vector<double>&);

}  // namespace unsuprank
