// Squared error of a row's prediction by the prototype of a leaf, in the clustering space.
#pragma once
#include <cstdint>
#include <numeric>
#include <vector>

#include "forest/clustering_space.hpp"
#include "forest/trees.hpp"
#include "simd/packs.hpp"
#include "table/columns.hpp"

namespace unsuprank {

template <typename Real>
double distance(const Real* a, const Real* b, int64_t width) {
  return with_registers([=](auto bytes) UNSUPRANK_LAMBDA {
    Pack<Real, bytes> total[2] = {}, x, y;  // two sums in flight hide some of the latency of each
    for (int64_t c = 0; c < width; c += kLanes<Real>) {
      load(x, a + c);
      load(y, b + c);
      y -= x;
      total[c / kLanes<Real> % 2] += y * y;
    }
    return folded<Real>(total[0] + total[1]);
  });
}

// Errors with respect to all attributes. What depends on the leaf alone is kept until `reset`.
template <typename Real>
class LeafErrors {
 public:
  explicit LeafErrors(const ClusteringSpace<Real>& space) : space_(space) {}

  // Forgets everything, for a tree with this many nodes.
  void reset(int64_t n_nodes) {
    spread_.assign(n_nodes, -1.0);
    centre_.assign(n_nodes, -1);
    centres_.clear();
    partial_centre_.assign(n_nodes, -1);
    partial_centres_.clear();
  }

  double error(int64_t row, int32_t leaf, const WeightedRows& rows) {
    double total = 0.0;
    if (space_.distances || space_.width) total += complete_error(row, leaf, rows);
    if (space_.partial_width) total += partial_error(row, leaf, rows);
    return total;
  }

  // Asks for the coordinates that an error will soon be found from.
  void expect(int64_t row, const WeightedRows& rows) const {
    if (space_.distances || rows.count > 1) return;
    const Real *a = space_.row(row), *b = space_.row(rows.rows[0]);
    for (int64_t c = 0; c < space_.width; c += kLanes<Real>) {
      prefetch(a + c);
      prefetch(b + c);
    }
  }

 private:
  double complete_error(int64_t row, int32_t leaf, const WeightedRows& rows) {
    if (space_.distances) {
      const double weight = rows.weight();
      if (spread_[leaf] < 0.0) {
        double pairs = 0.0;
        for (int64_t j = 0; j < rows.count; ++j) {
          const Real* from = space_.distances + space_.table.rows * rows.rows[j];
          for (int64_t k = 0; k < j; ++k) {
            pairs += static_cast<double>(from[rows.rows[k]]) * rows.times[j] * rows.times[k];
          }
        }
        spread_[leaf] = pairs / (weight * weight);
      }
      const Real* from = space_.distances + space_.table.rows * row;
      double sum = 0.0;
      for (int64_t j = 0; j < rows.count; ++j) {
        sum += static_cast<double>(from[rows.rows[j]]) * rows.times[j];
      }
      return sum / weight - spread_[leaf];
    }
    if (rows.count == 1) return distance(space_.row(row), space_.row(rows.rows[0]), space_.width);
    if (centre_[leaf] < 0) {
      centre_[leaf] = static_cast<int64_t>(centres_.size());
      std::vector<double> centre(space_.width, 0.0);
      const double weight = rows.weight();
      for (int64_t j = 0; j < rows.count; ++j) {
        const Real* z = space_.row(rows.rows[j]);
        for (int64_t c = 0; c < space_.width; ++c) centre[c] += z[c] * (rows.times[j] / weight);
      }
      centres_.insert(centres_.end(), centre.begin(), centre.end());
    }
    return distance(space_.row(row), centres_.data() + centre_[leaf], space_.width);
  }

