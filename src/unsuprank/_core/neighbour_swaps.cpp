#include "neighbour_swaps.hpp"

#include <algorithm>
#include <limits>
#include <vector>

// The distance without pick r bounds the distance with any replacement from below, so rows are
// visited in order of the former until no candidate can be improved. Few rows are: one column of
// sixteen moves a neighbour by a few places. Only a short prefix is sorted; candidates for which
// it does not suffice (there are many ties in text) see the remaining rows one by one.

namespace unsuprank {
namespace {

constexpr int64_t PREFIX = 32;

// Row indices are compared next to distances, hence doubles: vectors of one type are fast.
struct Near {
  double distance;
  double row;
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

// Replaces the nearest row of every candidate for which `near` is nearer. Not for AVX-512, whose
// fused multiply-add would round differently from `search` below and so break ties differently.
__attribute__((target_clones("default", "avx2"))) void offer(int64_t width, Near near,
                                                             const double* query,
                                                             const double* values, double* distance,
                                                             double* row) {
  for (int64_t c = 0; c < width; ++c) {
    const double d = query[c] - values[c];
    const double total = near.distance + d * d;
    const bool better = (total < distance[c]) | ((total == distance[c]) & (near.row < row[c]));
    distance[c] = better ? total : distance[c];
    row[c] = better ? near.row : row[c];
  }
}

// The nearest row for every candidate at once.
class Nearest {
 public:
  explicit Nearest(const SwapProblem& p) : p_(p), distance_(p.width), row_(p.width) {}

  // Reorders `rows`, which come with their distance from the query without the removed pick.
  void find(int64_t query, std::vector<Near>& rows) {
    std::fill(distance_.begin(), distance_.end(), std::numeric_limits<double>::infinity());
    std::fill(row_.begin(), row_.end(), std::numeric_limits<double>::infinity());
    query_ = p_.pool + query * p_.width;
    const int64_t prefix = std::min<int64_t>(PREFIX, rows.size());
    std::nth_element(rows.begin(), rows.begin() + (prefix - 1), rows.end());
    std::sort(rows.begin(), rows.begin() + prefix);
    for (int64_t i = 0; i < prefix; ++i) {
      if (i % 4 == 0 && i > 0 && all_before(rows[i])) return;
      offer(p_.width, rows[i], query_, p_.pool + static_cast<int64_t>(rows[i].row) * p_.width,
            distance_.data(), row_.data());
    }
    for (int64_t c = 0; c < p_.width; ++c) {
      if (!(best(c) < rows[prefix - 1])) search(c, rows, prefix);
    }
  }

  int64_t row(int64_t candidate) const { return static_cast<int64_t>(row_[candidate]); }

 private:
  Near best(int64_t c) const { return {distance_[c], row_[c]}; }

  bool all_before(const Near& next) const {
    for (int64_t c = 0; c < p_.width; ++c) {
      if (!(best(c) < next)) return false;
    }
    return true;
  }

  void search(int64_t c, const std::vector<Near>& rows, int64_t from) {
    Near found = best(c);
    for (size_t i = from; i < rows.size(); ++i) {
      if (!(rows[i] < found)) continue;
      const double d = query_[c] - p_.pool[static_cast<int64_t>(rows[i].row) * p_.width + c];
      const Near offered{rows[i].distance + d * d, rows[i].row};
      if (offered < found) found = offered;
    }
    distance_[c] = found.distance;
    row_[c] = found.row;
  }

  const SwapProblem& p_;
  const double* query_ = nullptr;
  std::vector<double> distance_;
  std::vector<double> row_;
};

}  // namespace

void add_swap_errors(const SwapProblem& p, const int64_t* queries, const double* cost,
                     int64_t first, int64_t last, double* errors) {
  LeaveOneOut distances(p);
  Nearest nearest(p);
  std::vector<Near> rows(p.rows - 1);
  for (int64_t q = first; q < last; ++q) {
    const int64_t query = queries[q];
    distances.visit(query);
    for (int64_t r = 0; r < p.n_picks; ++r) {
      for (int64_t k = 0, slot = 0; k < p.rows; ++k) {
        if (k != query) rows[slot++] = {distances.distance(r, k), static_cast<double>(k)};
      }
      nearest.find(query, rows);
      const double* of_query = cost + q * p.rows;
      double* sums = errors + r * p.width;
      for (int64_t c = 0; c < p.width; ++c) sums[c] += of_query[nearest.row(c)];
    }
  }
}

}  // namespace unsuprank
