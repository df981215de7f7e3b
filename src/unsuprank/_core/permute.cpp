#include "permute.hpp"

#include <algorithm>
#include <numeric>

#include "leaf_error.hpp"
#include "route.hpp"

namespace unsuprank {

void permutation(uint64_t seed, int64_t tree, int32_t feature, int64_t count, int32_t* order) {
  Random random(stream_key(tree_key(seed, tree), static_cast<uint64_t>(feature) + 1));
  std::iota(order, order + count, 0);
  for (int64_t i = count - 1; i > 0; --i) {
    std::swap(order[i], order[random.below(static_cast<uint32_t>(i + 1))]);
  }
}

namespace {

template <typename Real>
class TreeScorer {
 public:
  TreeScorer(const Columns& table, const Space<Real>& space, const double* scales,
             const uint64_t* row_keys, const TreesView& trees, const ForestRows& rows,
             uint64_t seed)
      : table_(table),
        scales_(scales),
        row_keys_(row_keys),
        trees_(trees),
        rows_(rows),
        seed_(seed),
        errors_(space) {}

  void score(int64_t local, int64_t tree, PermutationScores& scores) {
    local_ = local;
    base_ = trees_.node_offset[local];
    key_ = tree_key(seed_, tree);
    const int64_t n_nodes = trees_.node_offset[local + 1] - base_;
    errors_.reset(n_nodes);
    own_.reset(n_nodes);
    find_out_of_bag();
    route_all();
    if (total_ > 0.0) {
      size_t visit = 0;
      for (int32_t feature : used_features(n_nodes)) {
        const size_t first = visit;
        while (visit < visits_.size() && visits_[visit].feature == feature) ++visit;
        scores.feature.push_back(feature);
        scores.increase.push_back(increase(feature, tree, first, visit) / total_);
      }
    }
    scores.offset.push_back(static_cast<int64_t>(scores.feature.size()));
  }

 private:
  // A row's way down the tree meets a feature, for the first time at `node`.
  struct Visit {
    int32_t feature;
    int32_t position;  // of the row among the out-of-bag rows
    int32_t node;
  };

  // A row on its way down with another value of one feature.
  struct Detour {
    int32_t position;
    int32_t node;
    int32_t row;
    double value;
  };

  // Every step down a tree waits for memory, so that many rows take their steps in turn: their
  // waits overlap.
  static constexpr size_t kTogether = 16;

  std::vector<int32_t> used_features(int64_t n_nodes) const {
    std::vector<int32_t> used;
    for (int64_t k = base_; k < base_ + n_nodes; ++k) {
      if (trees_.feature[k] >= 0) used.push_back(trees_.feature[k]);
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    return used;
  }

  LeafRows leaf_rows(int32_t leaf) const {
    const int64_t at = rows_.row_offset[local_] + rows_.row_begin[base_ + leaf];
    return {rows_.rows + at, rows_.multiplicity + at,
            rows_.row_end[base_ + leaf] - rows_.row_begin[base_ + leaf]};
  }

  void find_out_of_bag() {
    std::vector<char> inside(table_.rows, 0);
    for (int64_t i = rows_.row_offset[local_]; i < rows_.row_offset[local_ + 1]; ++i) {
      inside[rows_.rows[i]] = 1;
    }
    out_of_bag_.clear();
    for (int64_t i = 0; i < table_.rows; ++i) {
      if (!inside[i]) out_of_bag_.push_back(static_cast<int32_t>(i));
    }
  }

  uint64_t row_key(int64_t row) const { return row_keys_ ? row_keys_[row] : 0; }

  void route_all() {
    visits_.clear();
    leaves_.resize(out_of_bag_.size());
    row_errors_.resize(out_of_bag_.size());
    first_rows_.resize(out_of_bag_.size());
    in_large_leaves_.clear();
    total_ = 0.0;
    for (size_t start = 0; start < out_of_bag_.size(); start += kTogether) {
      route(start, std::min(start + kTogether, out_of_bag_.size()));
    }
    for (size_t p = 0; p < out_of_bag_.size(); ++p) {
      const LeafRows rows = leaf_rows(leaves_[p]);
      first_rows_[p] = rows.rows[0];
      if (rows.count > 1) in_large_leaves_.push_back(static_cast<int32_t>(p));
      row_errors_[p] = errors_.error(out_of_bag_[p], leaves_[p], rows);
      total_ += row_errors_[p];
    }
    sort_visits();
  }

  // Finds the leaves of some rows, and notes the tests on their ways.
  void route(size_t start, size_t stop) {
    for (size_t p = start; p < stop; ++p) {
      leaves_[p] = 0;
      ways_[p - start].clear();
    }
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t p = start; p < stop; ++p) {
        const int32_t node = leaves_[p], feature = trees_.feature[base_ + node];
        if (feature < 0) continue;
        moved = true;
        ways_[p - start].push_back({feature, static_cast<int32_t>(p), node});
        const int32_t row = out_of_bag_[p];
        leaves_[p] =
            next_node(trees_, base_, node, table_.column(feature)[row], key_, row_key(row));
      }
    }
    for (size_t k = 0; k < stop - start; ++k) {
      visits_.insert(visits_.end(), ways_[k].begin(), ways_[k].end());
    }
  }

