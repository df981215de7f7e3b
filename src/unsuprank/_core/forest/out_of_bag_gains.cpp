#include "forest/out_of_bag_gains.hpp"

#include "forest/coded_tree.hpp"
#include "forest/node_sums.hpp"
#include "forest/out_of_bag.hpp"

namespace unsuprank {
namespace {

// Squared distances of every row of `out` to every row of `in`, times the multiplicities.
template <typename Real>
double across(const Real* distances, int64_t n, const OutRows& out, const WeightedRows& in) {
  double total = 0.0;
  for (int64_t i = 0; i < out.count; ++i) {
    const Real* from = distances + n * out.rows[i];
    for (int64_t j = 0; j < in.count; ++j) {
      total += in.times[j] * static_cast<double>(from[in.rows[j]]);
    }
  }
  return total;
}

template <typename Real>
class GainFinder {
 public:
  GainFinder(const ClusteringSpace<Real>& space, const double* norms, const double* scales,
             const TreesView& trees)
      : space_(space),
        norms_(norms),
        scales_(scales),
        trees_(trees),
        coded_(space.table, space.codes, space.row_keys),
        outside_(space.table.rows, space.table.cols),
        nodes_(trees),
        complete_(space),
        partial_(space) {}

  void add_tree(int64_t tree, std::vector<double>& gains) {
    coded_.set(trees_, tree);
    outside_.find_leaves(trees_, tree, coded_);
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
    if (scales_) subtract_own(of_tree);
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
        norm_sums_[k] = norm_sum(nodes_.in(k));
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
    return across(space_.distances, space_.table.rows, nodes_.out(out), nodes_.in(in));
  }

  // The sum of z . (M_s - M) over the out-of-bag rows z of one side; `to_other` is the sum of their
  // distances to the in-bag rows of the other side.
  double side_gain(int32_t node, int32_t side, double to_other) const {
    const double weight = nodes_.weight(node), of_side = nodes_.weight(side);
    const double n_out = static_cast<double>(nodes_.out(side).count);
    const double norms = norm_sums_[side] / of_side - norm_sums_[node] / weight;
    return 0.5 * (n_out * norms - pairs_[side] / of_side + (pairs_[side] + to_other) / weight);
  }

  double norm_sum(const WeightedRows& rows) const {
    double total = 0.0;
    for (int64_t i = 0; i < rows.count; ++i) total += rows.times[i] * norms_[rows.rows[i]];
    return total;
  }

  void subtract_own(double* gains) {
    constexpr int32_t kAhead = 6;
    for (int32_t k = 0; k < nodes_.count(); ++k) {
      if (k + kAhead < nodes_.count()) OwnGain::expect(space_.table, nodes_, k + kAhead);
      if (!nodes_.is_leaf(k)) gains[k] -= own_.gain(space_.table, scales_, nodes_, k);
    }
  }

  const ClusteringSpace<Real>& space_;
  const double *norms_, *scales_;
  const TreesView& trees_;
  CodedTree coded_;
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
bool out_of_bag_gains(const ClusteringSpace<Real>& space, const double* norms, const double* scales,
                      const TreesView& trees, Interrupt& interrupt, std::vector<double>& gains) {
  GainFinder<Real> finder(space, norms, scales, trees);
  for (int64_t tree = 0; tree < trees.size; ++tree) {
    if (interrupt.requested()) return false;
    finder.add_tree(tree, gains);
  }
  return true;
}

template bool out_of_bag_gains(const ClusteringSpace<float>&, const double*, const double*,
                               const TreesView&, Interrupt&, std::vector<double>&);
template bool out_of_bag_gains(const ClusteringSpace<double>&, const double*, const double*,
                               const TreesView&, Interrupt&, std::vector<double>&);

}  // namespace unsuprank
