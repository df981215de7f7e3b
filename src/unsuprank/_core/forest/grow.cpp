#include "forest/grow.hpp"

#include <algorithm>
#include <numeric>

#include "forest/distance_triangle.hpp"
#include "forest/split_search.hpp"

namespace unsuprank {
namespace {

// Up to this many rows, the matrix of all distances is used in place; of a larger one, nodes get a
// dense copy of their own part that stays in cache.
constexpr int64_t kInPlace = 384;

// Asking the clock costs as much as a small node: it is asked once for so many values looked at.
constexpr int64_t kValuesBetweenChecks = 1 << 16;

// A node while its tree grows.
struct Node {
  int32_t begin, end;  // its rows
  double weight;       // of them
  int32_t feature = -1, left = -1;
  double threshold = 0.0;
  int64_t subset = -1;
  double gain = 0.0, right_share = 0.0;
};

template <typename Real>
class TreeGrower {
 public:
  TreeGrower(const ClusteringSpace<Real>& space, const GrowSettings& settings, Interrupt& interrupt,
             Trees& trees, CandidateRecorder* recorder, Probes<Real>* probes)
      : space_(space),
        settings_(settings),
        interrupt_(interrupt),
        trees_(trees),
        recorder_(recorder),
        probes_(probes),
        search_(space, settings, interrupt, probes) {}

  bool grow(int64_t tree) {
    const uint64_t key = tree_key(settings_.seed, tree);
    Random random(key);
    search_.begin_tree(key);
    draw_rows(random);
    const double weight = std::accumulate(times_.begin(), times_.end(), 0.0);
    if (probes_) probes_->begin_tree(key, weight);
    nodes_.assign(1, {0, static_cast<int32_t>(rows_.size()), weight});
    stack_.assign(1, {0, 0, false, false});
    while (!stack_.empty()) {
      const Pending node = stack_.back();
      stack_.pop_back();
      if (is_given_up(nodes_[node.id].end - nodes_[node.id].begin)) return false;
      split(node, random);
    }
    if (interrupt_.requested()) return false;
    append_tree();
    if (probes_) probes_->end_tree(trees_, tree);
    if (recorder_) recorder_->end_tree();
    return true;
  }

 private:
  struct Pending {
    int32_t id;
    int32_t depth;
    bool has_view;  // whether view_ covers it; the rows of a view are finished before others come
    bool has_row_sums;
  };

  void draw_rows(Random& random) {
    const uint32_t m = static_cast<uint32_t>(space_.table.rows);
    std::vector<int32_t> times(m, settings_.bootstrap ? 0 : 1);
    if (settings_.bootstrap) {
      for (uint32_t i = 0; i < m; ++i) ++times[random.below(m)];
    }
    rows_.clear();
    weights_.clear();
    times_.clear();
    for (uint32_t i = 0; i < m; ++i) {
      if (times[i] == 0) continue;
      rows_.push_back(static_cast<int32_t>(i));
      weights_.push_back(static_cast<Real>(times[i]));
      times_.push_back(times[i]);
    }
    slots_ = rows_;
    row_sums_.resize(rows_.size());
  }

  bool is_given_up(int64_t rows) {
    looked_at_ += rows * (settings_.max_features + (probes_ ? probes_->count() : 0));
    if (looked_at_ < kValuesBetweenChecks) return false;
    looked_at_ = 0;
    return interrupt_.requested();
  }

  void append_tree() {
    for (const Node& node : nodes_) {
      trees_.feature.push_back(node.feature);
      trees_.left.push_back(node.left);
      trees_.threshold.push_back(node.threshold);
      trees_.subset.push_back(node.subset);
      trees_.gain.push_back(node.gain);
      trees_.weight.push_back(node.weight);
      trees_.right_share.push_back(node.right_share);
      trees_.row_begin.push_back(node.begin);
      trees_.row_end.push_back(node.end);
    }
    trees_.rows.insert(trees_.rows.end(), rows_.begin(), rows_.end());
    trees_.multiplicity.insert(trees_.multiplicity.end(), times_.begin(), times_.end());
    trees_.node_offset.push_back(static_cast<int64_t>(trees_.feature.size()));
    trees_.row_offset.push_back(static_cast<int64_t>(trees_.rows.size()));
  }

