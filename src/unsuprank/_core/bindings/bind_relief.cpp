// The classes ReliefRows, ReliefSearch and SparseReliefRows.
#include "bindings/held_space.hpp"
#include "relief/neighbour_search.hpp"
#include "relief/sparse_rows.hpp"

namespace unsuprank {
namespace {

void make_rows(ReliefRows* self, const HeldColumns& columns, Vector<int64_t> order) {
  const int64_t rows = columns.view().rows;
  require(!columns.view().held, "the columns must not be sparse");
  require(length(order) == rows, "order needs one entry per row");
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

void require_counts(const Vector<int64_t>& counts, int64_t most) {
  require(counts.shape(0) > 0, "counts are missing");
  int64_t before = 0;
  for (size_t part = 0; part < counts.shape(0); ++part) {
    require(before < counts(part) && counts(part) <= most, "counts must ascend");
    before = counts(part);
  }
}

void require_sums(const Vector<int64_t>& counts, int64_t terms, const MutableVector<double>& sums,
                  const MutableVector<double>& distances) {
  const size_t parts = counts.shape(0);
  require(distances.shape(0) == parts && sums.shape(0) == 2 * parts * terms,
          "sums have the wrong shape");
}

void add_sums(ReliefSearch& self, int64_t first, int64_t last, Vector<int64_t> counts,
              MutableVector<double> sums, MutableVector<double> distances) {
  require(self.first() <= first && first <= last && last <= self.last(), "queries out of bounds");
  require_counts(counts, self.n_neighbors());
  require_sums(counts, self.rows().terms(), sums, distances);
  nb::gil_scoped_release unlocked;
  self.add_sums(first, last, counts.data(), length(counts), sums.data(), distances.data());
}

void make_sparse_rows(SparseReliefRows* self, const HeldLines& rows, const HeldLines& columns,
                      Vector<double> zero, int64_t width) {
  require_transposed(rows, columns);
  require(length(zero) == columns.count(), "zero needs one entry per column");
  nb::gil_scoped_release unlocked;
  new (self) SparseReliefRows(rows.view(), columns.view(), rows.count(),
                              {zero.data(), zero.data() + columns.count()}, width);
}

void add_sparse_sums(const SparseReliefRows& self, Vector<int64_t> queries, Vector<int64_t> counts,
                     MutableVector<double> sums, MutableVector<double> distances) {
  for (size_t q = 0; q < queries.shape(0); ++q) {
    require(0 <= queries(q) && queries(q) < self.rows(), "queries out of bounds");
  }
  require_counts(counts, self.rows() - 1);
  require_sums(counts, self.terms(), sums, distances);
  nb::gil_scoped_release unlocked;
  self.add_sums(queries.data(), length(queries), counts.data(), length(counts), sums.data(),
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
  nb::class_<SparseReliefRows>(m, "SparseReliefRows")
      .def("__init__", &make_sparse_rows, nb::arg("rows"), nb::arg("columns"), nb::arg("zero"),
           nb::arg("width"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
      .def("add_sums", &add_sparse_sums, nb::arg("queries"), nb::arg("counts"), nb::arg("sums"),
           nb::arg("distances"));
}

}  // namespace unsuprank
