#include "forest/permutation_scores.hpp"

#include <algorithm>
#include <numeric>

#include "forest/leaf_error.hpp"
#include "forest/out_of_bag.hpp"
#include "simd/targets.hpp"

namespace unsuprank {

void permutation(uint64_t tree_key, int32_t feature, int64_t count, int32_t* order) {
  Random random(stream_key(tree_key, static_cast<uint64_t>(feature) + 1));
  std::iota(order, order + count, 0);
  for (int64_t i = count - 1; i > 0; --i) {
    std::swap(order[i], order[random.below(static_cast<uint32_t>(i + 1))]);
  }
}

namespace {

// Sum of c (y - y'), y' permuted; in several sums, as each waits for the one before it.
double permuted_change(const double* c, const double* y, const int32_t* order, size_t count) {
  constexpr size_t kSums = 8;
  double sums[kSums] = {};
  size_t p = 0;
  for (; p + kSums <= count; p += kSums) {
    for (size_t l = 0; l < kSums; ++l) sums[l] += c[p + l] * (y[p + l] - y[order[p + l]]);
  }
  for (; p < count; ++p) sums[0] += c[p] * (y[p] - y[order[p]]);
  return std::accumulate(sums, sums + kSums, 0.0);
}

template <typename Real>
class TreeScorer {
 public:
  TreeScorer(const ClusteringSpace<Real>& space, const double* scales, const TreesView& trees)
      : table_(space.table),
        codes_(space.codes),
        scales_(scales),
        trees_(trees),
        outside_(space),
        errors_(space) {}

  void score(int64_t tree, PermutationScores& scores) {
    current_ = tree;
    const int64_t n_nodes = trees_.n_nodes(tree);
    errors_.reset(n_nodes);
    own_.reset(n_nodes);
    centre_round_.assign(n_nodes, -1);
    leaf_centres_.resize(n_nodes);
    outside_.route(trees_, tree);
    find_errors();
    if (total_ > kNoError * static_cast<double>(out_of_bag_.size())) {
      size_t visit = 0;
      for (int32_t feature : used_features(tree)) {
        const size_t first = visit;
        while (visit < visits_.size() && visits_[visit].feature == feature) ++visit;
        scores.feature.push_back(feature);
        scores.increase.push_back(increase(feature, first, visit) / total_);
      }
    }
    scores.offset.push_back(static_cast<int64_t>(scores.feature.size()));
  }

 private:
  // A row on its way down with another reading of one feature.
  struct Detour {
    int32_t position;
    int32_t node;
    int32_t row;
    double reading;
  };

  // Mean errors up to this (1 is that of predicting means) are rounding: there is nothing to lose.
  static constexpr double kNoError = 1e-12;
  static constexpr size_t kAhead = 3;  // errors that are asked for ahead of time