  double partial_error(int64_t row, int32_t leaf, const WeightedRows& rows) {
    const int64_t width = space_.partial_width;
    if (partial_centre_[leaf] < 0) {
      partial_centre_[leaf] = static_cast<int64_t>(partial_centres_.size());
      std::vector<double> centre(width, 0.0), count(width, 0.0);
      for (int64_t j = 0; j < rows.count; ++j) {
        const int64_t at = width * rows.rows[j];
        for (int64_t c = 0; c < width; ++c) {
          centre[c] += space_.partial[at + c] * rows.times[j];
          count[c] += space_.known[at + c] * rows.times[j];
        }
      }
      // What no row of the leaf knows is predicted by the mean of all rows, which is 0.
      for (int64_t c = 0; c < width; ++c) centre[c] = count[c] > 0.0 ? centre[c] / count[c] : 0.0;
      partial_centres_.insert(partial_centres_.end(), centre.begin(), centre.end());
    }
    const double* centre = partial_centres_.data() + partial_centre_[leaf];
    const int64_t at = width * row;
    double total = 0.0;
    for (int64_t c = 0; c < width; ++c) {
      const double difference = space_.partial[at + c] - centre[c];
      total += space_.known[at + c] * difference * difference;
    }
    return total;
  }

  const ClusteringSpace<Real>& space_;
  std::vector<double> spread_;   // mean squared distance within the leaf, halved; < 0: not known
  std::vector<int64_t> centre_;  // where its centre is in centres_; < 0: not known
  std::vector<Real> centres_;
  std::vector<int64_t> partial_centre_;
  std::vector<double> partial_centres_;
};

// Errors with respect to one attribute, whose value need not be the row's own. `scale` is that of
// the attribute's coordinates.
class AttributeErrors {
 public:
  void reset(int64_t n_nodes) {
    seen_.assign(n_nodes, -1);
    mean_.assign(n_nodes, 0.0);
    shares_.resize(n_nodes);
    round_ = 0;
  }

  // From here on, errors are those of this attribute.
  void select(const Columns& table, int64_t attribute, double scale) {
    column_ = table.column(attribute);
    n_values_ = table.n_values[attribute];
    scale_ = scale;
    ++round_;
    if (table.may_miss(attribute)) summarise_all(table.rows);
  }

  double error(double value, int32_t leaf, const WeightedRows& rows) {
    if (is_missing(value)) return 0.0;
    if (seen_[leaf] != round_) summarise_leaf(leaf, rows);
    if (n_values_ > 0) {
      const double share = shares_[leaf][static_cast<size_t>(value)];
      return (1.0 - 2.0 * share + mean_[leaf]) * scale_ * scale_;
    }
    const double difference = value * scale_ - mean_[leaf];
    return difference * difference;
  }

 private:
  void summarise_all(int64_t rows) {
    std::vector<int32_t> all(rows), once(rows, 1);
    std::iota(all.begin(), all.end(), 0);
    centre_ = 0.0;
    summarise({all.data(), once.data(), rows}, centre_, all_shares_);
  }

  void summarise_leaf(int32_t leaf, const WeightedRows& rows) {
    seen_[leaf] = round_;
    if (!summarise(rows, mean_[leaf], shares_[leaf])) {
      mean_[leaf] = centre_;
      shares_[leaf] = all_shares_;
    }
    if (n_values_ == 0) return;
    mean_[leaf] = 0.0;
    for (const double share : shares_[leaf]) mean_[leaf] += share * share;
  }

  // The mean over rows, or the share of each value; false if no value is known.
  bool summarise(const WeightedRows& rows, double& mean, std::vector<double>& shares) {
    double sum = 0.0, known = 0.0;
    shares.assign(n_values_, 0.0);
    for (int64_t j = 0; j < rows.count; ++j) {
      const double value = column_[rows.rows[j]];
      if (is_missing(value)) continue;
      known += rows.times[j];
      if (n_values_ > 0) {
        shares[static_cast<size_t>(value)] += rows.times[j];
      } else {
        sum += value * scale_ * rows.times[j];
      }
    }
    if (known == 0.0) return false;
    mean = sum / known;
    for (double& share : shares) share /= known;
    return true;
  }

  ColumnView column_;
  int32_t n_values_ = 0;
  double scale_ = 0.0;
  // Over all training rows, for leaves that know nothing of the attribute.
  double centre_ = 0.0;
  std::vector<double> all_shares_;
  int64_t round_ = 0;
  std::vector<int64_t> seen_;                // the round in which a leaf was summarised
  std::vector<double> mean_;                 // numeric: scaled mean; nominal: sum of squared shares
  std::vector<std::vector<double>> shares_;  // nominal: share of each value
};

}  // namespace unsuprank
