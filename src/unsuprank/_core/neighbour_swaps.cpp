#include "neighbour_swaps.hpp"

#include <algorithm>
#include <limits>
#include <vector>

// The distance without pick r bounds the distance with any replacement from below, so rows are
// visited in order of the former until no candidate can be improved. Few rows are: one column of
// sixteen moves a neighbour by a few places. Only a short prefix is sorted; where it does not
// suffice (ties, as in text), the remaining rows follow unsorted.

namespace unsuprank {
namespace {

constexpr int64_t PREFIX = 32;

struct Near {
  double distance;
  int64_t row;
  bool operator<(const Near& other) const {
    return distance < other.distance || (distance == other.distance && row < other.row);
  }
};

// Distances from one query over all picks but one. Sums of the picks before and after it are
// added: subtracting a large term would leave nothing of the small ones.
class LeaveOneOut {
 public:
  explicit LeaveOneOut(const SwapProblem& p)
      : p_(p), before_((p.n_picks + 1) * p.rows), after_((p.n_picks + 1) * p.rows) {}

  void visit(int64_t query) {
    for (int64_t r = 0; r < p_.n_picks; ++r) {
      extend(query, p_.picks[r], &before_[r * p_.rows], &before_[(r + 1) * p_.rows]);
      const int64_t s = p_.n_picks - 1 - r;
      extend(query, p_.picks[s], &after_[r * p_.rows], &after_[(r + 1) * p_.rows]);
    }
  }

  double distance(int64_t pick, int64_t row) const {
    return before_[pick * p_.rows + row] + after_[(p_.n_picks - 1 - pick) * p_.rows + row];
  }

 private:
  void extend(int64_t query, int64_t column, const double* from, double* to) const {
    const double center = p_.pool[query * p_.width + column];
    for (int64_t k = 0; k < p_.rows; ++k) {
      const double d = center - p_.pool[k * p_.width + column];
      to[k] = from[k] + d * d;
    }
  }

  const SwapProblem& p_;
  std::vector<double> before_;  // the first row of both stays 0
  std::vector<double> after_;
};

// The nearest row for every candidate at once.
class Nearest {
 public:
  explicit Nearest(int64_t width) : distance_(width), row_(width) {}

  void clear() {
    std::fill(distance_.begin(), distance_.end(), std::numeric_limits<double>::infinity());
    std::fill(row_.begin(), row_.end(), std::numeric_limits<int64_t>::max());
    farthest_ = std::numeric_limits<double>::infinity();
  }

  void offer(const Near& near, const double* query, const double* values) {
    const int64_t width = static_cast<int64_t>(row_.size());
    double* distance = distance_.data();
    int64_t* row = row_.data();
    for (int64_t c = 0; c < width; ++c) {
      const double d = query[c] - values[c];
      const double total = near.distance + d * d;
      const bool better = total < distance[c] || (total == distance[c] && near.row < row[c]);
      distance[c] = better ? total : distance[c];
      row[c] = better ? near.row : row[c];
    }
  }

  void update_farthest() { farthest_ = *std::max_element(distance_.begin(), distance_.end()); }
  double farthest() const { return farthest_; }
  int64_t row(int64_t candidate) const { return row_[candidate]; }

 private:
  std::vector<double> distance_;
  std::vector<int64_t> row_;
  double farthest_ = 0.0;
};

void find_nearest(const SwapProblem& p, int64_t query, std::vector<Near>& rows, Nearest& nearest) {
  const auto prefix = rows.begin() + std::min<int64_t>(PREFIX, rows.size());
  if (prefix != rows.end()) std::nth_element(rows.begin(), prefix, rows.end());
  std::sort(rows.begin(), prefix);
  const double* center = p.pool + query * p.width;
  nearest.clear();
  int64_t seen = 0;
  for (const Near& near : rows) {
    if (near.distance > nearest.farthest()) {
      if (seen < PREFIX) return;
      continue;  // unsorted from here on
    }
    nearest.offer(near, center, p.pool + near.row * p.width);
    if (++seen % 4 == 0) nearest.update_farthest();
  }
}

}  // namespace

void add_swap_errors(const SwapProblem& p, const int64_t* queries, const double* cost,
                     int64_t first, int64_t last, double* errors) {
  LeaveOneOut distances(p);
  Nearest nearest(p.width);
  std::vector<Near> rows(p.rows - 1);
  for (int64_t q = first; q < last; ++q) {
    const int64_t query = queries[q];
    distances.visit(query);
    for (int64_t r = 0; r < p.n_picks; ++r) {
      for (int64_t k = 0, slot = 0; k < p.rows; ++k) {
        if (k != query) rows[slot++] = {distances.distance(r, k), k};
      }
      find_nearest(p, query, rows, nearest);
      const double* of_query = cost + q * p.rows;
      double* sums = errors + r * p.width;
      for (int64_t c = 0; c < p.width; ++c) sums[c] += of_query[nearest.row(c)];
    }
  }
}

}  // namespace unsuprank
