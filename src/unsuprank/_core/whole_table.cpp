#include "whole_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "decimals.hpp"
#include "pair_products.hpp"
#include "simd.hpp"

namespace unsuprank {
namespace {

constexpr int32_t kLargestCode = 32767;
constexpr double kTooLarge = kLargestCode + 1;
// (a - b)^2 <= 2 a^2 + 2 b^2, which has to fit into 31 bits with one value to spare.
constexpr int64_t kLargestNorm = (int64_t{1} << 29) - 1;
// 2^15 times this, the largest sum of absolute values, fits into 32 bits with its sign.
constexpr int64_t kLargestSum = 65535;

// In place of figures of panels and bands that were not read, or did not fit.
constexpr int32_t kNotRead = -1;

bool all_read(const std::vector<int32_t>& figures) {
  return !figures.empty() && *std::min_element(figures.begin(), figures.end()) != kNotRead;
}

int64_t rounded_up(int64_t count, int64_t unit) { return (count + unit - 1) / unit * unit; }

// How many of the smallest unit in which all columns are whole make 1; 0 if there is none.
double common_unit(const Columns& table) {
  double per_unit = 1.0;
  for (int64_t j = 0; j < table.cols; ++j) {
    while (!all_decimals(table.column(j), table.rows, per_unit)) {
      per_unit *= 10.0;
      if (per_unit > kFinestUnits) return 0.0;
    }
  }
  return per_unit;
}

// Any whole number near the mean would do.
UNSUPRANK_CLONES double rounded_mean(const double* x, int64_t rows, double per_unit) {
  constexpr int kLanes = 16;
  double sums[kLanes] = {}, sum = 0.0;
  const int64_t even = rows / kLanes * kLanes;
  for (int64_t i = 0; i < even; i += kLanes) {
    for (int l = 0; l < kLanes; ++l) sums[l] += x[i + l];
  }
  for (const double part : sums) sum += part;
  for (int64_t i = even; i < rows; ++i) sum += x[i];
  return std::floor(sum / static_cast<double>(rows) * per_unit + 0.5);
}

// The largest absolute value of the codes is returned; codes that are too large are cut off.
UNSUPRANK_CLONES int32_t write_centred(const double* x, int64_t rows, double per_unit,
                                       double centre, int16_t* codes) {
  int32_t low = 0, high = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const double code = std::floor(x[i] * per_unit + 0.5) - centre;
    const double above = code > -kTooLarge ? code : -kTooLarge;
    const auto cut = static_cast<int32_t>(above < kTooLarge ? above : kTooLarge);
    low = std::min(low, cut);
    high = std::max(high, cut);
    codes[i] = static_cast<int16_t>(cut);
  }
  return std::max(-low, high);
}

UNSUPRANK_CLONES int64_t sum_of_squares(const int16_t* codes, int64_t count) {
  int64_t total = 0;
  for (int64_t k = 0; k < count; ++k) total += int32_t{codes[k]} * codes[k];
  return total;
}

// The largest, over columns, of the sums of absolute values in the rows of a band.
UNSUPRANK_CLONES int32_t largest_column_sum(const int16_t* rows, int64_t cols) {
  int32_t largest = 0;
  for (int64_t j = 0; j < cols; j += kPanel) {
    int32_t sums[kPanel] = {};
    for (int64_t i = 0; i < WholeTable::kBand; ++i) {
      for (int c = 0; c < kPanel; ++c) sums[c] += std::abs(int32_t{rows[i * cols + j + c]});
    }
    largest = std::max(largest, *std::max_element(sums, sums + kPanel));
  }
  return largest;
}

// A panel of lines that are `step` numbers apart.
UNSUPRANK_CLONES void make_panel(const int16_t* lines, int64_t step, int16_t* panel) {
  for (int64_t k = 0; k < step; k += 2) {
    for (int l = 0; l < kPanel; ++l) {
      std::memcpy(panel + k * kPanel + 2 * l, lines + l * step + k, 2 * sizeof(int16_t));
    }
  }
}

// The numbers that are next to each other in all columns of a panel make rows.
UNSUPRANK_CLONES void panel_to_rows(const int16_t* panel, int64_t rows, int64_t step,
                                    int16_t* by_row) {
  for (int64_t i = 0; i < rows; i += 2) {
    int16_t* upper = by_row + i * step;
    int16_t* lower = upper + step;
    for (int c = 0; c < kPanel; ++c) {
      upper[c] = panel[i * kPanel + 2 * c];
      lower[c] = panel[i * kPanel + 2 * c + 1];
    }
  }
}

}  // namespace

WholeTable::WholeTable(const Columns& table, const WholeTable* like)
    : table_(table),
      all_rows_(rounded_up(table.rows, kBand)),
      all_cols_(rounded_up(table.cols, kPanel)),
      per_unit_(like ? like->per_unit_ : common_unit(table)),
      centred_(like != nullptr) {
  if (per_unit_ == 0.0) return;
  for (auto* codes : {&by_row_, &row_panels_, &column_panels_}) {
    *codes = LineArray<int16_t>(all_rows_ * all_cols_);
  }
  norms_.resize(all_rows_);
  centres_ = like ? like->centres_ : std::vector<double>(cols());
  largest_.assign(all_cols_ / kPanel, kNotRead);
  band_sums_.assign(all_rows_ / kBand, kNotRead);
}

bool WholeTable::read_columns(int64_t first) {
  if (per_unit_ == 0.0) return false;
  std::vector<int16_t> codes(kPanel * all_rows_, 0);
  int32_t largest = 1;
  for (int64_t j = first; j < std::min(first + kPanel, cols()); ++j) {
    const double* x = table_.column(j);
    if (!centred_) centres_[j] = rounded_mean(x, rows(), per_unit_);
    largest = std::max(largest, write_centred(x, rows(), per_unit_, centres_[j],
                                              codes.data() + (j - first) * all_rows_));
    if (largest > kLargestCode || !(std::fabs(centres_[j]) <= kLargestDecimal)) return false;
  }
  largest_[first / kPanel] = largest;
  int16_t* panel = column_panels_.data() + first * all_rows_;
  make_panel(codes.data(), all_rows_, panel);
  panel_to_rows(panel, all_rows_, all_cols_, by_row_.data() + first);
  return true;
}

bool WholeTable::read_rows(int64_t first) {
  for (int64_t i = first; i < first + kBand; ++i) {
    const int64_t norm = sum_of_squares(row(i), all_cols_);
    if (norm > kLargestNorm) return false;
    norms_[i] = static_cast<int32_t>(norm);
  }
  band_sums_[first / kBand] = largest_column_sum(row(first), all_cols_);
  for (int64_t i = first; i < first + kBand; i += kPanel) {
    make_panel(row(i), all_cols_, row_panels_.data() + i * all_cols_);
  }
  return true;
}

bool WholeTable::has_columns() const { return all_read(largest_); }

bool WholeTable::has_rows() const { return all_read(band_sums_); }

int64_t WholeTable::safe_rows() const {
  const int64_t most = std::max(*std::max_element(band_sums_.begin(), band_sums_.end()), 1);
  if (most <= kLargestSum) return std::min(kBand * (kLargestSum / most), kMostSafeRows);
  return kLargestSum / *std::max_element(largest_.begin(), largest_.end()) / 2 * 2;
}

}  // namespace unsuprank
