// URelief on a sparse table: rows of which only the values are held that are not zero.
//
// Columns are mapped to [0, 1] as in relief/rows.hpp, and every column has a place z for its zeros.
// With v = u - z for a value at u, two rows differ by
//
//     sum |v_a| + sum |v_b| - 2 * sum of min(|v_a|, |v_b|) where both have values on one side of z,
//
// so that the rows that share no column with a query need no look at their values: a query walks
// down the columns in which it has a value. Rounding in these sums is bounded. The few rows that
// may be neighbours are then measured by merging their values with those of the query, term by term
// in the order and the grouping of the sums that dense rows take, so that distances and ties are
// the same to the last bit.
#pragma once
#include <cstdint>
#include <vector>

#include "relief/neighbour.hpp"
#include "table/sparse_products.hpp"

namespace unsuprank {

class SparseReliefRows {
 public:
  // The same values by rows and by columns, mapped to [0, 1], which must outlive this. `zero` holds
  // the place of zeros there, per column; `width` is the number of columns that distances are means
  // over.
  SparseReliefRows(SparseLines by_rows, SparseLines by_columns, int64_t rows,
                   std::vector<double> zero, int64_t width);

  int64_t rows() const { return rows_; }
  int64_t terms() const { return static_cast<int64_t>(zero_.size()); }
  double distance(int64_t a, int64_t b) const;
  // The nearest other rows, nearest first.
  std::vector<Neighbor> neighbors(int64_t query, int64_t count) const;
  // Adds up over some queries and their neighbours, apart for the neighbours up to counts[0],
  // those from there to counts[1], and so on; see ReliefSearch::add_sums.
  void add_sums(const int64_t* queries, int64_t n_queries, const int64_t* counts, int64_t n_parts,
                double* sums, double* distances) const;

 private:
  int64_t length(int64_t row) const { return by_rows_.starts[row + 1] - by_rows_.starts[row]; }
  // Distances to all rows times `width`, up to rounding_bound().
  void coarse_distances(int64_t query, double* out) const;
  double rounding_bound(int64_t query) const;
  // Calls visit(column, difference) for the columns in which one of the rows has a value.
  template <typename Visit>
  void each_difference(int64_t a, int64_t b, Visit visit) const;

  SparseLines by_rows_, by_columns_;
  int64_t rows_;
  std::vector<double> zero_;
  double width_;
  int64_t longest_ = 0;
  std::vector<double> norm_;  // sum |v| per row
};

}  // namespace unsuprank
