#include "relief_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd.hpp"

namespace unsuprank {
namespace {

constexpr int64_t VECTOR = 8;  // doubles per vector: sections are padded to it
// Names beyond this many share codes; two codes are kept for missing names.
constexpr int32_t DISTINCT_CODES = 65534;
constexpr int16_t MISSING_IN_ROW = -1, MISSING_IN_QUERY = -2;
// A code this close to its value is exact: what is left is the rounding of the division.
constexpr double ROUNDING = 1e-9;

int64_t padded(int64_t count, int64_t to) { return (count + to - 1) / to * to; }

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool missing = false;
};

Extent extent_of(const double* x, int64_t rows) {
  Extent e;
  for (int64_t i = 0; i < rows; ++i) {
    // Comparisons with a missing value are false, which leaves the extent as it is.
    e.low = x[i] < e.low ? x[i] : e.low;
    e.high = x[i] > e.high ? x[i] : e.high;
    e.missing |= is_missing(x[i]);
  }
  return e;
}

// The values of one column for TILE rows.
struct Numbers {
  double unit[TILE];  // in [0, 1]
  double gap[TILE];   // 1/2 where the value is missing
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
  for (int64_t l = 0; l < TILE; ++l) {
    const double known = (x[l] / 2 - low / 2) / divisor;
    const double unit = known < 1.0 ? known : 1.0;
    out.unit[l] = is_missing(x[l]) ? 0.5 : unit;
    out.gap[l] = is_missing(x[l]) ? 0.5 : 0.0;
  }
}

UNSUPRANK_CLONES
void code_numbers(const Numbers& numbers, int32_t scale, CodedRows rows) {
  int32_t code[TILE], constant[TILE];
  for (int64_t l = 0; l < TILE; ++l) {
    const double scaled = numbers.unit[l] * scale;
    code[l] = static_cast<int32_t>(scaled + 0.5);
    constant[l] = code[l] + static_cast<int32_t>(numbers.gap[l] * scale);
    const double error = std::fabs(scaled - code[l]);
    rows.error[l] += error > ROUNDING ? error : 0.0;
  }
  for (int64_t l = 0; l < TILE; ++l) rows.code[l] = static_cast<int16_t>(code[l]);
  for (int64_t l = 0; l < TILE; ++l) rows.query_constant[l] += constant[l];
  for (int64_t l = 0; l < TILE; ++l) rows.row_constant[l] += constant[l];
}

}  // namespace

ReliefRows::ReliefRows(const Columns& table, const int64_t* order)
    : rows_(table.rows), n_columns_(table.cols), order_(order, order + table.rows) {
  place_.resize(rows_);
  for (int64_t p = 0; p < rows_; ++p) place_[order_[p]] = p;
  for (int64_t j = 0; j < table.cols; ++j) add_attribute(table, j);
  lay_out();
  exact_.resize(rows_ * exact_width_);
  codes_.resize(blocks() * TILE * widths_.total());
  // Whole blocks, so that loops over a block need no end of their own.
  error_.resize(blocks() * TILE);
  query_constant_.resize(blocks() * TILE);
  row_constant_.resize(blocks() * TILE);
}

// Columns in which no two rows differ are left out.
void ReliefRows::add_attribute(const Columns& table, int64_t column) {
  const Extent e = extent_of(table.column(column), rows_);
  const bool varies = e.low < e.high;
  Attribute at{column, PLAIN, 0, 0};
  at.n_values = table.n_values[column];
  if (at.n_values > 0) {
    if (!varies && (!e.missing || at.n_values == 1)) return;
    at.kind = NOMINAL;
    at.flag = e.missing ? 0 : -1;
  } else {
    if (!varies && !e.missing) return;
    at.kind = e.missing ? GAPPED : PLAIN;
    at.low = e.low;
    // Halves do not overflow; see read_number.
    at.span = varies ? e.high / 2 - e.low / 2 : 0.0;
    if (varies && at.span == 0.0) at.span = std::numeric_limits<double>::denorm_min();
  }
  attributes_.push_back(at);
}

void ReliefRows::lay_out() {
  std::stable_sort(attributes_.begin(), attributes_.end(),
                   [](const Attribute& a, const Attribute& b) { return a.kind < b.kind; });
  int64_t count[3] = {0, 0, 0};
  for (Attribute& at : attributes_) at.term = count[at.kind]++;
  plain_ = padded(count[PLAIN], VECTOR);
  gapped_ = padded(count[GAPPED], VECTOR);
  nominal_ = padded(count[NOMINAL], VECTOR);
  exact_width_ = plain_ + 2 * gapped_ + 2 * nominal_;
  term_columns_.assign(terms(), -1);
  int64_t measured = 0, matched = 0;
  const int64_t section[3] = {0, plain_, plain_ + gapped_};
  for (Attribute& at : attributes_) {
    term_columns_[section[at.kind] + at.term] = at.column;
    if (at.kind != NOMINAL) at.code = measured++;
    if (at.flag >= 0) at.flag = measured++;
  }
  widths_.measured = padded(measured, BURST);
  for (Attribute& at : attributes_) {
    if (at.kind == NOMINAL) at.code = widths_.measured + matched++;
  }
  widths_.matched = padded(matched, BURST);
  // Coded distances must fit 31 bits.
  const int64_t most = std::numeric_limits<int32_t>::max() / std::max<int64_t>(widths_.total(), 1);
  if (most < scale_) scale_ = static_cast<int32_t>(most / 2 * 2);
}

