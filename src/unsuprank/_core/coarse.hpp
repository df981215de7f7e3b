// 16-bit codes of the values of a table, four times smaller than the values.
//
// Trees read columns at random rows, and waiting for memory is most of what that costs. Codes grow
// with the values, so that most comparisons are settled by codes alone; where codes are equal, the
// values decide. Nothing is approximate: the result is that of comparing values.
#pragma once
#include <cstdint>
#include <vector>

#include "columns.hpp"

namespace unsuprank {

struct CoarseColumn {
  double low = 0.0;        // smallest value
  double per_unit = 0.0;   // codes per unit of value
  bool whole = false;      // whole numbers, and code = value - low
  bool injective = false;  // different values have different codes
  bool usable = false;     // no missing values, finite range

  uint16_t code(double value) const {
    const double c = (value - low) * per_unit;
    return c < 65535.0 ? static_cast<uint16_t>(c) : uint16_t{65535};
  }
};

struct CoarseTable {
  const uint16_t* codes;  // column-major
  const CoarseColumn* info;
  int64_t rows;

  const uint16_t* column(int64_t j) const { return codes + j * rows; }
};

// Up to this many rows it is not worth finding out whether codes are injective.
constexpr int64_t kFewRows = 512;

void make_coarse(const Columns& table, uint16_t* codes, CoarseColumn* info);

}  // namespace unsuprank
