// The rows that a tree was not grown from, on their ways down to its leaves.
#pragma once
#include <cstddef>
#include <cstdint>
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
  void route(const TreesView& trees, int64_t tree);
  // The same, without noting the visits on the way.
  void find_leaves(const TreesView& trees, int64_t tree);

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
  void send_down(const TreesView& trees, int64_t tree);
  void find_rows(const TreesView& trees, int64_t tree);
  void sort_visits();

  int64_t n_rows_, n_columns_;
  CodedTree coded_;
  std::vector<int32_t> rows_, leaves_;
  std::vector<Visit> visits_, sorted_;
  std::vector<Visit> ways_[kRowsTogether];
  std::vector<int64_t> starts_;
};

}  // namespace unsuprank
