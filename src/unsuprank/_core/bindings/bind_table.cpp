// What columns hold, their coordinates in the clustering space, and products of sparse ones.
#include <algorithm>

#include "bindings/held_lines.hpp"
#include "table/embedding.hpp"

namespace unsuprank {
namespace {

auto flags_of(ColumnMajor<double> values) {
  const int64_t rows = length(values), cols = length(values, 1);
  return written<uint8_t>(cols,
                          [&](uint8_t* flags) { column_flags(values.data(), rows, cols, flags); });
}

auto scales_of(ColumnMajor<double> values, Vector<int32_t> n_values, double scale) {
  const Columns table = columns_of(values, n_values);
  return written<double>(table.cols,
                         [&](double* scales) { embedding_scales(table, scale, scales); });
}

void write_coordinates(ColumnMajor<double> values, Vector<int32_t> n_values, int64_t first,
                       Vector<int32_t> widths, double scale, MutableColumnMajor<double> out) {
  const Columns table = columns_of(values, n_values);
  const int64_t count = length(widths);
  require(0 <= first && first + count <= table.cols, "column range out of bounds");
  int64_t width = 0;
  for (int64_t k = 0; k < count; ++k) {
    const int32_t full = std::max(1, table.n_values[first + k]);
    require(widths(k) == 0 || widths(k) == full, "a width does not fit its column");
    width += widths(k);
  }
  require(length(out) == table.rows && length(out, 1) == width, "out has the wrong shape");
  nb::gil_scoped_release unlocked;
  embed(table, first, widths.data(), count, scale, out.data());
}

auto sums_of_rows(ColumnMajor<double> coords, Vector<int32_t> widths, Vector<double> diagonal) {
  const int64_t count = length(widths), rows = length(coords);
  int64_t width = 0;
  for (int64_t j = 0; j < count; ++j) {
    require(widths(j) > 0, "a column has no coordinates");
    width += widths(j);
  }
  require(length(coords, 1) == width, "widths do not fit coordinates");
  require(length(diagonal) == rows, "diagonal has the wrong length");
  return written<double>(count * kDiagonalSums, [&](double* sums) {
    diagonal_sums(coords.data(), rows, widths.data(), count, diagonal.data(), sums);
  });
}

void write_products(const HeldLines& rows, const HeldLines& columns, int64_t first, int64_t last,
                    MutableRowMajor<double> out) {
  const int64_t m = rows.count();
  require_transposed(rows, columns);
  require(0 <= first && first <= last && last <= m, "row range out of bounds");
  require(length(out) == last - first && length(out, 1) == m, "out has the wrong shape");
  nb::gil_scoped_release unlocked;
  sparse_products(rows.view(), columns.view(), m, first, last, out.data());
}

void add_squares(const HeldLines& rows, const HeldLines& columns, const Vector<double>& shift,
                 const Vector<double>& excess, int64_t first, int64_t last,
                 MutableVector<double> sums) {
  const int64_t m = rows.count(), n = columns.count();
  require_transposed(rows, columns);
  require(0 <= first && first <= last && last <= n, "column range out of bounds");
  require(length(shift) == n && length(excess) == n && length(sums) == n,
          "shift, excess and sums need an entry per column");
  nb::gil_scoped_release unlocked;
  add_gram_squares({rows.view(), columns.view(), shift.data(), excess.data(), m, n}, first, last,
                   sums.data());
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
  m.def("diagonal_sums", &sums_of_rows, nb::arg("coords"), nb::arg("widths"), nb::arg("diagonal"));
  nb::class_<HeldLines>(m, "SparseLines")
      .def(nb::init<Vector<int64_t>, Vector<int32_t>, Vector<double>, int64_t>(), nb::arg("starts"),
           nb::arg("index"), nb::arg("values"), nb::arg("others"));
  m.def("sparse_products", &write_products, nb::arg("rows"), nb::arg("columns"), nb::arg("first"),
        nb::arg("last"), nb::arg("out"));
  m.def("add_gram_squares", &add_squares, nb::arg("rows"), nb::arg("columns"), nb::arg("shift"),
        nb::arg("excess"), nb::arg("first"), nb::arg("last"), nb::arg("sums"));
}

}  // namespace unsuprank
