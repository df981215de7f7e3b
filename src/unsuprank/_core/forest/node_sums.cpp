#include "forest/node_sums.hpp"

#include <algorithm>

#include "simd/packs.hpp"

namespace unsuprank {
namespace {

// Rows of coordinates are padded to whole packs.
template <typename Real>
void add_row(const Real* from, Real weight, int64_t width, Real* to) {
  with_registers([=](auto bytes) UNSUPRANK_LAMBDA {
    using Lanes = Pack<Real, bytes>;
    for (int64_t c = 0; c < width; c += kLanes<Real>) {
      store(to + c, loaded<Lanes>(to + c) + weight * loaded<Lanes>(from + c));
    }
  });
}

// Sum of the out-of-bag rows of either side times M_s - M, where sides have the in-bag weights `a`
// and `b`; in-bag sums are followed by out-of-bag sums. The sums of `two` are added to `one`.
template <int kRegister, typename Real>
UNSUPRANK_INLINE double merge_body(Real* one, const Real* two, double a, double b, int64_t width) {
  const Real of_a = static_cast<Real>(1.0 / a), of_b = static_cast<Real>(1.0 / b);
  const Real of_both = static_cast<Real>(1.0 / (a + b));
  using Lanes = Pack<Real, kRegister>;
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
}
template <typename Real>
double merge(Real* one, const Real* two, double a, double b, int64_t width) {
  double gain;
  with_registers([&](auto bytes)
                     UNSUPRANK_LAMBDA { gain = merge_body<bytes>(one, two, a, b, width); });
  return gain;
}

// The same with counts of each attribute's own; a side that knows nothing predicts as the node
// does. Sums and counts of in-bag rows come before those of out-of-bag rows.
double partial_side_gain(const double* side, const double* other, int64_t width) {
  double total = 0.0;
  for (int64_t c = 0; c < width; ++c) {
    const double in_count = side[width + c], count = in_count + other[width + c];
    if (in_count == 0.0) continue;
    total += side[2 * width + c] * (side[c] / in_count - (side[c] + other[c]) / count);
  }
  return total;
}

// Weighted sum and weight of the known values of rows.
struct Known {
  double sum = 0.0, weight = 0.0;

