// The heuristic h of a split that changes one row at a time, for the search over all splits.
//
// A scan starts with every row of the node on side 0. `move` brings rows to side 1 or back;
// `gain` is the h of the split as it stands. Each part of the clustering space has its own scan.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "forest/coord_gains.hpp"
#include "forest/pair_gains.hpp"
#include "simd/packs.hpp"

namespace unsuprank {

// The scan from squared distances; a move costs one pass over the rows of the node.
template <typename Real>
class PairScan {
 public:
  void begin(const DistanceView<Real>& view, const NodeRows<Real>& node) {
    count_ = node.count;
    stride_ = padded(count_);
    weight_ = node.weight;
    weights_.assign(node.weights, node.weights + count_);
    matrix_.resize(count_ * stride_);
    for (int64_t i = 0; i < count_; ++i) {
      const Real* from = view.row(node.slots[i]);
      Real* row = matrix_.data() + i * stride_;
      for (int64_t j = 0; j < i; ++j) {
        row[j] = from[node.slots[j]];
        matrix_[j * stride_ + i] = row[j];
      }
      row[i] = Real(0);
      std::fill(row + count_, row + stride_, Real(0));
    }
    row_sums_.resize(count_);
    sum_rows(view, node, row_sums_.data());
    all_ = 0.0;
    for (int64_t i = 0; i < count_; ++i) all_ += weights_[i] * row_sums_[i];
  }

  void clear() {
    to_one_.assign(stride_, Real(0));
    inner_ = touch_ = one_ = 0.0;
  }

  void move(int64_t row, bool to_one) {
    const Real weight = to_one ? weights_[row] : -weights_[row];
    inner_ += 2.0 * weight * static_cast<double>(to_one_[row]);
    touch_ += weight * row_sums_[row];
    one_ += weight;
    add_multiple(weight, matrix_.data() + row * stride_, stride_, to_one_.data());
  }

  double gain() const {
    const double zero = all_ + inner_ - 2.0 * touch_;
    return 0.5 * (all_ / weight_ - inner_ / one_ - zero / (weight_ - one_));
  }

 private:
  int64_t count_ = 0, stride_ = 0;
  double weight_ = 0, all_ = 0;
  std::vector<Real> matrix_;      // the node's own distances, dense
  std::vector<Real> to_one_;      // weighted distance of each row to the rows on side 1
  std::vector<double> row_sums_;  // and to all rows
  std::vector<Real> weights_;
  double inner_ = 0, touch_ = 0, one_ = 0;
};

// Returns a . b and then adds factor * b to a, in one pass; lengths are whole packs.
template <typename Real>
double dot_then_add(Real* a, const Real* b, Real factor, int64_t length) {
  return with_registers([=](auto bytes) UNSUPRANK_LAMBDA {
    Pack<Real, bytes> total = {}, x, y;
    for (int64_t c = 0; c < length; c += kLanes<Real>) {
      load(x, a + c);
      load(y, b + c);
      total += x * y;
      x += factor * y;
      store(a + c, x);
    }
    return sum_of<Real>(total);
  });
}

// The scan from coordinates; a move costs one pass over them.
template <typename Real>
class CoordScan {
 public:
  void begin(const ClusteringSpace<Real>& space, const NodeRows<Real>& node) {
    count_ = node.count;
    width_ = space.width;
    weight_ = node.weight;
    weights_.assign(node.weights, node.weights + count_);
    std::vector<double> mean(width_, 0.0);
    for (int64_t i = 0; i < count_; ++i) {
      const Real* z = space.row(node.rows[i]);
      for (int64_t c = 0; c < width_; ++c) mean[c] += static_cast<double>(weights_[i]) * z[c];
    }
    for (double& value : mean) value /= weight_;
    centred_.resize(count_ * width_);
    norms_.assign(count_, 0.0);
    for (int64_t i = 0; i < count_; ++i) {
      const Real* z = space.row(node.rows[i]);
      Real* to = centred_.data() + i * width_;
      for (int64_t c = 0; c < width_; ++c) {
        to[c] = static_cast<Real>(z[c] - mean[c]);
        norms_[i] += static_cast<double>(to[c]) * to[c];
      }
    }
  }

  void clear() {
    sum_.assign(width_, Real(0));
    square_ = one_ = 0.0;
  }

  void move(int64_t row, bool to_one) {
    const Real weight = to_one ? weights_[row] : -weights_[row];
    const double dot = dot_then_add(sum_.data(), centred_.data() + row * width_, weight, width_);
    square_ += 2.0 * weight * dot + static_cast<double>(weight) * weight * norms_[row];
    one_ += weight;
  }

  // The rows are centred, so that the sum over the node is 0.
  double gain() const { return square_ * weight_ / (one_ * (weight_ - one_)); }

 private:
  int64_t count_ = 0, width_ = 0;
  double weight_ = 0;
  std::vector<Real> centred_;  // the node's rows, relative to their mean
  std::vector<Real> sum_;      // over side 1
  std::vector<Real> weights_;
  std::vector<double> norms_;
  double square_ = 0, one_ = 0;
};

// The scan from coordinates some of which are missing, by sums and counts per attribute.
template <typename Real>
class PartialScan {
 public:
  void begin(const ClusteringSpace<Real>& space, const NodeRows<Real>& node) {
    space_ = &space;
    node_ = &node;
    whole_.assign(space.partial_width, 0.0);
    whole_count_.assign(space.partial_width, 0.0);
    for (int64_t i = 0; i < node.count; ++i) {
      const int64_t at = space.partial_width * node.rows[i];
      const double weight = node.weights[i];
      add_multiple(weight, space.partial + at, space.partial_width, whole_.data());
      add_multiple(weight, space.known + at, space.partial_width, whole_count_.data());
    }
  }

  void clear() {
    side_.assign(whole_.size(), 0.0);
    side_count_.assign(whole_.size(), 0.0);
  }

  void move(int64_t row, bool to_one) {
    const int64_t at = space_->partial_width * node_->rows[row];
    const double weight = to_one ? node_->weights[row] : -node_->weights[row];
    add_multiple(weight, space_->partial + at, space_->partial_width, side_.data());
    add_multiple(weight, space_->known + at, space_->partial_width, side_count_.data());
  }

  double gain() const {
    return partial_gain(side_.data(), side_count_.data(), whole_.data(), whole_count_.data(),
                        static_cast<int64_t>(whole_.size()));
  }

 private:
  const ClusteringSpace<Real>* space_ = nullptr;
  const NodeRows<Real>* node_ = nullptr;
  std::vector<double> whole_, whole_count_, side_, side_count_;
};

}  // namespace unsuprank