  std::vector<int32_t> used_features(int64_t tree) const {
    std::vector<int32_t> used;
    for (int64_t k = trees_.node_offset[tree]; k < trees_.node_offset[tree + 1]; ++k) {
      if (trees_.feature[k] >= 0) used.push_back(trees_.feature[k]);
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    return used;
  }

  WeightedRows leaf_rows(int32_t leaf) const { return trees_.node_rows(current_, leaf); }

  // The errors of the out-of-bag rows as they are.
  void find_errors() {
    row_errors_.resize(out_of_bag_.size());
    first_rows_.resize(out_of_bag_.size());
    in_large_leaves_.clear();
    total_ = 0.0;
    for (size_t p = 0; p < out_of_bag_.size(); ++p) {
      const WeightedRows rows = leaf_rows(leaves_[p]);
      first_rows_[p] = rows.rows[0];
      if (rows.count > 1) in_large_leaves_.push_back(static_cast<int32_t>(p));
      row_errors_[p] = errors_.error(out_of_bag_[p], leaves_[p], rows);
      total_ += row_errors_[p];
    }
  }

  // Sum over the rows of the change of their errors when a feature is permuted among them.
  double increase(int32_t feature, size_t first, size_t last) {
    const int64_t count = static_cast<int64_t>(out_of_bag_.size());
    order_.resize(count);
    permutation(trees_.key(current_), feature, count, order_.data());
    const bool plain = !table_.nominal(feature) && !table_.may_miss(feature);
    return plain ? numeric_increase(feature, first, last) : general_increase(feature, first, last);
  }

  double general_increase(int32_t feature, size_t first, size_t last) {
    own_.select(table_, feature, scales_[feature]);
    const ColumnView x = table_.column(feature);
    double sum = 0.0;
    size_t visit = first;
    for (int32_t p = 0; p < static_cast<int32_t>(out_of_bag_.size()); ++p) {
      const int32_t row = out_of_bag_[p];
      const double value = x[out_of_bag_[order_[p]]];
      int32_t leaf = leaves_[p];
      double error = row_errors_[p];
      if (visit < last && visits_[visit].position == p) {
        Detour detour{p, visits_[visit].node, row, value};
        while (step(detour, feature)) continue;
        leaf = detour.node;
        if (leaf != leaves_[p]) error = errors_.error(row, leaf, leaf_rows(leaf));
        while (visit < last && visits_[visit].position == p) ++visit;
      }
      const WeightedRows rows = leaf_rows(leaf);
      const double own_change = own_.error(value, leaf, rows) - own_.error(x[row], leaf, rows);
      sum += error - row_errors_[p] + own_change;
    }
    return sum;
  }

  double numeric_increase(int32_t feature, size_t first, size_t last) {
    const CoarseColumn& info = codes_.info[feature];
    if (info.decimal) {
      const uint16_t* codes = codes_.line(feature, false).start;
      return numeric_increase(feature, first, last, codes, scales_[feature] / info.per_unit);
    }
    const ColumnView column = table_.column(feature);
    if (!column.all()) return numeric_increase(feature, first, last, column, scales_[feature]);
    return numeric_increase(feature, first, last, column.all(), scales_[feature]);
  }

  // With y the feature's coordinate, c that of the leaf's centre and y' the permuted one, the
  // change of the feature's own error is y'^2 - y^2 - 2 c (y' - y). The squares cancel over all
  // rows, so that rows which stay in their leaves cost one product each. The column holds what
  // the tree reads; coordinates are `unit` times that, from the first row on.
  template <typename Column>
  double numeric_increase(int32_t feature, size_t first, size_t last, Column column, double unit) {
    unit_ = unit;
    origin_ = column[out_of_bag_[0]] * unit;
    look_up(column);
    double own = permuted_change(centres_.data(), coords_.data(), order_.data(), coords_.size());
    double all = 0.0;
    const std::vector<Detour>& found = detours(feature, column, first, last);
    for (size_t k = 0; k < found.size(); ++k) {
      if (k + kAhead < found.size()) expect(found[k + kAhead]);
      const int32_t p = found[k].position, leaf = found[k].node;
      all += errors_.error(out_of_bag_[p], leaf, leaf_rows(leaf)) - row_errors_[p];
      own += (leaf_centre(column, leaf) - centres_[p]) * (coords_[p] - coords_[order_[p]]);
    }
    return all + 2.0 * own;
  }

  void expect(const Detour& detour) const { errors_.expect(detour.row, leaf_rows(detour.node)); }

  template <typename Column>
  double coordinate(Column column, int64_t row) const {
    return column[row] * unit_ - origin_;
  }

  // The coordinates of the out-of-bag rows, and of the centres of their leaves.
  template <typename Column>
  void look_up(Column column) {
    coords_.resize(out_of_bag_.size());
    centres_.resize(out_of_bag_.size());
    expect_all(column);
    for (size_t p = 0; p < out_of_bag_.size(); ++p) {
      coords_[p] = coordinate(column, out_of_bag_[p]);
      centres_[p] = coordinate(column, first_rows_[p]);  // most leaves have one row
    }
    ++round_;
    for (int32_t p : in_large_leaves_) centres_[p] = leaf_centre(column, leaves_[p]);
  }

  // Rows are looked up in no order; the column comes faster from end to end.
  template <typename T>
  void expect_all(const T* column) const {
    constexpr int64_t kLine = 64 / sizeof(T);
    for (int64_t i = 0; i < table_.rows; i += kLine) prefetch(column + i);
  }
  void expect_all(const ColumnView&) const {}  // short enough to stay near

  // The mean over the training rows of a leaf, kept while the feature is the same.
  template <typename Column>
  double leaf_centre(Column column, int32_t leaf) {
    const WeightedRows rows = leaf_rows(leaf);
    if (rows.count == 1) return coordinate(column, rows.rows[0]);
    if (centre_round_[leaf] == round_) return leaf_centres_[leaf];
    double sum = 0.0, weight = 0.0;
    for (int64_t j = 0; j < rows.count; ++j) {
      sum += coordinate(column, rows.rows[j]) * rows.times[j];
      weight += rows.times[j];
    }
    centre_round_[leaf] = round_;
    return leaf_centres_[leaf] = sum / weight;
  }

  // Where the rows end that leave their way, now that the feature is permuted.
  template <typename Column>
  const std::vector<Detour>& detours(int32_t feature, Column column, size_t first, size_t last) {
    detours_.clear();
    for (size_t v = first; v < last; ++v) {
      const Visit& visit = visits_[v];
      const int32_t p = visit.position, row = out_of_bag_[p];
      if (!detours_.empty() && detours_.back().position == p) continue;  // left its way above
      // In sparse data, nearly all rows get the value that they had.
      const auto own = column[row], other = column[out_of_bag_[order_[p]]];
      if (own == other) continue;
      const int32_t now = tree_.next(visit.node, other, row);
      if (now == tree_.next(visit.node, own, row)) continue;
      detours_.push_back({p, now, row, static_cast<double>(other)});
    }
    for (size_t start = 0; start < detours_.size(); start += kRowsTogether) {
      const size_t stop = std::min(start + kRowsTogether, detours_.size());
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t k = start; k < stop; ++k) moved |= step(detours_[k], feature);
      }
    }
    return detours_;
  }

