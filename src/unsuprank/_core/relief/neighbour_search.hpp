// The K nearest neighbours of a run of rows, found tile by tile.
//
// Every query keeps a short list of rows that may be among its neighbours. When a tile of coded
// distances is done, rows whose distance is not above the query's limit join its list; a full list
// is cut back to what the K-th smallest coded distance and the error of the codes allow. What is
// left at the end is measured in float64 and sorted. The outcome does not depend on the order in
// which tiles arrive, so threads may take them as they come; a lock guards each block's lists.
#pragma once
#include <cstdint>
#include <mutex>
#include <vector>

#include "relief/neighbour.hpp"
#include "relief/rows.hpp"

namespace unsuprank {

class ReliefSearch {
 public:
  // Queries are the positions first .. last-1; `first` starts a block.
  ReliefSearch(const ReliefRows& rows, int64_t first, int64_t last, int64_t n_neighbors);
  ReliefSearch(const ReliefSearch&) = delete;

  // Bytes that a query's list takes.
  static int64_t bytes_per_query(int64_t n_neighbors);

  // Compares a block of queries with blocks first .. last-1. Where both blocks hold queries, the
  // distances serve both, and the call with the larger block of queries does nothing.
  void compare(int64_t query_block, int64_t first, int64_t last);

  // The neighbours of a query, nearest first, after all comparisons.
  std::vector<Neighbor> neighbors(int64_t position);

  // Adds up over the queries first .. last-1 and their neighbours, apart for the neighbours up to
  // counts[0], those from there to counts[1], and so on. Each of these parts has, in `sums`, the
  // differences per term and then the same times the distance; and the distances in `distances`.
  void add_sums(int64_t first, int64_t last, const int64_t* counts, int64_t n_parts, double* sums,
                double* distances);

  const ReliefRows& rows() const { return rows_; }
  int64_t first() const { return first_; }
  int64_t last() const { return last_; }
  int64_t n_neighbors() const { return n_neighbors_; }

 private:
  bool holds_queries(int64_t block) const;
  void select(int64_t query_block, int64_t block, const uint32_t* sums);
  void coded_distances(int64_t query, int64_t block, const uint32_t* sums, int32_t* out) const;
  void append(int64_t query, int64_t position, int32_t coded);
  void shorten(int64_t query);
  std::vector<Neighbor> measured(int64_t query) const;

  const ReliefRows& rows_;
  int64_t first_, last_, n_neighbors_, capacity_;
  std::vector<uint64_t> candidates_;  // coded distance above, row of the table below
  std::vector<int64_t> size_;
  std::vector<int32_t> limit_;   // one per position of the query blocks
  std::vector<int32_t> margin_;  // what the errors of the codes may add up to
  std::vector<std::mutex> locks_;
};

}  // namespace unsuprank
