#include "relief/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/packs.hpp"
#include "table/column_range.hpp"

namespace unsuprank {
namespace {

// Nominal values beyond this many share codes; two codes are kept for missing ones.
constexpr int32_t kDistinctCodes = 65534;
constexpr int16_t kMissingInRow = -1, kMissingInQuery = -2;
// A code this close to its value is exact: what is left is the rounding of the division.
constexpr double kRounding = 1e-9;

// The values of one column for kTileRows rows.
struct Numbers {
  double unit[kTileRows];  // in [0, 1]
  double gap[kTileRows];   // 1/2 where the value is missing
};

// Where the codes of these rows and what is known of them are kept.
struct CodedRows {
  int16_t* code;
  double* error;
  uint32_t* query_constant;
  uint32_t* row_constant;
};

UNSUPRANK_CLONES
void scale_numbers(const double* x, double low, double span, Numbers& out) {
  // A constant column with gaps has no range; its known values are at 0.
  const double divisor = span > 0.0 ? span : std::numeric_limits<double>::infinity();
  for (int64_t l = 0; l < kTileRows; ++l) {
    const double known = (x[l] / 2 - low / 2) / divisor;
    const double unit = known < 1.0 ? known : 1.0;
    out.unit[l] = is_missing(x[l]) ? 0.5 : unit;
    out.gap[l] = is_missing(x[l]) ? 0.5 : 0.0;
  }
}

UNSUPRANK_CLONES
void code_numbers(const Numbers& numbers, int32_t scale, CodedRows rows) {
  int32_t code[kTileRows], constant[kTileRows];
  for (int64_t l = 0; l < kTileRows; ++l) {
    const double scaled = numbers.unit[l] * scale;
    code[l] = static_cast<int32_t>(scaled + 0.5);
    constant[l] = code[l] + static_cast<int32_t>(numbers.gap[l] * scale);
    const double error = std::fabs(scaled - code[l]);
    rows.error[l] += error > kRounding ? error : 0.0;
  }
  for (int64_t l = 0; l < kTileRows; ++l) rows.code[l] = static_cast<int16_t>(code[l]);
  for (int64_t l = 0; l < kTileRows; ++l) rows.query_constant[l] += constant[l];
  for (int64_t l = 0; l < kTileRows; ++l) rows.row_constant[l] += constant[l];
}

}  // namespace

ReliefRows::ReliefRows(const Columns& table, const int64_t* order)
    : table_(table), rows_(table.rows), order_(order, order + table.rows) {
  place_.resize(rows_);
  for (int64_t p = 0; p < rows_; ++p) place_[order_[p]] = p;
  for (int64_t j = 0; j < table.cols; ++j) add_attribute(j);
  lay_out();
  exact_.resize(rows_ * exact_width_);
  codes_.resize(blocks() * kTileRows * widths_.total());
  // These hold whole blocks, so that loops over a block need no end of their own.
  error_.resize(blocks() * kTileRows);
  query_constant_.resize(blocks() * kTileRows);
  row_constant_.resize(blocks() * kTileRows);
}

// Columns in which no two rows differ are left out.
void ReliefRows::add_attribute(int64_t column) {
  const ColumnRange range = range_of(table_.column(column).all(), rows_);
  const bool varies = range.varies(), missing = range.known < rows_;
  Attribute at{column, kPlain, 0, 0};
  at.n_values = table_.n_values[column];
  if (at.n_values > 0) {
    if (!varies && (!missing || at.n_values == 1)) return;
    at.kind = kNominal;
    at.flag = missing ? 0 : -1;
  } else {
    if (!varies && !missing) return;
    at.kind = missing ? kGapped : kPlain;
    at.low = range.low;
    // Halves do not overflow; see read_numeric.
    at.span = varies ? range.high / 2 - range.low / 2 : 0.0;
    if (varies && at.span == 0.0) at.span = std::numeric_limits<double>::denorm_min();
  }
  attributes_.push_back(at);
}

void ReliefRows::lay_out() {
  std::stable_sort(attributes_.begin(), attributes_.end(),
                   [](const Attribute& a, const Attribute& b) { return a.kind < b.kind; });
  int64_t count[3] = {0, 0, 0};
  for (Attribute& at : attributes_) at.term = count[at.kind]++;
  plain_ = padded(count[kPlain], kLanes<double>);
  gapped_ = padded(count[kGapped], kLanes<double>);
  nominal_ = padded(count[kNominal], kLanes<double>);
  exact_width_ = plain_ + 2 * gapped_ + 2 * nominal_;
  term_columns_.assign(terms(), -1);
  int64_t measured = 0, matched = 0;
  const int64_t section[3] = {0, plain_, plain_ + gapped_};
  for (Attribute& at : attributes_) {
    term_columns_[section[at.kind] + at.term] = at.column;
    if (at.kind != kNominal) at.code = measured++;
    if (at.flag >= 0) at.flag = measured++;
  }
  widths_.measured = padded(measured, kBurst);
  for (Attribute& at : attributes_) {
    if (at.kind == kNominal) at.code = widths_.measured + matched++;
  }
  widths_.matched = padded(matched, kBurst);
  // Coded distances must fit 31 bits.
  const int64_t most = std::numeric_limits<int32_t>::max() / std::max<int64_t>(widths_.total(), 1);
  if (most < scale_) scale_ = static_cast<int32_t>(most / 2 * 2);
}

int64_t ReliefRows::rows_in(int64_t block) const {
  return std::min(kTileRows, rows_ - block * kTileRows);
}

void ReliefRows::read_blocks(int64_t first, int64_t last) {
  for (int64_t b = first; b < last; ++b) {
    int16_t* codes = code_lane(b, 0);
    std::fill(codes, codes + kTileRows * widths_.measured, int16_t{0});
    std::fill(codes + kTileRows * widths_.measured, codes + kTileRows * widths_.total(),
              kMissingInRow);
    double x[kTileRows] = {};
    for (const Attribute& at : attributes_) {
      const double* column = table_.column(at.column).all();
      const int64_t rows = rows_in(b);
      for (int64_t l = 0; l < rows; ++l) x[l] = column[order_[b * kTileRows + l]];
      at.kind == kNominal ? read_nominal(at, x, b) : read_numeric(at, x, b);
    }
  }
}

void ReliefRows::read_numeric(const Attribute& at, const double* x, int64_t block) {
  const int64_t start = block * kTileRows;
  Numbers numbers;
  scale_numbers(x, at.low, at.span, numbers);
  code_numbers(numbers, scale_,
               {code_lane(block, at.code), error_.data() + start, query_constant_.data() + start,
                row_constant_.data() + start});
  double* exact = exact_row(start) + (at.kind == kPlain ? at.term : plain_ + at.term);
  const int64_t rows = rows_in(block);
  for (int64_t l = 0; l < rows; ++l) exact[l * exact_width_] = numbers.unit[l];
  if (at.kind == kPlain) return;
  for (int64_t l = 0; l < rows; ++l) exact[l * exact_width_ + gapped_] = numbers.gap[l];
}

// Twice this is what a missing value takes off its distances, 1/k in codes.
int32_t ReliefRows::flag_code(const Attribute& at) const {
  return static_cast<int32_t>(std::nearbyint(0.5 * scale_ / at.n_values));
}

// Two missing values must take 1/k off once, not twice. The flag of a row is set where its value is
// known, that of a query where its value is missing: the minimum of both is set, and 1/k is taken
// off, where only the query's is missing; a row that misses its value always takes it off.
void ReliefRows::read_nominal(const Attribute& at, const double* x, int64_t block) {
  int16_t* code = code_lane(block, at.code);
  const int64_t place = plain_ + 2 * gapped_ + at.term;
  const int32_t flag = flag_code(at);
  const double flag_error = std::fabs(2.0 * flag - static_cast<double>(scale_) / at.n_values);
  const bool shared = at.n_values > kDistinctCodes;
  for (int64_t l = 0; l < rows_in(block); ++l) {
    const int64_t p = block * kTileRows + l;
    const bool missing = is_missing(x[l]);
    exact_row(p)[place] = x[l];
    exact_row(p)[place + nominal_] = missing ? -1.0 / at.n_values : 0.0;
    const int32_t value = missing ? 0 : static_cast<int32_t>(x[l]) % kDistinctCodes;
    code[l] = missing ? kMissingInRow : static_cast<int16_t>(static_cast<uint16_t>(value));
    query_constant_[p] += scale_ / 2;
    row_constant_[p] += scale_ / 2;
    if (shared) error_[p] += 0.5 * scale_;
    if (at.flag >= 0) code_lane(block, at.flag)[l] = static_cast<int16_t>(missing ? 0 : flag);
    if (missing) {
      row_constant_[p] -= 2 * flag;
      error_[p] += flag_error > kRounding ? flag_error : 0.0;
    }
  }
}

double ReliefRows::largest_error() const {
  return *std::max_element(error_.begin(), error_.begin() + rows_);
}

void ReliefRows::pack_queries(int64_t block_index, uint32_t* queries) const {
  const int64_t width = widths_.total();
  const int16_t* codes = block(block_index);
  std::vector<int16_t> top(width, 0);  // a query's flag is what the row's lacks to this
  for (const Attribute& at : attributes_) {
    if (at.flag >= 0) top[at.flag] = static_cast<int16_t>(flag_code(at));
  }
  for (int64_t c = 0; c < width; ++c) {
    for (int64_t l = 0; l < kTileRows; ++l) {
      int16_t code = codes[c * kTileRows + l];
      if (c >= widths_.measured) {
        if (code == kMissingInRow) code = kMissingInQuery;
      } else if (top[c] > 0) {
        code = static_cast<int16_t>(top[c] - code);
      }
      const uint32_t half = static_cast<uint16_t>(code);
      const int64_t group = l / kQueryGroup * kQueryGroup;
      queries[group * width + c * kQueryGroup + l % kQueryGroup] = half | half << 16;
    }
  }
}

}  // namespace unsuprank
