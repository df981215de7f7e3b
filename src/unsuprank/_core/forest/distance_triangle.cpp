#include "forest/distance_triangle.hpp"

#include <algorithm>

#include "simd/packs.hpp"

namespace unsuprank {
namespace {

// Distances come from inner products, half the work of adding up squared differences. What they
// lose where two rows are much closer to each other than to the first row, from which everything
// is measured, is repaired by differences.
constexpr int kLost = 64;  // smaller than the squared norms by this factor

constexpr int kTile = 4;  // rows and columns of products that are made together

template <int kRegister, typename Real>
struct Tile {
  using Lanes = Pack<Real, kRegister>;
  Lanes totals[kTile * kTile];  // products, to be summed over the lanes

  // Columns are taken so many together as there are registers for their totals.
  template <int kTogether>
  UNSUPRANK_INLINE void set(const Real* const* a, const Real* const* b, int64_t width) {
    for (int first = 0; first < kTile; first += kTogether) {
      Lanes total[kTile][kTogether] = {};
      for (int64_t c = 0; c < width; c += kLanes<Real>) {
        Lanes y[kTogether];
        for (int j = 0; j < kTogether; ++j) load(y[j], b[first + j] + c);
        for (int i = 0; i < kTile; ++i) {
          const Lanes x = loaded<Lanes>(a[i] + c);
          for (int j = 0; j < kTogether; ++j) total[i][j] += x * y[j];
        }
      }
      for (int i = 0; i < kTile; ++i) {
        for (int j = 0; j < kTogether; ++j) totals[i * kTile + first + j] = total[i][j];
      }
    }
  }

  UNSUPRANK_INLINE void sum(Real* out) {
    constexpr int kCount = kLanes<Real>;
    for (int p = 0; p < kTile * kTile; p += kCount) write_lane_sums<Real>(totals + p, out + p);
  }
};

// Writes the lower triangle of all products, with its diagonal.
template <int kRegister, typename Real>
UNSUPRANK_INLINE void products(const Real* rows, int64_t width, int64_t count, Real* out) {
  constexpr int kTogether = kManyRegisters<kRegister> ? kTile : 1;
  Tile<kRegister, Real> tile;
  for (int64_t i = 0; i < count; i += kTile) {
    const Real *a[kTile], *b[kTile];
    for (int k = 0; k < kTile; ++k) a[k] = rows + width * std::min(i + k, count - 1);
    for (int64_t j = 0; j <= i; j += kTile) {
      for (int k = 0; k < kTile; ++k) b[k] = rows + width * std::min(j + k, count - 1);
      tile.template set<kTogether>(a, b, width);
      Real found[kTile * kTile];
      tile.sum(found);
      for (int64_t r = i; r < std::min(i + kTile, count); ++r) {
        for (int64_t s = j; s <= std::min(j + kTile - 1, r); ++s) {
          out[r * count + s] = found[(r - i) * kTile + s - j];
        }
      }
    }
  }
}

// Writes rows relative to the first of them.
template <typename Real>
UNSUPRANK_INLINE void shift(const Real* coords, int64_t width, const int32_t* rows, int64_t count,
                            Real* shifted) {
  const Real* origin = coords + width * rows[0];
  for (int64_t i = 0; i < count; ++i) {
    const Real* from = coords + width * rows[i];
    Real* to = shifted + width * i;
    for (int64_t c = 0; c < width; ++c) to[c] = from[c] - origin[c];
  }
}

template <typename Real>
Real distance(const Real* a, const Real* b, int64_t width) {
  Pack<Real, kPlainRegisters> total = {}, x, y;
  for (int64_t c = 0; c < width; c += kLanes<Real>) {
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
  with_registers([=, shifted = shifted_.data()](auto bytes) UNSUPRANK_LAMBDA {
    shift(coords, width, rows, count, shifted);
    products<bytes>(shifted, width, count, out);
  });
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
