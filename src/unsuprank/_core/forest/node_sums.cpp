#include "forest/node_sums.hpp"

#include <algorithm>

#include "simd/packs.hpp"

namespace unsuprank {
namespace {

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

}  // namespace unsuprank
