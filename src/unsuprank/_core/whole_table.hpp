// A table of small whole numbers, laid out for exact products; see pair_products.hpp.
//
// Counts, grey levels, categories and measurements with few decimal places are whole numbers of
// some unit. Less the mean of their column they often fit into 16 bits, and squared distances of
// their rows into 31.
#pragma once
#include <cstdint>
#include <vector>

#include "columns.hpp"
#include "line_array.hpp"

namespace unsuprank {

// To be read by panels of columns, then by bands of rows, which threads may share among them.
class WholeTable {
 public:
  // Rows are compared in bands of this many.
  static constexpr int64_t kBand = 64;

  // Longer sums would take their numbers from a slower cache.
  static constexpr int64_t kMostSafeRows = 256;

  // With `like`, in the units of that table and less its centres; some of its rows fit as well.
  WholeTable(const Columns& table, const WholeTable* like);

  // So many units make 1.
  double per_unit() const { return per_unit_; }
  int64_t rows() const { return table_.rows; }
  int64_t cols() const { return table_.cols; }
  // Numbers of rows and columns with zeros that fill bands and panels up.
  int64_t all_rows() const { return all_rows_; }
  int64_t all_cols() const { return all_cols_; }

  // False if numbers are not whole, or too large. `first` is that of a panel.
  bool read_columns(int64_t first);
  // False if the rows are too large. `first` is that of a band.
  bool read_rows(int64_t first);
  // Whether all of them were read, and fit.
  bool has_columns() const;
  bool has_rows() const;

  // The numbers, less the centre of their column.
  const int16_t* row(int64_t i) const { return by_row_.data() + i * all_cols_; }
  // Panels of rows, over pairs of columns, and of columns, over pairs of rows.
  const int16_t* row_panel(int64_t first) const { return row_panels_.data() + first * all_cols_; }
  const int16_t* column_panel(int64_t first) const {
    return column_panels_.data() + first * all_rows_;
  }
  // In units of the numbers.
  const std::vector<double>& centres() const { return centres_; }
  // Sums of squares of the rows.
  const int32_t* norms() const { return norms_.data(); }
  // Sums over so many rows, times any 16-bit numbers, fit into 32 bits. An even number.
  int64_t safe_rows() const;

 private:
  Columns table_;
  int64_t all_rows_, all_cols_;
  double per_unit_;  // 0 if the numbers are not whole
  bool centred_;     // whether centres are known
  LineArray<int16_t> by_row_, row_panels_, column_panels_;
  std::vector<int32_t> norms_;
  std::vector<double> centres_;
  // Of each panel, the largest absolute value; of each band, the largest sum of such in a column.
  std::vector<int32_t> largest_, band_sums_;
};

}  // namespace unsuprank