  void split(Pending node, Random& random) {
    const int64_t begin = nodes_[node.id].begin, end = nodes_[node.id].end;
    const double weight = nodes_[node.id].weight;
    const bool too_deep = settings_.max_depth > 0 && node.depth >= settings_.max_depth;
    if (end - begin < 2 || too_deep || weight < 2.0 * settings_.min_leaf) return;
    if (!node.has_view) node.has_view = make_view(begin, end);
    const NodeRows<Real> rows{rows_.data() + begin,  slots_.data() + begin, weights_.data() + begin,
                              times_.data() + begin, end - begin,           weight};
    const DistanceView<Real> view = node.has_view ? view_ : DistanceView<Real>{};
    PairSums sums{row_sums_.data() + begin, node.has_row_sums};
    const CandidateSplit best = search_.find(node.id, rows, view, sums, random);
    if (recorder_) {
      for (const CandidateSplit& seen : search_.candidates()) {
        recorder_->add(node.id, seen, search_.words());
      }
    }
    if (best.feature < 0) return;
    if ((!node.has_view || space_.partial_width) && is_pure(begin, end)) return;
    const auto [middle, right_weight] =
        partition(begin, end, search_.sides(best), sums.has_row_sums);
    const int32_t left = static_cast<int32_t>(nodes_.size());
    set_split(nodes_[node.id], left, best);
    nodes_.push_back({static_cast<int32_t>(begin), middle, weight - right_weight});
    nodes_.push_back({middle, static_cast<int32_t>(end), right_weight});
    const bool left_sums = keep_row_sums(sums, view, begin, middle, middle, end);
    const bool right_sums = keep_row_sums(sums, view, middle, end, begin, middle);
    stack_.push_back({left + 1, node.depth + 1, node.has_view, right_sums});
    stack_.push_back({left, node.depth + 1, node.has_view, left_sums});
  }

  // Whether the rows agree in all clustering attributes. Tests of descriptive attributes divide
  // such rows all the same, and sums of coordinates then give gains that are rounding alone;
  // distances give 0.
  bool is_pure(int64_t begin, int64_t end) const {
    const int32_t first = rows_[begin];
    for (int64_t i = begin + 1; i < end; ++i) {
      if (space_.coords) {
        const Real *a = space_.row(first), *b = space_.row(rows_[i]);
        if (!std::equal(a, a + space_.width, b)) return false;
      } else if (space_.distances && space_.distances[space_.table.rows * first + rows_[i]] > 0) {
        return false;
      }
    }
    for (int64_t c = 0; c < space_.partial_width; ++c) {
      if (!is_partly_pure(begin, end, c)) return false;
    }
    return true;
  }

  // The same of one coordinate with missing values, which agree with any.
  bool is_partly_pure(int64_t begin, int64_t end, int64_t coordinate) const {
    const double* known = nullptr;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t at = space_.partial_width * rows_[i] + coordinate;
      if (space_.known[at] == 0.0) continue;
      if (!known) known = space_.partial + at;
      if (space_.partial[at] != *known) return false;
    }
    return true;
  }

  // A child that keeps nearly all rows gets its row sums from its parent's, less what went away.
  bool keep_row_sums(const PairSums& sums, const DistanceView<Real>& view, int64_t begin,
                     int64_t end, int64_t gone_begin, int64_t gone_end) {
    if (!sums.has_row_sums || 8 * (gone_end - gone_begin) > end - begin) return false;
    for (int64_t g = gone_begin; g < gone_end; ++g) {
      const int32_t gone = slots_[g];
      const double weight = weights_[g];
      for (int64_t i = begin; i < end; ++i) {
        const int32_t s = slots_[i];
        const int64_t at = s > gone ? view.stride * s + gone : view.stride * gone + s;
        row_sums_[i] -= weight * static_cast<double>(view.data[at]);
      }
    }
    return true;
  }

  void set_split(Node& node, int32_t left, const CandidateSplit& split) {
    node.left = left;
    node.feature = split.feature;
    node.threshold = split.threshold;
    node.gain = split.gain;
    node.right_share = split.right_share;
    if (split.subset < 0) return;
    node.subset = static_cast<int64_t>(trees_.subset_words.size());
    const auto words = search_.words().begin() + split.subset;
    trees_.subset_words.insert(trees_.subset_words.end(), words,
                               words + search_.words_of(split.feature));
  }

