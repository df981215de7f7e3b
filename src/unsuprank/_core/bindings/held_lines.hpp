// Sparse matrices that Python holds, by rows or by columns.
#pragma once
#include <utility>

#include "bindings/arrays.hpp"
#include "table/sparse_products.hpp"

namespace unsuprank {

// The arrays of a sparse matrix, checked once.
class HeldLines {
 public:
  HeldLines(Vector<int64_t> starts, Vector<int32_t> index, Vector<double> values, int64_t others)
      : starts_(std::move(starts)),
        index_(std::move(index)),
        values_(std::move(values)),
        others_(others) {
    const int64_t held = length(values_);
    require(length(starts_) > 0 && starts_(0) == 0 && starts_(count()) == held,
            "starts do not fit the values");
    require(length(index_) == held, "index and values differ in length");
    for (int64_t i = 0; i < count(); ++i) {
      require(starts_(i) <= starts_(i + 1) && starts_(i + 1) <= held, "starts are out of order");
      int32_t least = 0;
      for (int64_t p = starts_(i); p < starts_(i + 1); ++p) {
        require(least <= index_(p) && index_(p) < others, "an index is out of order or of range");
        least = index_(p) + 1;
      }
    }
  }

  int64_t count() const { return length(starts_) - 1; }
  int64_t others() const { return others_; }
  SparseLines view() const { return {starts_.data(), index_.data(), values_.data()}; }

 private:
  Vector<int64_t> starts_;
  Vector<int32_t> index_;
  Vector<double> values_;
  int64_t others_;
};

// The same matrix both ways.
inline void require_transposed(const HeldLines& rows, const HeldLines& columns) {
  require(columns.count() == rows.others() && columns.others() == rows.count(),
          "rows and columns are not those of one matrix");
}

}  // namespace unsuprank