  // By feature; rows, and the tests on a row's way, stay in order.
  void sort_visits() {
    starts_.assign(table_.cols + 1, 0);
    for (const Visit& visit : visits_) ++starts_[visit.feature + 1];
    for (int64_t f = 0; f < table_.cols; ++f) starts_[f + 1] += starts_[f];
    sorted_.resize(visits_.size());
    for (const Visit& visit : visits_) sorted_[starts_[visit.feature]++] = visit;
    std::swap(visits_, sorted_);
  }

  // Sum over the rows of the change of their errors when a feature is permuted among them.
  double increase(int32_t feature, int64_t tree, size_t first, size_t last) {
    const int64_t count = static_cast<int64_t>(out_of_bag_.size());
    order_.resize(count);
    permutation(seed_, tree, feature, count, order_.data());
    own_.select(table_, feature, scales_[feature]);
    const bool plain = !table_.nominal(feature) && !table_.may_miss(feature);
    return plain ? numeric_increase(feature, first, last) : general_increase(feature, first, last);
  }

  double general_increase(int32_t feature, size_t first, size_t last) {
    const double* x = table_.column(feature);
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
      const LeafRows rows = leaf_rows(leaf);
      const double own_change = own_.error(value, leaf, rows) - own_.error(x[row], leaf, rows);
      sum += error - row_errors_[p] + own_change;
    }
    return sum;
  }

  // With y the feature's coordinate, c that of the leaf's centre and y' the permuted one, the
  // change of the feature's own error is y'^2 - y^2 - 2 c (y' - y). The squares cancel over all
  // rows, so that rows which stay in their leaves cost one product each.
  double numeric_increase(int32_t feature, size_t first, size_t last) {
    const double* x = table_.column(feature);
    const double scale = scales_[feature];
    const size_t count = out_of_bag_.size();
    const double origin = x[out_of_bag_[0]] * scale;
    own_values_.resize(count);
    centres_.resize(count);
    // Rows are looked up in no order; the column comes faster from end to end.
    for (int64_t i = 0; i < table_.rows; i += 64 / sizeof(double)) __builtin_prefetch(x + i);
    for (size_t p = 0; p < count; ++p) {
      own_values_[p] = x[out_of_bag_[p]] * scale - origin;
      centres_[p] = x[first_rows_[p]] * scale - origin;  // most leaves have one row
    }
    for (int32_t p : in_large_leaves_) centres_[p] = centre_of(leaves_[p], x, scale) - origin;
    double sum = 0.0;
    for (size_t p = 0; p < count; ++p) {
      sum += 2.0 * centres_[p] * (own_values_[p] - own_values_[order_[p]]);
    }
    for (const Detour& detour : detours(feature, first, last)) {
      const int32_t p = detour.position, leaf = detour.node;
      const double centre = centre_of(leaf, x, scale) - origin;
      sum += errors_.error(out_of_bag_[p], leaf, leaf_rows(leaf)) - row_errors_[p];
      sum += 2.0 * (centre - centres_[p]) * (own_values_[p] - own_values_[order_[p]]);
    }
    return sum;
  }