  // Finds the distances among the rows of a small node: in place, copied from all distances, or
  // made from the coordinates.
  bool make_view(int64_t begin, int64_t end) {
    const int64_t count = end - begin;
    if (count > settings_.pair_rows || (!space_.distances && !space_.width)) return false;
    if (space_.distances && space_.table.rows <= kInPlace) {
      view_ = {space_.distances, space_.table.rows};
      return true;
    }
    view_data_.resize(count * count);
    if (space_.distances) {
      for (int64_t i = 1; i < count; ++i) {
        const Real* from = space_.distances + space_.table.rows * rows_[begin + i];
        Real* to = view_data_.data() + i * count;
        for (int64_t j = 0; j < i; ++j) to[j] = from[rows_[begin + j]];
      }
    } else {
      triangle_.fill(space_.coords, space_.width, rows_.data() + begin, count, view_data_.data());
    }
    for (int64_t i = 0; i < count; ++i) slots_[begin + i] = static_cast<int32_t>(i);
    view_ = {view_data_.data(), count};
    return true;
  }

  struct Parts {
    int32_t middle;  // where the right rows begin
    double right_weight;
  };

  // Puts the left rows first, either side in ascending order.
  Parts partition(int64_t begin, int64_t end, const std::vector<uint8_t>& sides, bool with_sums) {
    const int64_t count = end - begin;
    spare_rows_.resize(count);
    spare_slots_.resize(count);
    spare_times_.resize(count);
    int64_t left = begin, right = 0, right_weight = 0;
    for (int64_t i = 0; i < count; ++i) {
      // Both places are written and one of them counts: no branch to mispredict.
      const int32_t row = rows_[begin + i], slot = slots_[begin + i], times = times_[begin + i];
      spare_rows_[right] = rows_[left] = row;
      spare_slots_[right] = slots_[left] = slot;
      spare_times_[right] = times_[left] = times;
      left += !sides[i];
      right += sides[i];
      right_weight += times & -sides[i];
    }
    std::copy(spare_rows_.begin(), spare_rows_.begin() + right, rows_.begin() + left);
    std::copy(spare_slots_.begin(), spare_slots_.begin() + right, slots_.begin() + left);
    std::copy(spare_times_.begin(), spare_times_.begin() + right, times_.begin() + left);
    if (with_sums) partition_sums(begin, count, sides);
    for (int64_t i = begin; i < end; ++i) weights_[i] = static_cast<Real>(times_[i]);
    return {static_cast<int32_t>(left), static_cast<double>(right_weight)};
  }

  void partition_sums(int64_t begin, int64_t count, const std::vector<uint8_t>& sides) {
    spare_sums_.clear();
    int64_t left = begin;
    for (int64_t i = 0; i < count; ++i) {
      if (sides[i]) {
        spare_sums_.push_back(row_sums_[begin + i]);
      } else {
        row_sums_[left++] = row_sums_[begin + i];
      }
    }
    std::copy(spare_sums_.begin(), spare_sums_.end(), row_sums_.begin() + left);
  }

  const ClusteringSpace<Real>& space_;
  const GrowSettings& settings_;
  Interrupt& interrupt_;
  Trees& trees_;
  CandidateRecorder* recorder_;
  Probes<Real>* probes_;
  SplitSearch<Real> search_;
  int64_t looked_at_ = 0;
  std::vector<Node> nodes_;  // of the tree
  std::vector<int32_t> rows_, slots_, times_, spare_rows_, spare_slots_, spare_times_;
  std::vector<Real> weights_;
  std::vector<double> row_sums_, spare_sums_;  // see PairSums; kept in the order of rows_
  std::vector<Pending> stack_;
  std::vector<Real> view_data_;
  DistanceTriangle<Real> triangle_;
  DistanceView<Real> view_;
};

}  // namespace

template <typename Real>
bool grow_trees(const ClusteringSpace<Real>& space, const GrowSettings& settings, int64_t first,
                int64_t last, Interrupt& interrupt, Trees& trees, CandidateRecorder* recorder,
                Probes<Real>* probes) {
  TreeGrower<Real> grower(space, settings, interrupt, trees, recorder, probes);
  for (int64_t tree = first; tree < last; ++tree) {
    if (!grower.grow(tree)) return false;
  }
  return true;
}

template bool grow_trees(const ClusteringSpace<float>&, const GrowSettings&, int64_t, int64_t,
                         Interrupt&, Trees&, CandidateRecorder*, Probes<float>*);
template bool grow_trees(const ClusteringSpace<double>&, const GrowSettings&, int64_t, int64_t,
                         Interrupt&, Trees&, CandidateRecorder*, Probes<double>*);

}  // namespace unsuprank
