#include "forest/split_scan.hpp"

#include <algorithm>

#include "simd/packs.hpp"

namespace unsuprank {
namespace {

template <typename Real>
UNSUPRANK_INLINE void add_scaled_body(Real* to, const Real* from, Real factor, int64_t length) {
  for (int64_t c = 0; c < length; ++c) to[c] += factor * from[c];
}
UNSUPRANK_CLONES void add_scaled(double* to, const double* from, double factor, int64_t length) {
  add_scaled_body(to, from, factor, length);
}
UNSUPRANK_CLONES void add_scaled(float* to, const float* from, float factor, int64_t length) {
  add_scaled_body(to, from, factor, length);
}

// Returns a . b and then adds factor * b to a, in one pass; lengths are whole packs.
template <int kRegister, typename Real>
UNSUPRANK_INLINE double dot_then_add_body(Real* a, const Real* b, Real factor, int64_t length) {
  Pack<Real, kRegister> total = {};
  for (int64_t c = 0; c < length; c += kLanes<Real>) {
    Pack<Real, kRegister> x, y;
    load(x, a + c);
    load(y, b + c);
    total += x * y;
    x += factor * y;
    store(a + c, x);
  }
  return sum_of<Real>(total);
}
template <typename Real>
double dot_then_add(Real* a, const Real* b, Real factor, int64_t length) {
  double dot;
  with_registers([&](auto bytes)
                     UNSUPRANK_LAMBDA { dot = dot_then_add_body<bytes>(a, b, factor, length); });
  return dot;
}

}  // namespace

template <typename Real>
void PairScan<Real>::begin(const DistanceView<Real>& view, const NodeRows<Real>& node) {
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

template <typename Real>
void PairScan<Real>::clear() {
  to_one_.assign(stride_, Real(0));
  inner_ = touch_ = one_ = 0.0;
}

template <typename Real>
void PairScan<Real>::move(int64_t row, bool to_one) {
  const Real weight = to_one ? weights_[row] : -weights_[row];
  inner_ += 2.0 * weight * static_cast<double>(to_one_[row]);
  touch_ += weight * row_sums_[row];
  one_ += weight;
  add_scaled(to_one_.data(), matrix_.data() + row * stride_, weight, stride_);
}

template <typename Real>
double PairScan<Real>::gain() const {
  const double zero = all_ + inner_ - 2.0 * touch_;
  return 0.5 * (all_ / weight_ - inner_ / one_ - zero / (weight_ - one_));
}

template <typename Real>
void CoordScan<Real>::begin(const ClusteringSpace<Real>& space, const NodeRows<Real>& node) {
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

template <typename Real>
void CoordScan<Real>::clear() {
  sum_.assign(width_, Real(0));
  square_ = one_ = 0.0;
}

template <typename Real>
void CoordScan<Real>::move(int64_t row, bool to_one) {
  const Real weight = to_one ? weights_[row] : -weights_[row];
  const double dot = dot_then_add(sum_.data(), centred_.data() + row * width_, weight, width_);
  square_ += 2.0 * weight * dot + static_cast<double>(weight) * weight * norms_[row];
  one_ += weight;
}

// The rows are centred, so that the sum over the node is 0.
template <typename Real>
double CoordScan<Real>::gain() const {
  return square_ * weight_ / (one_ * (weight_ - one_));
}

template <typename Real>
void PartialScan<Real>::begin(const ClusteringSpace<Real>& space, const NodeRows<Real>& node) {
  space_ = &space;
  node_ = &node;
  whole_.assign(space.partial_width, 0.0);
  whole_count_.assign(space.partial_width, 0.0);
  for (int64_t i = 0; i < node.count; ++i) {
    const int64_t at = space.partial_width * node.rows[i];
    const double weight = node.weights[i];
    add_scaled(whole_.data(), space.partial + at, weight, space.partial_width);
    add_scaled(whole_count_.data(), space.known + at, weight, space.partial_width);
  }
}

template <typename Real>
void PartialScan<Real>::clear() {
  side_.assign(whole_.size(), 0.0);
  side_count_.assign(whole_.size(), 0.0);
}

template <typename Real>
void PartialScan<Real>::move(int64_t row, bool to_one) {
  const int64_t at = space_->partial_width * node_->rows[row];
  const double weight = to_one ? node_->weights[row] : -node_->weights[row];
  add_scaled(side_.data(), space_->partial + at, weight, space_->partial_width);
  add_scaled(side_count_.data(), space_->known + at, weight, space_->partial_width);
}

template <typename Real>
double PartialScan<Real>::gain() const {
  return partial_gain(side_.data(), side_count_.data(), whole_.data(), whole_count_.data(),
                      static_cast<int64_t>(whole_.size()));
}

template class PairScan<float>;
template class PairScan<double>;
template class CoordScan<float>;
template class CoordScan<double>;
template class PartialScan<float>;
template class PartialScan<double>;

}  // namespace unsuprank
