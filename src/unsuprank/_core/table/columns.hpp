// The typed columns that all kernels read, whole or value by value.
#pragma once
#include <cstdint>

#include "simd/targets.hpp"

namespace unsuprank {

// Which of 64 rows of a sparse column have a value that is held, and how many values of the table
// are held before theirs. A value is found in constant time for a quarter of a byte per row.
struct HeldRows {
  uint64_t bits;
  int64_t before;
};

// One column: all of its values, or those that are held while the others are zero.
class ColumnView {
 public:
  ColumnView() = default;
  explicit ColumnView(const double* all) : values_(all) {}
  ColumnView(const HeldRows* held, const double* values) : held_(held), values_(values) {}

  UNSUPRANK_INLINE double operator[](int64_t row) const {
    return held_ ? held_value(row) : values_[row];
  }
  // All values in a row; null for a sparse column.
  const double* all() const { return held_ ? nullptr : values_; }
  // Asks for a value that will soon be read.
  void expect(int64_t row) const {
    if (held_) {
      prefetch(held_ + (row >> 6));
    } else {
      prefetch(values_ + row);
    }
  }

 private:
  UNSUPRANK_INLINE double held_value(int64_t row) const {
    const HeldRows& word = held_[row >> 6];
    const uint64_t bit = uint64_t{1} << (row & 63);
    if (!(word.bits & bit)) return 0.0;
    return values_[word.before + count_bits(word.bits & (bit - 1))];
  }

  const HeldRows* held_ = nullptr;
  const double* values_ = nullptr;
};

// A column-major table of doubles. Nominal columns hold codes 0 .. n_values-1, numeric ones have
// n_values 0, NaN is a missing value. Of a sparse table, `values` are those that are held, and
// `held` says in which rows.
struct Columns {
  const double* values;
  const int32_t* n_values;
  int64_t rows;
  int64_t cols;
  const bool* missing = nullptr;  // per column, whether values are missing; null: not known
  const HeldRows* held = nullptr;

  ColumnView column(int64_t j) const {
    return held ? ColumnView(held + j * ((rows + 63) / 64), values) : ColumnView(values + j * rows);
  }
  double value(int64_t i, int64_t j) const { return column(j)[i]; }
  bool nominal(int64_t j) const { return n_values[j] > 0; }
  bool may_miss(int64_t j) const { return !missing || missing[j]; }
};

// Missing values are the only ones that differ from themselves.
inline bool is_missing(double x) { return x != x; }

}  // namespace unsuprank
