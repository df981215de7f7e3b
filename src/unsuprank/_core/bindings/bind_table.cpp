// What columns hold, and their coordinates in the clustering space.
#include <algorithm>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "table/diagonal_sums.hpp"
#include "table/embedding.hpp"

namespace unsuprank {
namespace {

auto flags_of(ColumnMajor<double> values) {
  std::vector<uint8_t> flags(values.shape(1));
  {
    nb::gil_scoped_release unlocked;
    column_flags(values.data(), values.shape(0), values.shape(1), flags.data());
  }
  return to_numpy(std::move(flags));
}

auto scales_of(ColumnMajor<double> values, Vector<int32_t> n_values, double scale) {
  const Columns table = columns_of(values, n_values);
  std::vector<double> scales(table.cols);
  {
    nb::gil_scoped_release unlocked;
    embedding_scales(table, scale, scales.data());
  }
  return to_numpy(std::move(scales));
}

void write_coordinates(ColumnMajor<double> values, Vector<int32_t> n_values, int64_t first,
                       Vector<int32_t> widths, double scale, MutableColumnMajor<double> out) {
  const Columns table = columns_of(values, n_values);
  const int64_t count = static_cast<int64_t>(widths.shape(0));
  require(0 <= first && first + count <= table.cols, "column range out of bounds");
  int64_t width = 0;
  for (int64_t k = 0; k < count; ++k) {
    const int32_t full = std::max(1, table.n_values[first + k]);
    require(widths(k) == 0 || widths(k) == full, "a width does not fit its column");
    width += widths(k);
  }
  require(static_cast<int64_t>(out.shape(0)) == table.rows &&
              static_cast<int64_t>(out.shape(1)) == width,
          "out has the wrong shape");
  nb::gil_scoped_release unlocked;
  embed(table, first, widths.data(), count, scale, out.data());
}

void add_distances(ColumnMajor<double> coords, Vector<int64_t> left, Vector<int64_t> right,
                   MutableVector<double> sums) {
  const int64_t rows = coords.shape(0);
  const int64_t pairs = left.shape(0);
  require(right.shape(0) == left.shape(0) && sums.shape(0) == left.shape(0),
          "pairs and sums differ in length");
  for (int64_t p = 0; p < pairs; ++p) {
    require(0 <= left(p) && left(p) < rows && 0 <= right(p) && right(p) < rows,
            "row index out of bounds");
  }
  nb::gil_scoped_release unlocked;
  add_pair_distances(coords.data(), rows, coords.shape(1), left.data(), right.data(), pairs,
                     sums.data());
}

auto sums_of_rows(ColumnMajor<double> coords, Vector<int32_t> widths, Vector<double> diagonal) {
  const int64_t count = static_cast<int64_t>(widths.shape(0));
  int64_t width = 0;
  for (int64_t j = 0; j < count; ++j) {
    require(widths(j) > 0, "a column has no coordinates");
    width += widths(j);
  }
  require(static_cast<int64_t>(coords.shape(1)) == width, "widths do not fit coordinates");
  require(diagonal.shape(0) == coords.shape(0), "diagonal has the wrong length");
  std::vector<double> sums(count * kDiagonalSums);
  {
    nb::gil_scoped_release unlocked;
    diagonal_sums(coords.data(), coords.shape(0), widths.data(), count, diagonal.data(),
                  sums.data());
  }
  return to_numpy(std::move(sums));
}

}  // namespace

void bind_table(nb::module_& m) {
  m.attr("MISSING") = static_cast<int>(kMissing);
  m.attr("INFINITE") = static_cast<int>(kInfinite);
  m.attr("VARIES") = static_cast<int>(kVaries);
  m.def("column_flags", &flags_of, nb::arg("values"));
  m.def("embedding_scales", &scales_of, nb::arg("values"), nb::arg("n_values"), nb::arg("scale"));
  m.def("embed", &write_coordinates, nb::arg("values"), nb::arg("n_values"), nb::arg("first"),
        nb::arg("widths"), nb::arg("scale"), nb::arg("out"));
  m.def("add_pair_distances", &add_distances, nb::arg("coords"), nb::arg("left"), nb::arg("right"),
        nb::arg("sums"));
  m.def("diagonal_sums", &sums_of_rows, nb::arg("coords"), nb::arg("widths"), nb::arg("diagonal"));
}

}  // namespace unsuprank
