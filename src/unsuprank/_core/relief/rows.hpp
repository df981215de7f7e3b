// The rows of a table as URelief compares them, which are held twice.
//
// Distances and scores are made of float64 rows in which every column is mapped to [0, 1]. The
// search for neighbours runs on 16-bit codes, 64 rows by 64 rows. The codes say what distance they
// stand for up to an error that is known for every row, so the search can tell which rows may be
// neighbours, and only those are measured in float64.
//
// Missing values need no special case in the loops. A missing number sits at 1/2 and adds 1/2 to
// each of its distances: |t - 1/2| + 1/2 = max(t, 1 - t), and 1 for two missing ones. A missing
// nominal value differs from every other, with 1/k taken off once for a column of k values.
#pragma once
#include <cstdint>
#include <vector>

#include "relief/tile_sums.hpp"
#include "table/columns.hpp"

namespace unsuprank {

class ReliefRows {
 public:
  // `order` gives the rows of the table in the order in which they are stored here. The columns of
  // the table must live until all blocks are read.
  ReliefRows(const Columns& table, const int64_t* order);

  // Reads the rows of blocks first .. last-1 (kTileRows rows each); blocks may be read in parallel.
  void read_blocks(int64_t first, int64_t last);

  int64_t rows() const { return rows_; }
  int64_t blocks() const { return (rows_ + kTileRows - 1) / kTileRows; }
  int64_t original(int64_t position) const { return order_[position]; }
  int64_t position(int64_t original) const { return place_[original]; }

  // --- float64 ---
  // Differences come in three sections, each padded to whole vectors with terms that are 0.
  int64_t terms() const { return plain_ + gapped_ + nominal_; }
  // The table's column of each term, -1 for padding.
  const std::vector<int64_t>& term_columns() const { return term_columns_; }
  double distance(int64_t a, int64_t b) const;
  // Adds the differences between a and each of the others to `sums`, and times the weight of the
  // other row to `weighted`.
  void add_differences(int64_t a, const int64_t* others, const double* weights, int64_t count,
                       double* sums, double* weighted) const;

  // --- codes ---
  CodeWidths widths() const { return widths_; }
  int32_t match() const { return scale_ / 2; }
  const int16_t* block(int64_t b) const { return codes_.data() + b * kTileRows * widths_.total(); }
  void pack_queries(int64_t block, uint32_t* queries) const;
  // The coded distance is query constant + row constant - 2 * sum, modulo 2^32.
  uint32_t query_constant(int64_t position) const { return query_constant_[position]; }
  const uint32_t* row_constants(int64_t block) const {
    return row_constant_.data() + block * kTileRows;
  }
  // How far coded distances may lie from n * scale * distance(), the errors of both rows added.
  double error(int64_t position) const { return error_[position]; }
  double largest_error() const;

 private:
  enum Kind { kPlain, kGapped, kNominal };
  struct Attribute {
    int64_t column;
    Kind kind;
    int64_t term;       // place in the float64 row
    int64_t code;       // place among the codes
    int64_t flag = -1;  // place of the code that marks missing values
    int32_t n_values = 0;
    double low = 0.0;
    double span = 1.0;
  };

  void add_attribute(int64_t column);
  void lay_out();
  void read_numeric(const Attribute& at, const double* x, int64_t block);
  void read_nominal(const Attribute& at, const double* x, int64_t block);
  double* exact_row(int64_t position) { return exact_.data() + position * exact_width_; }
  const double* exact_row(int64_t position) const {
    return exact_.data() + position * exact_width_;
  }
  int16_t* code_lane(int64_t block, int64_t code) {
    return codes_.data() + (block * widths_.total() + code) * kTileRows;
  }
  int64_t rows_in(int64_t block) const;
  int32_t flag_code(const Attribute& at) const;

  Columns table_;
  int64_t rows_;
  std::vector<int64_t> order_, place_;
  std::vector<Attribute> attributes_;
  std::vector<int64_t> term_columns_;
  int64_t plain_ = 0, gapped_ = 0, nominal_ = 0;  // padded sections of the float64 rows
  int64_t exact_width_ = 0;
  CodeWidths widths_{0, 0};
  int32_t scale_ = kMaxCode;
  std::vector<double> exact_, error_;
  std::vector<int16_t> codes_;
  std::vector<uint32_t> query_constant_, row_constant_;
};

}  // namespace unsuprank