  // Takes one step down the tree; false at a leaf.
  bool step(Detour& detour, int32_t feature) const {
    const int32_t tested = tree_.feature(detour.node);
    if (tested < 0) return false;
    const double reading = tested == feature ? detour.reading : tree_.reading(tested, detour.row);
    detour.node = tree_.next(detour.node, reading, detour.row);
    return true;
  }

  const Columns& table_;
  const CoarseTable& codes_;
  const double* scales_;
  const TreesView& trees_;
  OutOfBag outside_;
  const CodedTree& tree_ = outside_.tree();
  const std::vector<int32_t>& out_of_bag_ = outside_.rows();
  const std::vector<int32_t>& leaves_ = outside_.leaves();
  const std::vector<Visit>& visits_ = outside_.visits();
  LeafErrors<Real> errors_;
  AttributeErrors own_;

  int64_t current_ = 0;  // the tree in question
  double total_ = 0.0;
  std::vector<int32_t> order_;
  std::vector<double> row_errors_;
  double unit_ = 0.0, origin_ = 0.0;  // of the feature in question
  std::vector<double> coords_, centres_;
  std::vector<int32_t> first_rows_;       // of the leaves of the out-of-bag rows, and
  std::vector<int32_t> in_large_leaves_;  // positions of those whose leaves have several
  int64_t round_ = 0;                     // a feature of a tree after the other, and
  std::vector<int64_t> centre_round_;     // the round in which the centre of a leaf was found
  std::vector<double> leaf_centres_;
  std::vector<Detour> detours_;
};

}  // namespace

template <typename Real>
bool permutation_scores(const ClusteringSpace<Real>& space, const double* scales,
                        const TreesView& trees, Interrupt& interrupt, PermutationScores& scores) {
  TreeScorer<Real> scorer(space, scales, trees);
  for (int64_t t = 0; t < trees.size; ++t) {
    if (interrupt.requested()) return false;
    scorer.score(t, scores);
  }
  return true;
}

template bool permutation_scores(const ClusteringSpace<float>&, const double*, const TreesView&,
                                 Interrupt&, PermutationScores&);
template bool permutation_scores(const ClusteringSpace<double>&, const double*, const TreesView&,
                                 Interrupt&, PermutationScores&);

}  // namespace unsuprank
