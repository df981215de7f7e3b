#include "relief/sparse_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace unsuprank {
namespace {

// What both values have in common on one side of zero; `sign` is that of the first, `size` is
// positive.
inline double shared(double size, double sign, double other) {
  return std::max(0.0, std::min(size, sign * other));
}

// Sums of differences in the grouping of sum_of_differences (relief/exact_differences.cpp): two
// times eight of them, taken in turn. Terms that are 0 may be left out.
struct GroupedSum {
  double part[16] = {};
  void add(int64_t term, double difference) { part[term % 16] += difference; }
  double total() const {
    double sum[8];
    for (int l = 0; l < 8; ++l) sum[l] = part[l] + part[l + 8];
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
  }
};

}  // namespace

SparseReliefRows::SparseReliefRows(SparseLines by_rows, SparseLines by_columns, int64_t rows,
                                   std::vector<double> zero, int64_t width)
    : by_rows_(by_rows),
      by_columns_(by_columns),
      rows_(rows),
      zero_(std::move(zero)),
      width_(static_cast<double>(width)),
      norm_(rows, 0.0) {
  for (int64_t r = 0; r < rows_; ++r) {
    longest_ = std::max(longest_, length(r));
    for (int64_t k = by_rows_.starts[r]; k < by_rows_.starts[r + 1]; ++k) {
      norm_[r] += std::fabs(by_rows_.values[k] - zero_[by_rows_.index[k]]);
    }
  }
}

void SparseReliefRows::coarse_distances(int64_t query, double* out) const {
  for (int64_t r = 0; r < rows_; ++r) out[r] = norm_[query] + norm_[r];
  for (int64_t k = by_rows_.starts[query]; k < by_rows_.starts[query + 1]; ++k) {
    const int64_t j = by_rows_.index[k];
    const double zero = zero_[j], offset = by_rows_.values[k] - zero;
    const double size = std::fabs(offset), sign = offset < 0.0 ? -1.0 : 1.0;
    for (int64_t i = by_columns_.starts[j]; i < by_columns_.starts[j + 1]; ++i) {
      out[by_columns_.index[i]] -= 2.0 * shared(size, sign, by_columns_.values[i] - zero);
    }
  }
}

// Every value is at most 1 and enters with a rounding of its own, in sums of as many terms.
double SparseReliefRows::rounding_bound(int64_t query) const {
  const double terms = static_cast<double>(length(query) + longest_ + 8);
  return 4.0 * std::numeric_limits<double>::epsilon() * terms * terms;
}

template <typename Visit>
void SparseReliefRows::each_difference(int64_t a, int64_t b, Visit visit) const {
  int64_t i = by_rows_.starts[a], k = by_rows_.starts[b];
  const int64_t end_i = by_rows_.starts[a + 1], end_k = by_rows_.starts[b + 1];
  while (i < end_i || k < end_k) {
    const int32_t from_a = i < end_i ? by_rows_.index[i] : std::numeric_limits<int32_t>::max();
    const int32_t from_b = k < end_k ? by_rows_.index[k] : std::numeric_limits<int32_t>::max();
    const int32_t j = std::min(from_a, from_b);
    const double u_a = from_a == j ? by_rows_.values[i++] : zero_[j];
    const double u_b = from_b == j ? by_rows_.values[k++] : zero_[j];
    visit(j, std::fabs(u_a - u_b));
  }
}

double SparseReliefRows::distance(int64_t a, int64_t b) const {
  GroupedSum sum;
  each_difference(a, b, [&](int64_t term, double difference) { sum.add(term, difference); });
  return sum.total() / width_;
}

std::vector<Neighbor> SparseReliefRows::neighbors(int64_t query, int64_t count) const {
  std::vector<double> coarse(rows_);
  coarse_distances(query, coarse.data());
  coarse[query] = std::numeric_limits<double>::infinity();
  std::vector<double> sorted(coarse);
  std::nth_element(sorted.begin(), sorted.begin() + count - 1, sorted.end());
  // Both distances that are compared may be off, and some that differ count as equal.
  const double limit =
      sorted[count - 1] + 2.0 * rounding_bound(query) + 2.0 * width_ / kTiesPerUnit;
  std::vector<Neighbor> found;
  for (int64_t r = 0; r < rows_; ++r) {
    if (coarse[r] <= limit && r != query) found.push_back(neighbor_at(distance(query, r), r, r));
  }
  std::partial_sort(found.begin(), found.begin() + count, found.end(), nearer);
  found.resize(count);
  return found;
}

void SparseReliefRows::add_sums(const int64_t* queries, int64_t n_queries, const int64_t* counts,
                                int64_t n_parts, double* sums, double* distances) const {
  for (int64_t q = 0; q < n_queries; ++q) {
    const std::vector<Neighbor> found = neighbors(queries[q], counts[n_parts - 1]);
    int64_t k = 0;
    for (int64_t part = 0; part < n_parts; ++part) {
      double* plain = sums + 2 * part * terms();
      double* weighted = plain + terms();
      for (; k < counts[part]; ++k) {
        const double weight = found[k].distance;
        each_difference(queries[q], found[k].position, [&](int64_t term, double difference) {
          plain[term] += difference;
          weighted[term] += difference * weight;
        });
        distances[part] += weight;
      }
    }
  }
}

}  // namespace unsuprank
