#include "table/embedding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "simd/packs.hpp"
#include "table/column_range.hpp"

namespace unsuprank {
namespace {

// Writes (x unit - low) / span, where missing values are left as they are; returns the sum.
template <int kRegister>
UNSUPRANK_INLINE double to_unit_range(const double* x, int64_t rows, double unit, double low,
                                      double span, bool complete, double* out) {
  using Eight = Pack<double, kRegister>;
  const double per_span = 1.0 / span;
  Eight sums = {};
  int64_t i = 0;
  for (; complete && i + 8 <= rows; i += 8) {
    Eight v;
    load(v, x + i);
    v = (v * unit - low) * per_span;
    store(out + i, v);
    sums += v;
  }
  double sum = sum_of<double>(sums);
  for (; i < rows; ++i) {
    out[i] = (x[i] * unit - low) * per_span;
    if (!is_missing(x[i])) sum += out[i];
  }
  return sum;
}

// Subtracts the mean, puts missing values there, and returns the sum of squares.
template <int kRegister>
UNSUPRANK_INLINE double centre(double* out, int64_t rows, double mean, bool complete) {
  using Eight = Pack<double, kRegister>;
  Eight squares = {};
  int64_t i = 0;
  for (; complete && i + 8 <= rows; i += 8) {
    Eight v;
    load(v, out + i);
    v -= mean;
    store(out + i, v);
    squares += v * v;
  }
  double sum = sum_of<double>(squares);
  for (; i < rows; ++i) {
    out[i] = is_missing(out[i]) ? 0.0 : out[i] - mean;
    sum += out[i] * out[i];
  }
  return sum;
}

// A power of two for values whose range or its inverse overflows as it is; 1 for all others.
double unit_for(double range) {
  if (!std::isfinite(range)) return 0.5;
  return std::isfinite(1.0 / range) ? 1.0 : 0x1p200;
}

// The range is mapped to [0, 1] before anything is squared, so that neither 1e200 nor a small
// spread around a large mean can spoil the variance. Returns the factor between a value and its
// coordinate.
double embed_numeric(const double* x, int64_t rows, const ColumnRange& range, double scale,
                     double* out) {
  const double unit = unit_for(range.high - range.low);
  const double low = range.low * unit;
  const double span = range.high * unit - low;
  const double known = static_cast<double>(range.known);
  const bool complete = range.known == rows;
  const double squares = with_registers([=](auto bytes) UNSUPRANK_LAMBDA {
    const double sum = to_unit_range<bytes>(x, rows, unit, low, span, complete, out);
    return centre<bytes>(out, rows, sum / known, complete);
  });
  const double factor = scale / std::sqrt(squares / known);
  for (int64_t i = 0; i < rows; ++i) out[i] *= factor;
  // Of a span so small that the factor overflows, coordinates stay smaller than they should be.
  return std::min(factor / span * unit, std::numeric_limits<double>::max());
}

// Sets the share of each value and returns the Gini index.
double gini_of(const double* x, int64_t rows, std::vector<double>& share) {
  double known = 0.0;
  for (int64_t i = 0; i < rows; ++i) {
    if (is_missing(x[i])) continue;
    share[static_cast<int32_t>(x[i])] += 1.0;
    known += 1.0;
  }
  double gini = 1.0;
  for (double& p : share) {
    p /= known;
    gini -= p * p;
  }
  return gini;
}

void embed_nominal(const double* x, int64_t rows, int32_t n_values, double scale, double* out) {
  std::vector<double> share(n_values, 0.0);
  const double factor = scale / std::sqrt(gini_of(x, rows, share));
  for (int32_t v = 0; v < n_values; ++v) {
    double* z = out + v * rows;
    for (int64_t i = 0; i < rows; ++i) {
      z[i] = is_missing(x[i]) ? 0.0 : ((x[i] == v ? 1.0 : 0.0) - share[v]) * factor;
    }
  }
}

UNSUPRANK_CLONES void squared_lengths(const double* z, int64_t rows, int32_t width, double* h) {
  for (int64_t i = 0; i < rows; ++i) h[i] = z[i] * z[i];
  for (int32_t c = 1; c < width; ++c) {
    z += rows;
    for (int64_t i = 0; i < rows; ++i) h[i] += z[i] * z[i];
  }
}

template <typename Real>
UNSUPRANK_INLINE void add_terms(Real z, Real h, Real k, Real* terms) {
  const Real hk = h * k;
  const Real hh = h * h;
  terms[0] += hk;
  terms[1] += hk * k;
  terms[2] += hk * h;
  terms[3] += h;
  terms[4] += h * z;
  terms[5] += hh;
  terms[6] += hh * h;
}

template <int kRegister>
UNSUPRANK_INLINE void sum_terms(const double* z, const double* h, const double* k, int64_t rows,
                                double* sums) {
  using Eight = Pack<double, kRegister>;
  Eight packs[kDiagonalSums] = {};
  int64_t i = 0;
  for (; i + 8 <= rows; i += 8) {
    Eight of_z, of_h, of_k;
    load(of_z, z + i);
    load(of_h, h + i);
    load(of_k, k + i);
    add_terms(of_z, of_h, of_k, packs);
  }
  for (int s = 0; s < kDiagonalSums; ++s) sums[s] = sum_of<double>(packs[s]);
  for (; i < rows; ++i) add_terms(z[i], h[i], k[i], sums);
}

}  // namespace

void column_flags(const double* values, int64_t rows, int64_t cols, uint8_t* flags) {
  for (int64_t j = 0; j < cols; ++j) {
    const ColumnRange range = range_of(values + j * rows, rows);
    const bool infinite =
        range.known > 0 && !(std::isfinite(range.low) && std::isfinite(range.high));
    flags[j] = static_cast<uint8_t>((range.known < rows ? kMissing : 0) |
                                    (infinite ? kInfinite : 0) | (range.varies() ? kVaries : 0));
  }
}

void embed(const Columns& table, int64_t first, const int32_t* widths, int64_t count, double scale,
           double* out) {
  for (int64_t k = 0; k < count; ++k) {
    if (widths[k] == 0) continue;
    const int64_t j = first + k;
    const double* x = table.column(j).all();
    if (table.nominal(j)) {
      embed_nominal(x, table.rows, table.n_values[j], scale, out);
    } else {
      embed_numeric(x, table.rows, range_of(x, table.rows), scale, out);
    }
    out += table.rows * widths[k];
  }
}

void embedding_scales(const Columns& table, double scale, double* scales) {
  std::vector<double> scratch(table.rows);
  for (int64_t j = 0; j < table.cols; ++j) {
    const double* x = table.column(j).all();
    const ColumnRange range = range_of(x, table.rows);
    if (!range.varies()) {
      scales[j] = 0.0;
    } else if (table.nominal(j)) {
      std::vector<double> share(table.n_values[j], 0.0);
      scales[j] = scale / std::sqrt(gini_of(x, table.rows, share));
    } else {
      scales[j] = embed_numeric(x, table.rows, range, scale, scratch.data());
    }
  }
}

void diagonal_sums(const double* coords, int64_t rows, const int32_t* widths, int64_t count,
                   const double* k, double* sums) {
  std::vector<double> h(rows);
  for (int64_t j = 0; j < count; ++j) {
    squared_lengths(coords, rows, widths[j], h.data());
    with_registers([=, &h](auto bytes) UNSUPRANK_LAMBDA {
      sum_terms<bytes>(coords, h.data(), k, rows, sums + j * kDiagonalSums);
    });
    coords += rows * widths[j];
  }
}

}  // namespace unsuprank
