#include "embedding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace unsuprank {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  int64_t known = 0;

  bool varies() const { return known > 0 && low < high; }
};

Range range_of(const double* x, int64_t rows) {
  Range range;
  for (int64_t i = 0; i < rows; ++i) {
    if (is_missing(x[i])) continue;
    range.low = std::min(range.low, x[i]);
    range.high = std::max(range.high, x[i]);
    ++range.known;
  }
  return range;
}

// The range is mapped to [0, 1] before anything is squared, so that neither 1e200 nor a small
// spread around a large mean can spoil the variance.
// Returns the factor between a value and its coordinate.
double embed_numeric(const double* x, int64_t rows, const Range& range, double scale, double* out) {
  // Where the range itself overflows, halved values have a finite one.
  const double half = std::isfinite(range.high - range.low) ? 1.0 : 0.5;
  const double low = range.low * half;
  const double span = range.high * half - low;
  double sum = 0.0;
  for (int64_t i = 0; i < rows; ++i) {
    out[i] = (x[i] * half - low) / span;
    if (!is_missing(x[i])) sum += out[i];
  }
  const double mean = sum / static_cast<double>(range.known);
  double squares = 0.0;
  for (int64_t i = 0; i < rows; ++i) {
    out[i] = is_missing(x[i]) ? 0.0 : out[i] - mean;
    squares += out[i] * out[i];
  }
  const double factor = scale / std::sqrt(squares / static_cast<double>(range.known));
  for (int64_t i = 0; i < rows; ++i) out[i] *= factor;
  return factor / span * half;
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

}  // namespace

void embedding_widths(const Columns& table, int64_t first, int64_t last, int32_t* widths) {
  for (int64_t j = first; j < last; ++j) {
    const bool varies = range_of(table.column(j), table.rows).varies();
    widths[j - first] = !varies ? 0 : table.nominal(j) ? table.n_values[j] : 1;
  }
}

void embed(const Columns& table, int64_t first, int64_t last, double scale, double* out) {
  for (int64_t j = first; j < last; ++j) {
    const double* x = table.column(j);
    const Range range = range_of(x, table.rows);
    if (!range.varies()) continue;
    if (table.nominal(j)) {
      embed_nominal(x, table.rows, table.n_values[j], scale, out);
      out += table.rows * table.n_values[j];
    } else {
      embed_numeric(x, table.rows, range, scale, out);
      out += table.rows;
    }
  }
}

void embedding_scales(const Columns& table, double scale, double* scales) {
  std::vector<double> scratch(table.rows);
  for (int64_t j = 0; j < table.cols; ++j) {
    const double* x = table.column(j);
    const Range range = range_of(x, table.rows);
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

void add_pair_distances(const double* coords, int64_t rows, int64_t width, const int64_t* left,
                        const int64_t* right, int64_t pairs, double* sums) {
  for (int64_t c = 0; c < width; ++c) {
    const double* z = coords + c * rows;
    for (int64_t p = 0; p < pairs; ++p) {
      const double difference = z[left[p]] - z[right[p]];
      sums[p] += difference * difference;
    }
  }
}

}  // namespace unsuprank