  // Where the rows end that leave their way, now that the feature is permuted.
  const std::vector<Detour>& detours(int32_t feature, size_t first, size_t last) {
    const double* x = table_.column(feature);
    detours_.clear();
    for (size_t v = first; v < last; ++v) {
      const Visit& visit = visits_[v];
      const int32_t p = visit.position, row = out_of_bag_[p];
      if (!detours_.empty() && detours_.back().position == p) continue;  // left its way above
      // In sparse data, nearly all rows get the value that they had.
      const double value = x[out_of_bag_[order_[p]]];
      if (value == x[row]) continue;
      const int32_t old = next_node(trees_, base_, visit.node, x[row], key_, row_key(row));
      const int32_t now = next_node(trees_, base_, visit.node, value, key_, row_key(row));
      if (old != now) detours_.push_back({p, now, row, value});
    }
    for (size_t start = 0; start < detours_.size(); start += kTogether) {
      const size_t stop = std::min(start + kTogether, detours_.size());
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t k = start; k < stop; ++k) moved |= step(detours_[k], feature);
      }
    }
    return detours_;
  }

  // Takes one step down the tree; false at a leaf.
  bool step(Detour& detour, int32_t feature) const {
    const int32_t tested = trees_.feature[base_ + detour.node];
    if (tested < 0) return false;
    const double x = tested == feature ? detour.value : table_.column(tested)[detour.row];
    detour.node = next_node(trees_, base_, detour.node, x, key_, row_key(detour.row));
    return true;
  }

  double centre_of(int32_t leaf, const double* x, double scale) {
    const LeafRows rows = leaf_rows(leaf);
    return rows.count == 1 ? x[rows.rows[0]] * scale : own_.centre(leaf, rows);
  }

  const Columns& table_;
  const double* scales_;
  const uint64_t* row_keys_;
  const TreesView& trees_;
  const ForestRows& rows_;
  uint64_t seed_;
  LeafErrors<Real> errors_;
  AttributeErrors own_;

  int64_t local_ = 0, base_ = 0;
  uint64_t key_ = 0;
  double total_ = 0.0;
  std::vector<int32_t> out_of_bag_, leaves_, order_;
  std::vector<double> row_errors_, own_values_, centres_;
  std::vector<int32_t> first_rows_;       // of the leaves of the out-of-bag rows, and
  std::vector<int32_t> in_large_leaves_;  // positions of those whose leaves have several
  std::vector<Visit> visits_, sorted_;
  std::vector<Visit> ways_[kTogether];
  std::vector<int64_t> starts_;
  std::vector<Detour> detours_;
};

}  // namespace

template <typename Real>
bool permutation_scores(const Columns& table, const Space<Real>& space, const double* scales,
                        const uint64_t* row_keys, const TreesView& trees, const ForestRows& rows,
                        uint64_t seed, int64_t first_tree, int64_t n_trees, Interrupt& interrupt,
                        PermutationScores& scores) {
  TreeScorer<Real> scorer(table, space, scales, row_keys, trees, rows, seed);
  for (int64_t t = 0; t < n_trees; ++t) {
    if (interrupt.requested()) return false;
    scorer.score(t, first_tree + t, scores);
  }
  return true;
}

template bool permutation_scores(const Columns&, const Space<float>&, const double*,
                                 const uint64_t*, const TreesView&, const ForestRows&, uint64_t,
                                 int64_t, int64_t, Interrupt&, PermutationScores&);
template bool permutation_scores(const Columns&, const Space<double>&, const double*,
                                 const uint64_t*, const TreesView&, const ForestRows&, uint64_t,
                                 int64_t, int64_t, Interrupt&, PermutationScores&);

}  // namespace unsuprank