int64_t ReliefRows::rows_in(int64_t block) const { return std::min(TILE, rows_ - block * TILE); }

void ReliefRows::read_blocks(const Columns& table, int64_t first, int64_t last) {
  for (int64_t b = first; b < last; ++b) {
    int16_t* codes = code_lane(b, 0);
    std::fill(codes, codes + TILE * widths_.measured, int16_t{0});
    std::fill(codes + TILE * widths_.measured, codes + TILE * widths_.total(), MISSING_IN_ROW);
    double x[TILE] = {};
    for (const Attribute& at : attributes_) {
      const double* column = table.column(at.column);
      const int64_t rows = rows_in(b);
      for (int64_t l = 0; l < rows; ++l) x[l] = column[order_[b * TILE + l]];
      at.kind == NOMINAL ? read_name(at, x, b) : read_number(at, x, b);
    }
  }
}

void ReliefRows::read_number(const Attribute& at, const double* x, int64_t block) {
  const int64_t start = block * TILE;
  Numbers numbers;
  scale_numbers(x, at.low, at.span, numbers);
  code_numbers(numbers, scale_,
               {code_lane(block, at.code), error_.data() + start, query_constant_.data() + start,
                row_constant_.data() + start});
  double* exact = exact_row(start) + (at.kind == PLAIN ? at.term : plain_ + at.term);
  const int64_t rows = rows_in(block);
  for (int64_t l = 0; l < rows; ++l) exact[l * exact_width_] = numbers.unit[l];
  if (at.kind == PLAIN) return;
  for (int64_t l = 0; l < rows; ++l) exact[l * exact_width_ + gapped_] = numbers.gap[l];
}

// Twice this is what a missing name takes off its distances, 1/k in codes.
int32_t ReliefRows::flag_code(const Attribute& at) const {
  return static_cast<int32_t>(std::nearbyint(0.5 * scale_ / at.n_values));
}

// Two missing names must take 1/k off once, not twice. The flag of a row is set where its name is
// known, that of a query where its name is missing: the minimum of both is set, and 1/k is taken
// off, where only the query's is missing; a row that misses its name always takes it off.
void ReliefRows::read_name(const Attribute& at, const double* x, int64_t block) {
  int16_t* code = code_lane(block, at.code);
  const int64_t place = plain_ + 2 * gapped_ + at.term;
  const int32_t flag = flag_code(at);
  const double flag_error = std::fabs(2.0 * flag - static_cast<double>(scale_) / at.n_values);
  const bool shared = at.n_values > DISTINCT_CODES;
  for (int64_t l = 0; l < rows_in(block); ++l) {
    const int64_t p = block * TILE + l;
    const bool missing = is_missing(x[l]);
    exact_row(p)[place] = x[l];
    exact_row(p)[place + nominal_] = missing ? -1.0 / at.n_values : 0.0;
    const int32_t name = missing ? 0 : static_cast<int32_t>(x[l]) % DISTINCT_CODES;
    code[l] = missing ? MISSING_IN_ROW : static_cast<int16_t>(static_cast<uint16_t>(name));
    query_constant_[p] += scale_ / 2;
    row_constant_[p] += scale_ / 2;
    if (shared) error_[p] += 0.5 * scale_;
    if (at.flag >= 0) code_lane(block, at.flag)[l] = static_cast<int16_t>(missing ? 0 : flag);
    if (missing) {
      row_constant_[p] -= 2 * flag;
      error_[p] += flag_error > ROUNDING ? flag_error : 0.0;
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
    for (int64_t l = 0; l < TILE; ++l) {
      int16_t code = codes[c * TILE + l];
      if (c >= widths_.measured) {
        if (code == MISSING_IN_ROW) code = MISSING_IN_QUERY;
      } else if (top[c] > 0) {
        code = static_cast<int16_t>(top[c] - code);
      }
      const uint32_t half = static_cast<uint16_t>(code);
      const int64_t group = l / QUERY_GROUP * QUERY_GROUP;
      queries[group * width + c * QUERY_GROUP + l % QUERY_GROUP] = half | half << 16;
    }
  }
}

}  // namespace unsuprank
