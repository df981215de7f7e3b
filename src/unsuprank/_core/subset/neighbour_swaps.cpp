#include "subset/neighbour_swaps.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "simd/targets.hpp"

// The distance without pick r bounds the distance with any replacement from below, so rows are
// visited in order of the former until no candidate can be improved. Few rows are: one column of
// sixteen moves a neighbour by a few places. Only a short prefix is sorted. All candidates see
// its rows together, a vector at a time, until few candidates are left open; each of these then
// sees the remaining rows alone, in order at first and then (there are many ties in text) all.

namespace unsuprank {
namespace {

constexpr int64_t kPrefix = 32;
// Rows that are put in order at a time; mostly the first of these suffice.
constexpr int64_t kChunk = 8;
// Rows that all candidates see between two counts of the open ones.
constexpr int64_t kStep = 2;
// Candidates are looked at alone when fewer than one in this many are open.
constexpr int64_t kFew = 12;

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
      : p_(p),
        columns_(p.n_picks * p.rows),
        before_((p.n_picks + 1) * p.rows),
        after_((p.n_picks + 1) * p.rows) {
    for (int64_t k = 0; k < p.rows; ++k) {
      for (int64_t r = 0; r < p.n_picks; ++r) {
        columns_[r * p.rows + k] = p.pool[k * p.width + p.picks[r]];
      }
    }
  }

  void visit(int64_t query) {
    for (int64_t r = 0; r < p_.n_picks; ++r) {
      extend(query, r, &before_[r * p_.rows], &before_[(r + 1) * p_.rows]);
      extend(query, p_.n_picks - 1 - r, &after_[r * p_.rows], &after_[(r + 1) * p_.rows]);
    }
  }

  double distance(int64_t pick, int64_t row) const {
    return before_[pick * p_.rows + row] + after_[(p_.n_picks - 1 - pick) * p_.rows + row];
  }

 private:
  void extend(int64_t query, int64_t pick, const double* from, double* to) const {
    const double* column = &columns_[pick * p_.rows];
    for (int64_t k = 0; k < p_.rows; ++k) {
      const double d = column[query] - column[k];
      to[k] = from[k] + d * d;
    }
  }

  const SwapProblem& p_;
  std::vector<double> columns_;  // the picks, one after the other
  std::vector<double> before_;   // the first row of both stays 0
  std::vector<double> after_;
};

// Replaces the nearest row of every candidate for which `near` is nearer. A fused multiply-add
// would round differently from `search` below and so break ties differently.
UNSUPRANK_UNFUSED_CLONES
void offer(int64_t width, Near near, const double* query, const double* values, double* distance,
           double* row) {
  for (int64_t c = 0; c < width; ++c) {
    const double d = query[c] - values[c];
    const double total = near.distance + d * d;
    const bool better = (total < distance[c]) | ((total == distance[c]) & (near.row < row[c]));
    distance[c] = better ? total : distance[c];
    row[c] = better ? near.row : row[c];
  }
}

// Number of candidates whose nearest row `next`, or any after it, may still replace.
UNSUPRANK_UNFUSED_CLONES
int64_t count_open(int64_t width, Near next, const double* distance, const double* row) {
  int64_t open = 0;
  for (int64_t c = 0; c < width; ++c) {
    const bool before =
        (distance[c] < next.distance) | ((distance[c] == next.distance) & (row[c] < next.row));
    open += before ? 0 : 1;
  }
  return open;
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
    const Reach reach = show_to_all(rows);
    const Near next = rows[std::min(reach.seen, reach.sorted - 1)];
    for (int64_t c = 0; c < p_.width; ++c) {
      if (!(best(c) < next)) search(c, rows, reach);
    }
  }

  int64_t row(int64_t candidate) const { return static_cast<int64_t>(row_[candidate]); }

 private:
  Near best(int64_t c) const { return {distance_[c], row_[c]}; }

  // How many rows all candidates have seen, and how many are in order.
  struct Reach {
    int64_t seen;
    int64_t sorted;
  };

  // Offers the nearest rows to all candidates until few are open.
  Reach show_to_all(std::vector<Near>& rows) {
    const int64_t prefix = std::min<int64_t>(kPrefix, rows.size());
    Reach reach{0, 0};
    for (; reach.seen < prefix; ++reach.seen) {
      if (reach.seen == reach.sorted) reach.sorted = sort_more(rows, reach.sorted);
      const Near next = rows[reach.seen];
      if (reach.seen > 0 && reach.seen % kStep == 0 &&
          count_open(p_.width, next, distance_.data(), row_.data()) * kFew < p_.width) {
        break;
      }
      offer(p_.width, next, query_, p_.pool + static_cast<int64_t>(next.row) * p_.width,
            distance_.data(), row_.data());
    }
    return reach;
  }

  // Brings the next nearest rows to their places. Nearly all rows fail one comparison, with the
  // last of the nearest found so far, which is quicker than any way that moves them.
  static int64_t sort_more(std::vector<Near>& rows, int64_t sorted) {
    const int64_t n_rows = rows.size(), end = std::min(sorted + kChunk, n_rows);
    std::sort(rows.begin() + sorted, rows.begin() + end);
    for (int64_t i = end; i < n_rows; ++i) {
      if (!(rows[i] < rows[end - 1])) continue;
      const Near nearer = rows[i];
      rows[i] = rows[end - 1];
      int64_t place = end - 1;
      for (; place > sorted && nearer < rows[place - 1]; --place) rows[place] = rows[place - 1];
      rows[place] = nearer;
    }
    return end;
  }

  void search(int64_t c, const std::vector<Near>& rows, Reach reach) {
    Near found = best(c);
    const int64_t n_rows = rows.size();
    for (int64_t i = reach.seen; i < n_rows; ++i) {
      if (!(rows[i] < found)) {
        if (i < reach.sorted) break;  // all that follow are farther still
        continue;
      }
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
