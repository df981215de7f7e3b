// The rows that a tree was not grown from, on their ways down to its leaves.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "forest/clustering_space.hpp"
#include "forest/coded_tree.hpp"
#include "forest/trees.hpp"

namespace unsuprank {

// A row's way passes a node that splits by a feature.
struct Visit {
  int32_t feature;
  int32_t position;  // of the row among the out-of-bag rows
  int32_t node;
};

// Every step down a tree waits for memory, so that many rows take their steps in turn: their waits
// overlap.
constexpr size_t kRowsTogether = 16;

class OutOfBag {
 public:
  template <typename Real>
  explicit OutOfBag(const ClusteringSpace<Real>& space)
      : n_rows_(space.table.rows),
        n_columns_(space.table.cols),
        coded_(space.table, space.codes, space.row_keys) {}

  // Sends the out-of-bag rows of a tree down to their leaves.
  void route(const TreesView& trees, int64_t tree) {
    send_down<true>(trees, tree);
    sort_visits();
  }

  // The same, without noting the visits on the way.
  void find_leaves(const TreesView& trees, int64_t tree) { send_down<false>(trees, tree); }

  // The tree of which the rest is told.
  const CodedTree& tree() const { return coded_; }
  // Row numbers, ascending; a row's position is its place here.
  const std::vector<int32_t>& rows() const { return rows_; }
  // The leaf of each of them.
  const std::vector<int32_t>& leaves() const { return leaves_; }
  // All visits, by feature, then by position, then from the root down.
  const std::vector<Visit>& visits() const { return visits_; }

 private:
  template <bool kNoting>
  void send_down(const TreesView& trees, int64_t tree) {
    coded_.set(trees, tree);
    find_rows(trees, tree);
    visits_.clear();
    leaves_.assign(rows_.size(), 0);
    for (size_t start = 0; start < rows_.size(); start += kRowsTogether) {
      const size_t stop = std::min(start + kRowsTogether, rows_.size());
      for (bool moved = true; moved;) {
        moved = false;
        for (size_t p = start; p < stop; ++p) {
          const int32_t node = leaves_[p], feature = coded_.feature(node);
          if (feature < 0) continue;
          moved = true;
          if (kNoting) ways_[p - start].push_back({feature, static_cast<int32_t>(p), node});
          leaves_[p] = coded_.next(node, coded_.reading(feature, rows_[p]), rows_[p]);
        }
      }
      for (std::vector<Visit>& way : ways_) {
        visits_.insert(visits_.end(), way.begin(), way.end());
        way.clear();
      }
    }
  }

  void find_rows(const TreesView& trees, int64_t tree) {
    std::vector<char> inside(n_rows_, 0);
    for (int64_t i = trees.row_offset[tree]; i < trees.row_offset[tree + 1]; ++i) {
      inside[trees.rows[i]] = 1;
    }
    rows_.clear();
    for (int64_t i = 0; i < n_rows_; ++i) {
      if (!inside[i]) rows_.push_back(static_cast<int32_t>(i));
    }
  }

  void sort_visits() {
    starts_.assign(n_columns_ + 1, 0);
    for (const Visit& visit : visits_) ++starts_[visit.feature + 1];
    for (int64_t f = 0; f < n_columns_; ++f) starts_[f + 1] += starts_[f];
    sorted_.resize(visits_.size());
    for (const Visit& visit : visits_) sorted_[starts_[visit.feature]++] = visit;
    std::swap(visits_, sorted_);
  }

  int64_t n_rows_, n_columns_;
  CodedTree coded_;
  std::vector<int32_t> rows_, leaves_;
  std::vector<Visit> visits_, sorted_;
  std::vector<Visit> ways_[kRowsTogether];
  std::vector<int64_t> starts_;
};

}  // namespace unsuprank
