// The classes ReliefRows and ReliefSearch.
#include "bindings/bindings.hpp"
#include "bindings/held_space.hpp"
#include "relief/neighbour_search.hpp"

namespace unsuprank {
namespace {

void make_rows(ReliefRows* self, const HeldColumns& columns, Vector<int64_t> order) {
  const int64_t rows = columns.view().rows;
  require(static_cast<int64_t>(order.shape(0)) == rows, "order needs one entry per row");
  std::vector<bool> seen(rows, false);
  for (int64_t p = 0; p < rows; ++p) {
    require(0 <= order(p) && order(p) < rows && !seen[order(p)], "order is not a permutation");
    seen[order(p)] = true;
  }
  nb::gil_scoped_release unlocked;
  new (self) ReliefRows(columns.view(), order.data());
}

void read_blocks(ReliefRows& self, int64_t first, int64_t last) {
  require(0 <= first && first <= last && last <= self.blocks(), "block out of bounds");
  nb::gil_scoped_release unlocked;
  self.read_blocks(first, last);
}

void make_search(ReliefSearch* self, const ReliefRows& rows, int64_t first, int64_t last,
                 int64_t n_neighbors) {
  require(0 <= first && first % kTileRows == 0 && first < last && last <= rows.rows(),
          "queries out of bounds");
  require(1 <= n_neighbors && n_neighbors < rows.rows(), "n_neighbors out of bounds");
  new (self) ReliefSearch(rows, first, last, n_neighbors);
}

void compare(ReliefSearch& self, int64_t query_block, int64_t first, int64_t last) {
  require(self.first() <= query_block * kTileRows && query_block * kTileRows < self.last(),
          "no block of queries");
  require(0 <= first && first <= last && last <= self.rows().blocks(), "block out of bounds");
  nb::gil_scoped_release unlocked;
  self.compare(query_block, first, last);
}

void add_sums(ReliefSearch& self, int64_t first, int64_t last, Vector<int64_t> counts,
              MutableVector<double> sums, MutableVector<double> distances) {
  require(self.first() <= first && first <= last && last <= self.last(), "queries out of bounds");
  const size_t parts = counts.shape(0);
  int64_t before = 0;
  for (size_t part = 0; part < parts; ++part) {
    require(before < counts(part) && counts(part) <= self.n_neighbors(), "counts must ascend");
    before = counts(part);
  }
  require(distances.shape(0) == parts && sums.shape(0) == 2 * parts * self.rows().terms(),
          "sums have the wrong shape");
  nb::gil_scoped_release unlocked;
  self.add_sums(first, last, counts.data(), static_cast<int64_t>(parts), sums.data(),
                distances.data());
}

}  // namespace

void bind_relief(nb::module_& m) {
  m.attr("RELIEF_TILE") = kTileRows;
  nb::class_<ReliefRows>(m, "ReliefRows")
      .def("__init__", &make_rows, nb::arg("columns"), nb::arg("order"), nb::keep_alive<1, 2>())
      .def("read_blocks", &read_blocks, nb::arg("first"), nb::arg("last"))
      .def_prop_ro("n_blocks", &ReliefRows::blocks)
      .def_prop_ro("code_width", [](const ReliefRows& self) { return self.widths().total(); })
      .def_prop_ro("largest_error", &ReliefRows::largest_error)
      .def("term_columns", [](const ReliefRows& self) {
        return to_numpy(std::vector<int64_t>(self.term_columns()));
      });
  nb::class_<ReliefSearch>(m, "ReliefSearch")
      .def("__init__", &make_search, nb::arg("rows"), nb::arg("first"), nb::arg("last"),
           nb::arg("n_neighbors"), nb::keep_alive<1, 2>())
      .def_static("bytes_per_query", &ReliefSearch::bytes_per_query, nb::arg("n_neighbors"))
      .def("compare", &compare, nb::arg("query_block"), nb::arg("first"), nb::arg("last"))
      .def("add_sums", &add_sums, nb::arg("first"), nb::arg("last"), nb::arg("counts"),
           nb::arg("sums"), nb::arg("distances"));
}

}  // namespace unsuprank
