// The class SparseLines: a sparse matrix by rows or by columns.
#include "bindings/bindings.hpp"
#include "bindings/held_lines.hpp"

namespace unsuprank {
namespace {

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

void bind_sparse(nb::module_& m) {
  nb::class_<HeldLines>(m, "SparseLines")
      .def(nb::init<Vector<int64_t>, Vector<int32_t>, Vector<double>, int64_t>(), nb::arg("starts"),
           nb::arg("index"), nb::arg("values"), nb::arg("others"));
  m.def("sparse_products", &write_products, nb::arg("rows"), nb::arg("columns"), nb::arg("first"),
        nb::arg("last"), nb::arg("out"));
  m.def("add_gram_squares", &add_squares, nb::arg("rows"), nb::arg("columns"), nb::arg("shift"),
        nb::arg("excess"), nb::arg("first"), nb::arg("last"), nb::arg("sums"));
}

}  // namespace unsuprank
