#include "whole_graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "pair_products.hpp"
#include "simd.hpp"

namespace unsuprank {
namespace {

constexpr int64_t kBand = WholeTable::kBand;
constexpr int64_t kTiles = kBand / kTileRows;
constexpr int64_t kTile = kTileRows * kPanel;
// Pairs of a panel that stay in the cache while the rows of a band pass.
constexpr int64_t kPairsAtOnce = 256;
// Rows of which the high and the low parts of the weights are the rows of one tile.
constexpr int64_t kGroup = kTileRows / 2;

UNSUPRANK_CLONES void distances_of_products(const int32_t* products, const int32_t* norms,
                                            const int32_t* panel_norms, int64_t step,
                                            int32_t* distances) {
  for (int r = 0; r < kTileRows; ++r) {
    for (int c = 0; c < kPanel; ++c) {
      distances[r * step + c] = norms[r] + panel_norms[c] - 2 * products[r * kPanel + c];
    }
  }
}

// Up to the diagonal and beyond the table there are no pairs.
void leave_out(const WholeTable& table, int64_t first, int32_t* distances) {
  const int64_t width = table.all_rows() - first, known = table.rows() - first;
  for (int64_t r = 0; r < kBand; ++r) {
    int32_t* row = distances + r * width;
    std::fill(row, row + std::min(r < known ? r + 1 : width, width), kNoPair);
    std::fill(row + known, row + width, kNoPair);
  }
}

// 2^x for x > -60, to 1e-11 of itself: a polynomial for what is left of the nearest whole number.
UNSUPRANK_INLINE double power_of_two(double x) {
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds
  // ln(2)^k / k!
  constexpr double kTerms[] = {1.0178086009239699e-7, 1.3215486790144307e-6,
                               1.525273380405984e-5,  1.540353039338161e-4,
                               1.3333558146428443e-3, 9.618129107628477e-3,
                               5.5504108664821576e-2, 0.24022650695910072,
                               0.6931471805599453,    1.0};
  const double shifted = x + kRound;
  const double rest = x - (shifted - kRound);
  double power = kTerms[0];
  for (size_t k = 1; k < std::size(kTerms); ++k) power = power * rest + kTerms[k];
  // The lowest bits of the shifted number are the whole one.
  int64_t exponent, bits;
  std::memcpy(&exponent, &shifted, sizeof(bits));
  std::memcpy(&bits, &power, sizeof(bits));
  bits += static_cast<int64_t>(static_cast<uint64_t>(exponent) << 52);
  std::memcpy(&power, &bits, sizeof(bits));
  return power;
}

// Weights of one row, in high and low parts. Adds them to the degrees; their sum is returned.
UNSUPRANK_CLONES int64_t weigh(const int32_t* distances, int64_t width, double gamma, int16_t* high,
                               int16_t* low, int64_t* degrees) {
  constexpr double kNegligible = -10.0;
  const double rate = -gamma * 1.4426950408889634;  // of powers of two
  const double start = std::log2(kOne);
  int64_t total = 0;
  for (int64_t j = 0; j < width; ++j) {
    const double exponent = distances[j] * rate + start;
    const double weight = power_of_two(exponent > kNegligible ? exponent : kNegligible);
    const int32_t fixed = distances[j] == kNoPair ? 0 : static_cast<int32_t>(weight + 0.5);
    const int32_t upper = (fixed + 32768) >> 16;
    high[j] = static_cast<int16_t>(upper);
    low[j] = static_cast<int16_t>(fixed);  // the rest of it, between -32768 and 32767
    degrees[j] += fixed;
    total += fixed;
  }
  return total;
}

// Multiplies the products of a group's weights with a panel of columns by the group's numbers.
UNSUPRANK_CLONES void add_forms(const int32_t* products, const int16_t* rows, int64_t step,
                                double* forms) {
  for (int r = 0; r < kGroup; ++r) {
    const int32_t* high = products + r * kPanel;
    const int32_t* low = high + kGroup * kPanel;
    for (int c = 0; c < kPanel; ++c) {
      forms[c] += (high[c] * 65536.0 + low[c]) * rows[r * step + c];
    }
  }
}

// The weights of a band and a few rows, group by group: high parts of its rows, then low parts.
struct Weights {
  static constexpr int64_t kStep = WholeTable::kMostSafeRows;
  alignas(64) int16_t parts[2 * kBand * kStep];

  const int16_t* group(int64_t first) const { return parts + 2 * first * kStep; }

  // From distances that are `width` apart for consecutive rows. Adds to the degrees of the band,
  // and of the few rows.
  void find(const int32_t* distances, int64_t width, int64_t count, double gamma,
            int64_t* band_degrees, int64_t* degrees) {
    for (int64_t r = 0; r < kBand; ++r) {
      int16_t* high = parts + (r / kGroup * kTileRows + r % kGroup) * kStep;
      band_degrees[r] +=
          weigh(distances + r * width, count, gamma, high, high + kGroup * kStep, degrees);
    }
  }
};

}  // namespace

void band_distances(const WholeTable& table, int64_t first, int32_t* distances) {
  const PairTile add_products = best_of(pair_tiles());
  const int64_t width = table.all_rows() - first, pairs = table.all_cols() / 2;
  alignas(64) int32_t products[kTiles * kTile];
  for (int64_t j = first; j < table.all_rows(); j += kPanel) {
    std::fill(products, products + kTiles * kTile, 0);
    for (int64_t k = 0; k < pairs; k += kPairsAtOnce) {
      for (int64_t t = 0; t < kTiles; ++t) {
        add_products(table.row(first + t * kTileRows) + 2 * k, table.all_cols(),
                     table.row_panel(j) + k * 2 * kPanel, std::min(kPairsAtOnce, pairs - k),
                     products + t * kTile);
      }
    }
    for (int64_t t = 0; t < kTiles; ++t) {
      const int64_t r = t * kTileRows;
      distances_of_products(products + t * kTile, table.norms() + first + r, table.norms() + j,
                            width, distances + r * width + j - first);
    }
  }
  leave_out(table, first, distances);
}

void add_band_sums(const WholeTable& table, int64_t first, const int32_t* distances, double gamma,
                   int64_t* degrees, double* forms) {
  const PairTile add_products = best_of(pair_tiles());
  const int64_t width = table.all_rows() - first, step = table.safe_rows();
  Weights weights;
  for (int64_t i = 0; i < width; i += step) {
    const int64_t count = std::min(step, width - i);
    weights.find(distances + i, width, count, gamma, degrees, degrees + i);
    for (int64_t j = 0; j < table.all_cols(); j += kPanel) {
      const int16_t* panel = table.column_panel(j) + (first + i) * kPanel;
      for (int64_t g = 0; g < kBand; g += kGroup) {
        alignas(64) int32_t products[kTile] = {};
        add_products(weights.group(g), Weights::kStep, panel, count / 2, products);
        add_forms(products, table.row(first + g) + j, table.all_cols(), forms + j);
      }
    }
  }
}

UNSUPRANK_CLONES void weighted_sums(const WholeTable& table, const double* degrees, double* squares,
                                    double* linear, double* weighted_squares) {
  const int64_t cols = table.all_cols();  // whole panels, so that all columns are treated alike
  for (int64_t i = 0; i < table.rows(); ++i) {
    const int16_t* row = table.row(i);
    for (int64_t j = 0; j < cols; ++j) {
      const double number = row[j];
      squares[j] += number * number;
      linear[j] += degrees[i] * number;
      weighted_squares[j] += degrees[i] * (number * number);
    }
  }
}

}  // namespace unsuprank
