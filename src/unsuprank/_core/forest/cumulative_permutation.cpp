#include <algorithm>
#include <numeric>

#include "forest/leaf_error.hpp"
#include "forest/out_of_bag.hpp"
#include "forest/permutation_scores.hpp"

namespace unsuprank {
namespace {

// A feature and, for every out-of-bag row, the row whose value it has now.
struct Permuted {
  int32_t feature;
  std::vector<int32_t> from;
};

template <typename Real>
class CumulativeScorer {
 public:
  CumulativeScorer(const ClusteringSpace<Real>& space, const double* scales, const TreesView& trees)
      : table_(space.table), scales_(scales), trees_(trees), outside_(space), errors_(space) {}

  void score(int64_t tree, PermutationScores& scores) {
    start(tree);
    const double before = total_error();
    if (before > 0.0) {
      for (int32_t feature : features_on_the_walk()) {
        permute(feature);
        scores.feature.push_back(feature);
        scores.increase.push_back((total_error() - before) / before);
      }
    }
    scores.offset.push_back(static_cast<int64_t>(scores.feature.size()));
  }

 private:
  void start(int64_t tree) {
    current_ = tree;
    errors_.reset(trees_.n_nodes(tree));
    own_.reset(trees_.n_nodes(tree));
    outside_.find_leaves(trees_, tree);
    permuted_.clear();
    place_.assign(table_.cols, -1);
    leaves_.resize(rows_.size());
    ways_.resize(rows_.size());
    row_errors_.resize(rows_.size());
    own_changes_.assign(rows_.size(), 0.0);
    for (size_t p = 0; p < rows_.size(); ++p) {
      send_down(p);
      row_errors_[p] = error_as_a_target(p);
    }
  }

  // Errors with respect to all features as they were, and what permuted ones change of them.
  double total_error() const {
    const double as_they_were = std::accumulate(row_errors_.begin(), row_errors_.end(), 0.0);
    return std::accumulate(own_changes_.begin(), own_changes_.end(), as_they_were);
  }

  std::vector<int32_t> features_on_the_walk() const {
    std::vector<int32_t> found, stack{0};
    std::vector<char> seen(table_.cols, 0);
    while (!stack.empty()) {
      const int32_t node = stack.back(), feature = tree_.feature(node);
      stack.pop_back();
      if (feature < 0) continue;
      if (!seen[feature]) found.push_back(feature);
      seen[feature] = 1;
      const int32_t left = trees_.left[trees_.node_offset[current_] + node];
      stack.push_back(left + 1);
      stack.push_back(left);
    }
    return found;
  }

  void permute(int32_t feature) {
    std::vector<int32_t> from(rows_.size());
    permutation(trees_.key(current_), feature, static_cast<int64_t>(from.size()), from.data());
    for (int32_t& p : from) p = rows_[p];
    place_[feature] = static_cast<int32_t>(permuted_.size());
    permuted_.push_back({feature, std::move(from)});
    reroute(feature);
    for (int32_t p : moved_) {
      row_errors_[p] = error_as_a_target(p);
      own_changes_[p] = 0.0;
    }
    for (const Permuted& column : permuted_) add_own_changes(column, moved_);
    add_own_changes(permuted_.back(), stayed_);
  }

  // Sends the rows that are asked about a feature down again, and finds out which end elsewhere.
  void reroute(int32_t feature) {
    moved_.clear();
    stayed_.clear();
    for (size_t p = 0; p < rows_.size(); ++p) {
      const std::vector<int32_t>& way = ways_[p];
      const bool asked = std::find(way.begin(), way.end(), feature) != way.end();
      const int32_t before = leaves_[p];
      if (asked) send_down(p);
      (leaves_[p] == before ? stayed_ : moved_).push_back(static_cast<int32_t>(p));
    }
  }

  void send_down(size_t p) {
    ways_[p].clear();
    int32_t node = 0;
    for (int32_t f = tree_.feature(0); f >= 0; f = tree_.feature(node)) {
      ways_[p].push_back(f);
      const int32_t from = place_[f] < 0 ? rows_[p] : permuted_[place_[f]].from[p];
      node = tree_.next(node, tree_.reading(f, from), rows_[p]);
    }
    leaves_[p] = node;
  }

  // What a permuted feature changes of the errors of some rows, where they are now.
  void add_own_changes(const Permuted& column, const std::vector<int32_t>& positions) {
    if (positions.empty()) return;
    own_.select(table_, column.feature, scales_[column.feature]);
    const ColumnView x = table_.column(column.feature);
    for (int32_t p : positions) {
      const WeightedRows leaf = trees_.node_rows(current_, leaves_[p]);
      own_changes_[p] += own_.error(x[column.from[p]], leaves_[p], leaf) -
                         own_.error(x[rows_[p]], leaves_[p], leaf);
    }
  }

  double error_as_a_target(size_t p) {
    return errors_.error(rows_[p], leaves_[p], trees_.node_rows(current_, leaves_[p]));
  }

  const Columns& table_;
  const double* scales_;
  const TreesView& trees_;
  OutOfBag outside_;
  const CodedTree& tree_ = outside_.tree();
  const std::vector<int32_t>& rows_ = outside_.rows();
  LeafErrors<Real> errors_;
  AttributeErrors own_;

  int64_t current_ = 0;  // the tree in question
  // Of the out-of-bag rows as they are now: leaves, features that they are asked about, and errors.
  std::vector<int32_t> leaves_;
  std::vector<std::vector<int32_t>> ways_;
  std::vector<double> row_errors_, own_changes_;
  std::vector<int32_t> moved_, stayed_;  // positions
  std::vector<Permuted> permuted_;
  std::vector<int32_t> place_;  // of a feature among the permuted ones; -1: it is as it was
};

}  // namespace

template <typename Real>
bool cumulative_permutation_scores(const ClusteringSpace<Real>& space, const double* scales,
                                   const TreesView& trees, Interrupt& interrupt,
                                   PermutationScores& scores) {
  CumulativeScorer<Real> scorer(space, scales, trees);
  for (int64_t t = 0; t < trees.size; ++t) {
    if (interrupt.requested()) return false;
    scorer.score(t, scores);
  }
  return true;
}

template bool cumulative_permutation_scores(const ClusteringSpace<float>&, const double*,
                                            const TreesView&, Interrupt&, PermutationScores&);
template bool cumulative_permutation_scores(const ClusteringSpace<double>&, const double*,
                                            const TreesView&, Interrupt&, PermutationScores&);

}  // namespace unsuprank
