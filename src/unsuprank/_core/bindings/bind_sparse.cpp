// The class SparseLines: a sparse matrix by rows or by columns.
#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "table/gram_squares.hpp"
#include "table/sparse_products.hpp"

namespace unsuprank {
namespace {

// The arrays of a sparse matrix, checked once.
class HeldLines {
 public:
  HeldLines(Vector<int64_t> starts, Vector<int32_t> index, Vector<double> values, int64_t others)
      : starts_(std::move(starts)), index_(std::move(index)), values_(std::move(values)) {
    const int64_t held = static_cast<int64_t>(values_.shape(0));
    require(starts_.shape(0) > 0 && starts_(0) == 0 && starts_(count()) == held,
            "starts do not fit the values");
    require(index_.shape(0) == values_.shape(0), "index and values differ in length");
    for (int64_t i = 0; i < count(); ++i) {
      require(starts_(i) <= starts_(i + 1), "starts are out of order");
    }
    for (int64_t p = 0; p < held; ++p) {
      require(0 <= index_(p) && index_(p) < others, "an index is out of range");
    }
    others_ = others;
  }

  int64_t count() const { return static_cast<int64_t>(starts_.shape(0)) - 1; }
  int64_t others() const { return others_; }
  SparseLines view() const { return {starts_.data(), index_.data(), values_.data()}; }

 private:
  Vector<int64_t> starts_;
  Vector<int32_t> index_;
  Vector<double> values_;
  int64_t others_;
};

void write_products(const HeldLines& rows, const HeldLines& columns, int64_t first, int64_t last,
                    MutableRowMajor<double> out) {
  const int64_t m = rows.count();
  require(columns.count() == rows.others() && columns.others() == m,
          "rows and columns are not those of one matrix");
  require(0 <= first && first <= last && last <= m, "row range out of bounds");
  require(
      static_cast<int64_t>(out.shape(0)) == last - first && static_cast<int64_t>(out.shape(1)) == m,
      "out has the wrong shape");
  nb::gil_scoped_release unlocked;
  sparse_products(rows.view(), columns.view(), m, first, last, out.data());
}

void add_squares(const HeldLines& rows, const HeldLines& columns, const Vector<double>& shift,
                 const Vector<double>& excess, int64_t first, int64_t last,
                 MutableVector<double> sums) {
  const int64_t m = rows.count(), n = columns.count();
  require(n == rows.others() && columns.others() == m,
          "rows and columns are not those of one matrix");
  require(0 <= first && first <= last && last <= n, "column range out of bounds");
  for (const size_t length : {shift.shape(0), excess.shape(0), sums.shape(0)}) {
    require(static_cast<int64_t>(length) == n, "shift, excess and sums need an entry per column");
  }
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
