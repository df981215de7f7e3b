// What one split explains on the rows that its tree was not grown from; see out_of_bag_gains.hpp.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "forest/clustering_space.hpp"
#include "forest/node_sums.hpp"
#include "simd/packs.hpp"

namespace unsuprank {

// What a score knows of the rows besides their place: squared norms in the attributes without
// missing values (they go with distances), and the scales of the coordinates of each feature, if
// the feature of a split is not to count as a target (else null).
struct RowMeasures {
  const double* norms = nullptr;
  const double* scales = nullptr;
};

// The sum of z . (M_s - M) over the out-of-bag rows z of one side.
struct PairSide {
  double n_out;      // such rows
  double weight;     // of the side's in-bag rows
  double norms;      // summed over these
  double to_own;     // distances of the out-of-bag rows to these,
  double to_others;  // and to the in-bag rows of the other side

  double gain(double node_weight, double node_norms) const {
    const double larger = norms / weight - node_norms / node_weight;
    return 0.5 * (n_out * larger - to_own / weight + (to_own + to_others) / node_weight);
  }
};

// Squared distances of every row of `out` to every row of `in`, times the multiplicities.
template <typename Real>
double distances_across(const ClusteringSpace<Real>& space, const OutRows& out,
                        const WeightedRows& in) {
  double total = 0.0;
  for (int64_t i = 0; i < out.count; ++i) {
    const Real* from = space.distances + space.table.rows * out.rows[i];
    for (int64_t j = 0; j < in.count; ++j) {
      total += in.times[j] * static_cast<double>(from[in.rows[j]]);
    }
  }
  return total;
}

inline double norm_sum(const double* norms, const WeightedRows& rows) {
  double total = 0.0;
  for (int64_t i = 0; i < rows.count; ++i) total += rows.times[i] * norms[rows.rows[i]];
  return total;
}

// Sum of the out-of-bag rows of either side times M_s - M, where sides have the in-bag weights `a`
// and `b`; in-bag sums are followed by out-of-bag sums. The sums of `two` are added to `one`.
template <typename Real>
double merge(Real* one, const Real* two, double a, double b, int64_t width) {
  const Real of_a = static_cast<Real>(1.0 / a), of_b = static_cast<Real>(1.0 / b);
  const Real of_both = static_cast<Real>(1.0 / (a + b));
  return with_registers([=](auto bytes) UNSUPRANK_LAMBDA {
    using Lanes = Pack<Real, bytes>;
    Lanes total[2] = {};  // two sums in flight hide some of the latency of each
    for (int64_t c = 0; c < width; c += kLanes<Real>) {
      Lanes in_a, in_b, out_a, out_b;
      load(in_a, one + c);
      load(in_b, two + c);
      load(out_a, one + width + c);
      load(out_b, two + width + c);
      const Lanes in = in_a + in_b, mean = in * of_both;
      total[0] += out_a * (in_a * of_a - mean);
      total[1] += out_b * (in_b * of_b - mean);
      store(one + c, in);
      store(one + width + c, out_a + out_b);
    }
    return sum_of<Real>(total[0]) + sum_of<Real>(total[1]);
  });
}

// The same with counts of each attribute's own; a side that knows nothing predicts as the node
// does. Sums and counts of in-bag rows come before those of out-of-bag rows.
inline double partial_side_gain(const double* side, const double* other, int64_t width) {
  double total = 0.0;
  for (int64_t c = 0; c < width; ++c) {
    const double in_count = side[width + c], count = in_count + other[width + c];
    if (in_count == 0.0) continue;
    total += side[2 * width + c] * (side[c] / in_count - (side[c] + other[c]) / count);
  }
  return total;
}

// Sums of the coordinates of attributes that are known throughout.
template <typename Real>
class CompleteSums {
 public:
  explicit CompleteSums(const ClusteringSpace<Real>& space) : space_(space) {}

  void place(size_t n) { sums_.resize(n * size()); }