  void add(double value, double times) {
    const bool missing = is_missing(value);  // no branch, which would be mispredicted
    sum += missing ? 0.0 : times * value;
    weight += missing ? 0.0 : times;
  }
};

Known known_in(const ColumnView& x, const WeightedRows& rows) {
  Known known;
  for (int64_t i = 0; i < rows.count; ++i) known.add(x[rows.rows[i]], rows.times[i]);
  return known;
}

}  // namespace

void NodeSets::set(int64_t tree, const OutOfBag& outside) {
  tree_ = tree;
  base_ = trees_.node_offset[tree];
  const int32_t n = count();
  begins_.assign(n, 0);
  ends_.assign(n, 0);
  weights_.resize(n);
  for (const int32_t leaf : outside.leaves()) ++ends_[leaf];  // counts, at first
  for (int32_t k = n - 1; k >= 0; --k) {
    weights_[k] = is_leaf(k) ? in(k).weight() : weights_[left(k)] + weights_[left(k) + 1];
    if (!is_leaf(k)) ends_[k] = ends_[left(k)] + ends_[left(k) + 1];
  }
  for (int32_t k = 0; k < n; ++k) {
    ends_[k] += begins_[k];
    if (is_leaf(k)) continue;
    begins_[left(k)] = begins_[k];
    begins_[left(k) + 1] = begins_[k] + ends_[left(k)];
  }
  rows_.resize(outside.rows().size());
  std::vector<int64_t> next(begins_);
  for (size_t p = 0; p < rows_.size(); ++p) {
    rows_[next[outside.leaves()[p]]++] = outside.rows()[p];
  }
}

template <typename Real>
void CompleteSums<Real>::gather(const WeightedRows& in, const OutRows& out, size_t at) {
  Real* sums = sums_.data() + at * size();
  std::fill(sums, sums + size(), Real{0});
  for (int64_t i = 0; i < in.count; ++i) {
    add_row(space_.row(in.rows[i]), static_cast<Real>(in.times[i]), space_.width, sums);
  }
  for (int64_t i = 0; i < out.count; ++i) {
    add_row(space_.row(out.rows[i]), Real{1}, space_.width, sums + space_.width);
  }
}

template <typename Real>
double CompleteSums<Real>::gain(size_t first, double weight_one, double weight_two) {
  Real* one = sums_.data() + first * size();
  return merge(one, one + size(), weight_one, weight_two, space_.width);
}

template <typename Real>
void PartialSums<Real>::gather(const WeightedRows& in, const OutRows& out, size_t at) {
  const int64_t width = space_.partial_width;
  double* sums = sums_.data() + at * size();
  std::fill(sums, sums + size(), 0.0);
  for (int64_t i = 0; i < in.count; ++i) {
    const int64_t row = width * in.rows[i];
    add_row(space_.partial + row, static_cast<double>(in.times[i]), width, sums);
    add_row(space_.known + row, static_cast<double>(in.times[i]), width, sums + width);
  }
  for (int64_t i = 0; i < out.count; ++i) {
    const int64_t row = width * out.rows[i];
    add_row(space_.partial + row, 1.0, width, sums + 2 * width);
  }
}

template <typename Real>
double PartialSums<Real>::gain(size_t first, double, double) {
  double* one = sums_.data() + first * size();
  const double* two = one + size();
  const double gain = partial_side_gain(one, two, space_.partial_width) +
                      partial_side_gain(two, one, space_.partial_width);
  add_row(two, 1.0, static_cast<int64_t>(size()), one);
  return gain;
}

double OwnGain::gain(const Columns& table, const double* scales, int32_t feature,
                     const SplitRows& rows) {
  const ColumnView x = table.column(feature);
  const double gain = table.nominal(feature) ? nominal(x, centre(table, feature), rows)
                                             : numeric(x, centre(table, feature)[0], rows);
  return gain * scales[feature] * scales[feature];
}

void OwnGain::expect(const Columns& table, const NodeSets& nodes, int32_t node) {
  constexpr int64_t kSmall = 64;
  if (nodes.is_leaf(node) || nodes.in(node).count > kSmall) return;
  const ColumnView x = table.column(nodes.feature(node));
  const WeightedRows in = nodes.in(node);
  const OutRows out = nodes.out(node);
  for (int64_t i = 0; i < in.count; ++i) x.expect(in.rows[i]);
  for (int64_t i = 0; i < out.count; ++i) x.expect(out.rows[i]);
}

// The mean of a column, or the shares of its values; found when a feature is first asked for.
const std::vector<double>& OwnGain::centre(const Columns& table, int32_t feature) {
  centres_.resize(table.cols);
  std::vector<double>& centre = centres_[feature];
  if (!centre.empty()) return centre;
  centre.assign(std::max(table.n_values[feature], 1), 0.0);
  const ColumnView x = table.column(feature);
  const double part = 1.0 / static_cast<double>(table.rows);  // so that the sum cannot overflow
  double known = 0.0;
  for (int64_t i = 0; i < table.rows; ++i) {
    if (is_missing(x[i])) continue;
    known += part;
    if (table.nominal(feature)) {
      centre[static_cast<size_t>(x[i])] += part;
    } else {
      centre[0] += x[i] * part;
    }
  }
  for (double& share : centre) share /= known;
  return centre;
}

double OwnGain::numeric(const ColumnView& x, double centre, const SplitRows& rows) const {
  const Known known[2] = {known_in(x, rows.in[0]), known_in(x, rows.in[1])};
  const double weight = known[0].weight + known[1].weight;
  if (weight == 0.0) return 0.0;
  const double mean = (known[0].sum + known[1].sum) / weight;
  double total = 0.0;
  for (int side = 0; side < 2; ++side) {
    if (known[side].weight == 0.0) continue;
    const OutRows& out = rows.out[side];
    double deviations = 0.0;
    for (int64_t i = 0; i < out.count; ++i) {
      const double value = x[out.rows[i]];
      deviations += is_missing(value) ? 0.0 : value - centre;
    }
    total += deviations * (known[side].sum / known[side].weight - mean);
  }
  return total;
}

// Counts of the values of rows; returns the sum of the counts.
double OwnGain::tally(const ColumnView& x, const WeightedRows& rows, double* counts) {
  double total = 0.0;
  for (int64_t i = 0; i < rows.count; ++i) {
    const double value = x[rows.rows[i]];
    if (is_missing(value)) continue;
    counts[static_cast<size_t>(value)] += rows.times[i];
    total += rows.times[i];
  }
  return total;
}

double OwnGain::nominal(const ColumnView& x, const std::vector<double>& centre,
                        const SplitRows& rows) {
  const int64_t n = static_cast<int64_t>(centre.size());
  counts_.assign(2 * n, 0.0);
  double *of_node = counts_.data(), *of_side = of_node + n;
  const double weight = tally(x, rows.in[0], of_node) + tally(x, rows.in[1], of_node);
  double total = 0.0;
  for (int side = 0; side < 2; ++side) {
    std::fill(of_side, of_side + n, 0.0);
    const double side_weight = tally(x, rows.in[side], of_side);
    if (side_weight == 0.0) continue;
    // The change of the predicted share of a value, and what it is worth to each row with it.
    double expected = 0.0;
    for (int64_t v = 0; v < n; ++v) {
      of_side[v] = of_side[v] / side_weight - of_node[v] / weight;
      expected += centre[v] * of_side[v];
    }
    const OutRows& out = rows.out[side];
    for (int64_t i = 0; i < out.count; ++i) {
      const double value = x[out.rows[i]];
      if (!is_missing(value)) total += of_side[static_cast<size_t>(value)] - expected;
    }
  }
  return total;
}

template class CompleteSums<float>;
template class CompleteSums<double>;
template class PartialSums<float>;
template class PartialSums<double>;

}  // namespace unsuprank
