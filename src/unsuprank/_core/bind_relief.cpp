#include "arrays.hpp"
#include "bind_choice.hpp"
#include "bindings.hpp"
#include "relief_search.hpp"
#include "relief_yardstick.hpp"

namespace unsuprank {
namespace {

void check_order(const Vector<int64_t>& order, int64_t rows) {
  require(static_cast<int64_t>(order.shape(0)) == rows, "order needs one entry per row");
  std::vector<bool> seen(rows, false);
  for (int64_t p = 0; p < rows; ++p) {
    require(0 <= order(p) && order(p) < rows && !seen[order(p)], "order is not a permutation");
    seen[order(p)] = true;
  }
}

// Sums over the queries first .. last-1 and their neighbours, apart for the neighbours up to
// counts[0], those from there to counts[1], and so on: of differences per term, of the same times
// the distance, and of distances.
void add_sums(ReliefSearch& search, int64_t first, int64_t last, const Vector<int64_t>& counts,
              double* sums, double* distances) {
  const int64_t terms = search.rows().terms();
  std::vector<int64_t> positions(search.n_neighbors());
  std::vector<double> weights(search.n_neighbors());
  for (int64_t p = first; p < last; ++p) {
    const std::vector<Neighbor> found = search.neighbors(p);
    for (size_t k = 0; k < found.size(); ++k) {
      positions[k] = found[k].position;
      weights[k] = found[k].distance;
    }
    int64_t from = 0;
    for (size_t part = 0; part < counts.shape(0); ++part) {
      double* plain = sums + 2 * part * terms;
      search.rows().add_differences(p, positions.data() + from, weights.data() + from,
                                    counts(part) - from, plain, plain + terms);
      for (; from < counts(part); ++from) distances[part] += weights[from];
    }
  }
}

void check_sums(const ReliefSearch& search, int64_t first, int64_t last,
                const Vector<int64_t>& counts, int64_t size, int64_t parts) {
  require(search.first() <= first && first <= last && last <= search.last(),
          "queries out of bounds");
  int64_t before = 0;
  for (size_t part = 0; part < counts.shape(0); ++part) {
    require(before < counts(part) && counts(part) <= search.n_neighbors(), "counts must ascend");
    before = counts(part);
  }
  require(
      parts == static_cast<int64_t>(counts.shape(0)) && size == 2 * parts * search.rows().terms(),
      "sums have the wrong shape");
}

}  // namespace

void bind_relief(nb::module_& m) {
  nb::class_<ReliefRows>(m, "ReliefRows")
      .def(
          "__init__",
          [](ReliefRows* self, ColumnMajor<double> values, Vector<int32_t> n_values,
             Vector<int64_t> order) {
            const Columns table = columns_of(values, n_values);
            check_order(order, table.rows);
            nb::gil_scoped_release unlocked;
            new (self) ReliefRows(table, order.data());
          },
          nb::arg("values"), nb::arg("n_values"), nb::arg("order"))
      .def(
          "read_blocks",
          [](ReliefRows& self, ColumnMajor<double> values, Vector<int32_t> n_values, int64_t first,
             int64_t last) {
            const Columns table = columns_of(values, n_values);
            require(table.rows == self.rows(), "another table");
            require(0 <= first && first <= last && last <= self.blocks(), "block out of bounds");
            nb::gil_scoped_release unlocked;
            self.read_blocks(table, first, last);
          },
          nb::arg("values"), nb::arg("n_values"), nb::arg("first"), nb::arg("last"))
      .def_prop_ro("n_blocks", &ReliefRows::blocks)
      .def_prop_ro("code_width", [](const ReliefRows& self) { return self.widths().total(); })
      .def_prop_ro("largest_error", &ReliefRows::largest_error)
      .def("term_columns", [](const ReliefRows& self) {
        return to_numpy(std::vector<int64_t>(self.term_columns()));
      });

  nb::class_<ReliefSearch>(m, "ReliefSearch")
      .def(
          "__init__",
          [](ReliefSearch* self, const ReliefRows& rows, int64_t first, int64_t last,
             int64_t n_neighbors) {
            require(0 <= first && first % TILE == 0 && first < last && last <= rows.rows(),
                    "queries out of bounds");
            require(1 <= n_neighbors && n_neighbors < rows.rows(), "n_neighbors out of bounds");
            new (self) ReliefSearch(rows, first, last, n_neighbors);
          },
          nb::arg("rows"), nb::arg("first"), nb::arg("last"), nb::arg("n_neighbors"),
          nb::keep_alive<1, 2>())
      .def_static("bytes_per_query", &ReliefSearch::bytes_per_query, nb::arg("n_neighbors"))
      .def(
          "compare",
          [](ReliefSearch& self, int64_t query_block, int64_t first, int64_t last) {
            require(self.first() <= query_block * TILE && query_block * TILE < self.last(),
                    "no block of queries");
            require(0 <= first && first <= last && last <= self.rows().blocks(),
                    "block out of bounds");
            nb::gil_scoped_release unlocked;
            self.compare(query_block, first, last);
          },
          nb::arg("query_block"), nb::arg("first"), nb::arg("last"))
      .def(
          "add_sums",
          [](ReliefSearch& self, int64_t first, int64_t last, Vector<int64_t> counts,
             MutableVector<double> sums, MutableVector<double> distances) {
            check_sums(self, first, last, counts, sums.shape(0), distances.shape(0));
            nb::gil_scoped_release unlocked;
            add_sums(self, first, last, counts, sums.data(), distances.data());
          },
          nb::arg("first"), nb::arg("last"), nb::arg("counts"), nb::arg("sums"),
          nb::arg("distances"));

  m.attr("RELIEF_TILE") = TILE;
  m.def(
      "relief_tile_sums",
      [](Vector<uint32_t> queries, Vector<int16_t> block, int64_t measured, int64_t matched,
         int32_t match, const std::string& instruction_set, MutableVector<uint32_t> sums) {
        const CodeWidths widths{measured, matched};
        require(measured % BURST == 0 && matched % BURST == 0, "widths need padding");
        require(static_cast<int64_t>(queries.shape(0)) == TILE * widths.total() &&
                    static_cast<int64_t>(block.shape(0)) == TILE * widths.total() &&
                    static_cast<int64_t>(sums.shape(0)) == TILE * TILE,
                "arrays have the wrong size");
        const TileSums add = kernel_for(tile_sums_choices(), instruction_set);
        nb::gil_scoped_release unlocked;
        add(queries.data(), block.data(), widths, match, sums.data());
      },
      nb::arg("queries"), nb::arg("block"), nb::arg("measured"), nb::arg("matched"),
      nb::arg("match"), nb::arg("instruction_set"), nb::arg("sums"));
  m.def(
      "repeat_absolute_differences",
      [](Vector<float> a, Vector<float> b, int64_t repeats) {
        require(a.shape(0) == b.shape(0), "arrays differ in length");
        nb::gil_scoped_release unlocked;
        return repeat_absolute_differences(a.data(), b.data(), a.shape(0), repeats);
      },
      nb::arg("a"), nb::arg("b"), nb::arg("repeats"));
  m.def("relief_instruction_sets", [] { return instructions_that_work(tile_sums_choices()); });
}

}  // namespace unsuprank