  void gather(const WeightedRows& in, const OutRows& out, size_t at) {
    Real* sums = sums_.data() + at * size();
    std::fill(sums, sums + size(), Real{0});
    for (int64_t i = 0; i < in.count; ++i) {
      add_multiple(static_cast<Real>(in.times[i]), space_.row(in.rows[i]), space_.width, sums);
    }
    for (int64_t i = 0; i < out.count; ++i) {
      add_multiple(Real{1}, space_.row(out.rows[i]), space_.width, sums + space_.width);
    }
  }

  double gain(size_t first, double weight_one, double weight_two) {
    Real* one = sums_.data() + first * size();
    return merge(one, one + size(), weight_one, weight_two, space_.width);
  }

 private:
  size_t size() const { return 2 * space_.width; }

  const ClusteringSpace<Real>& space_;
  std::vector<Real> sums_;  // of in-bag rows, then of out-of-bag rows
};

// Sums and counts of the coordinates of attributes with missing values.
template <typename Real>
class PartialSums {
 public:
  explicit PartialSums(const ClusteringSpace<Real>& space) : space_(space) {}

  void place(size_t n) { sums_.resize(n * size()); }

  void gather(const WeightedRows& in, const OutRows& out, size_t at) {
    const int64_t width = space_.partial_width;
    double* sums = sums_.data() + at * size();
    std::fill(sums, sums + size(), 0.0);
    for (int64_t i = 0; i < in.count; ++i) {
      const int64_t row = width * in.rows[i];
      add_multiple(static_cast<double>(in.times[i]), space_.partial + row, width, sums);
      add_multiple(static_cast<double>(in.times[i]), space_.known + row, width, sums + width);
    }
    for (int64_t i = 0; i < out.count; ++i) {
      const int64_t row = width * out.rows[i];
      add_multiple(1.0, space_.partial + row, width, sums + 2 * width);
    }
  }

  double gain(size_t first, double, double) {
    double* one = sums_.data() + first * size();
    const double* two = one + size();
    const double gain = partial_side_gain(one, two, space_.partial_width) +
                        partial_side_gain(two, one, space_.partial_width);
    add_multiple(1.0, two, static_cast<int64_t>(size()), one);
    return gain;
  }

 private:
  size_t size() const { return 3 * space_.partial_width; }

  const ClusteringSpace<Real>& space_;
  std::vector<double> sums_;  // of in-bag rows, their counts, and of out-of-bag rows
};

template <typename Real>
class SplitGain {
 public:
  SplitGain(const ClusteringSpace<Real>& space, const RowMeasures& measures)
      : space_(space), measures_(measures), complete_(space), partial_(space) {}

  // The gain of a split by a feature that parts rows so.
  double gain(int32_t feature, const SplitRows& rows) {
    const double weights[2] = {rows.in[0].weight(), rows.in[1].weight()};
    double gain = 0.0;
    if (space_.distances) {
      gain += by_distances(rows, weights);
    } else if (space_.width) {
      gain += by_sums(complete_, rows, weights);
    }
    if (space_.partial_width) gain += by_sums(partial_, rows, weights);
    if (measures_.scales) gain -= own_.gain(space_.table, measures_.scales, feature, rows);
    return gain;
  }

 private:
  double by_distances(const SplitRows& rows, const double* weights) const {
    const double norms[2] = {norm_sum(measures_.norms, rows.in[0]),
                             norm_sum(measures_.norms, rows.in[1])};
    double total = 0.0;
    for (int s = 0; s < 2; ++s) {
      const PairSide side{static_cast<double>(rows.out[s].count), weights[s], norms[s],
                          distances_across(space_, rows.out[s], rows.in[s]),
                          distances_across(space_, rows.out[s], rows.in[1 - s])};
      total += side.gain(weights[0] + weights[1], norms[0] + norms[1]);
    }
    return total;
  }

  template <typename Sums>
  double by_sums(Sums& sums, const SplitRows& rows, const double* weights) const {
    sums.place(2);
    for (int s = 0; s < 2; ++s) sums.gather(rows.in[s], rows.out[s], s);
    return sums.gain(0, weights[0], weights[1]);
  }

  const ClusteringSpace<Real>& space_;
  RowMeasures measures_;
  CompleteSums<Real> complete_;
  PartialSums<Real> partial_;
  OwnGain own_;
};

}  // namespace unsuprank
