#include "distance_triangle.hpp"

#include <algorithm>

#include "simd.hpp"

namespace unsuprank {
namespace {

// Distances come from inner products, half the work of adding up squared differences. What they
// lose where two rows are much closer to each other than to the first row, from which everything
// is measured, is repaired by differences.
constexpr int kLost = 64;  // smaller than the squared norms by this factor

constexpr int kTall = 2, kBroad = 4;  // rows and columns of products that are made together

template <typename Real>
UNSUPRANK_INLINE void products_of(const Real* const* a, const Real* const* b, int64_t width,
                                  Real (*out)[kBroad]) {
  Pack<Real> total[kTall][kBroad] = {};
  for (int64_t c = 0; c < width; c += Simd<Real>::lanes) {
    Pack<Real> x[kTall], y;
    for (int i = 0; i < kTall; ++i) load(x[i], a[i] + c);
    for (int j = 0; j < kBroad; ++j) {
      load(y, b[j] + c);
      for (int i = 0; i < kTall; ++i) total[i][j] += x[i] * y;
    }
  }
  for (int i = 0; i < kTall; ++i) {
    for (int j = 0; j < kBroad; ++j) out[i][j] = folded<Real>(total[i][j]);
  }
}

// Lower triangle with diagonal.
template <typename Real>
UNSUPRANK_INLINE void products_body(const Real* rows, int64_t width, int64_t count, Real* out) {
  for (int64_t i = 0; i < count; i += kTall) {
    const Real* a[kTall];
    for (int k = 0; k < kTall; ++k) a[k] = rows + width * std::min(i + k, count - 1);
    for (int64_t j = 0; j < std::min(i + kTall, count); j += kBroad) {
      const Real* b[kBroad];
      for (int k = 0; k < kBroad; ++k) b[k] = rows + width * std::min(j + k, count - 1);
      Real found[kTall][kBroad];
      products_of(a, b, width, found);
      for (int64_t r = i; r < std::min(i + kTall, count); ++r) {
        for (int64_t s = j; s <= std::min(j + kBroad - 1, r); ++s) {
          out[r * count + s] = found[r - i][s - j];
        }
      }
    }
  }
}
UNSUPRANK_CLONES void products(const double* rows, int64_t width, int64_t count, double* out) {
  products_body(rows, width, count, out);
}
UNSUPRANK_CLONES void products(const float* rows, int64_t width, int64_t count, float* out) {
  products_body(rows, width, count, out);
}

template <typename Real>
Real distance(const Real* a, const Real* b, int64_t width) {
  Pack<Real> total = {}, x, y;
  for (int64_t c = 0; c < width; c += Simd<Real>::lanes) {
    load(x, a + c);
    load(y, b + c);
    y -= x;
    total += y * y;
  }
  return folded<Real>(total);
}

}  // namespace

template <typename Real>
void DistanceTriangle<Real>::fill(const Real* coords, int64_t width, const int32_t* rows,
                                  int64_t count, Real* out) {
  shifted_.resize(count * width);
  const Real* origin = coords + width * rows[0];
  for (int64_t i = 0; i < count; ++i) {
    const Real* from = coords + width * rows[i];
    Real* to = shifted_.data() + width * i;
    for (int64_t c = 0; c < width; ++c) to[c] = from[c] - origin[c];
  }
  products(shifted_.data(), width, count, out);
  norms_.resize(count);
  for (int64_t i = 0; i < count; ++i) norms_[i] = out[i * count + i];
  for (int64_t i = 1; i < count; ++i) {
    for (int64_t j = 0; j < i; ++j) {
      const Real size = norms_[i] + norms_[j];
      Real& d = out[i * count + j];
      d = size - 2 * d;
      if (kLost * d < size) {
        d = distance(shifted_.data() + width * i, shifted_.data() + width * j, width);
      }
    }
  }
}

template class DistanceTriangle<float>;
template class DistanceTriangle<double>;

}  // namespace unsuprank
