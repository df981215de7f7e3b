#include "arrays.hpp"
#include "bind_choice.hpp"
#include "bindings.hpp"
#include "pair_products.hpp"
#include "values_between.hpp"
#include "whole_graph.hpp"

namespace unsuprank {
namespace {

void check_band(const WholeTable& table, int64_t first) {
  require(0 <= first && first < table.rows() && first % WholeTable::kBand == 0,
          "band out of bounds");
}

void check_read(const WholeTable& table) { require(table.has_rows(), "the table was not read"); }

template <typename Array>
void check_distances(const WholeTable& table, int64_t first, const Array& distances) {
  require(distances.shape(0) == WholeTable::kBand &&
              static_cast<int64_t>(distances.shape(1)) == table.all_rows() - first,
          "distances need one row for each row of a band, and one column for each row after it");
}

template <typename Number>
void bind_values_between(nb::module_& m) {
  m.def(
      "values_between",
      [](nb::ndarray<const Number, nb::c_contig, nb::device::cpu> values, Number low, Number high) {
        ValuesBetween<Number> found;
        {
          nb::gil_scoped_release unlocked;
          found = values_between(values.data(), static_cast<int64_t>(values.size()), low, high);
        }
        return nb::make_tuple(found.below, to_numpy(std::move(found.values)));
      },
      nb::arg("values").noconvert(), nb::arg("low"), nb::arg("high"));
}

void bind_bands(nb::class_<WholeTable>& table) {
  table.def(
      "distances",
      [](const WholeTable& self, int64_t first, MutableRowMajor<int32_t> out) {
        check_band(self, first);
        check_read(self);
        check_distances(self, first, out);
        nb::gil_scoped_release unlocked;
        band_distances(self, first, out.data());
      },
      nb::arg("first"), nb::arg("out"));
  table.def(
      "add_sums",
      [](const WholeTable& self, int64_t first, RowMajor<int32_t> distances, double gamma,
         MutableVector<int64_t> degrees, MutableVector<double> forms) {
        check_band(self, first);
        check_read(self);
        check_distances(self, first, distances);
        require(static_cast<int64_t>(degrees.shape(0)) == self.all_rows() - first &&
                    static_cast<int64_t>(forms.shape(0)) == self.all_cols(),
                "degrees need one entry per row from the band on, and forms one per column");
        nb::gil_scoped_release unlocked;
        add_band_sums(self, first, distances.data(), gamma, degrees.data(), forms.data());
      },
      nb::arg("first"), nb::arg("distances"), nb::arg("gamma"), nb::arg("degrees"),
      nb::arg("forms"));
}

void bind_reading(nb::class_<WholeTable>& table) {
  table.def(
      "__init__",
      [](WholeTable* self, ColumnMajor<double> values, const WholeTable* like) {
        const Columns columns = {values.data(), nullptr, static_cast<int64_t>(values.shape(0)),
                                 static_cast<int64_t>(values.shape(1))};
        require(!like || like->cols() == columns.cols, "tables differ in their columns");
        nb::gil_scoped_release unlocked;
        new (self) WholeTable(columns, like);
      },
      nb::arg("values"), nb::arg("like").none(), nb::keep_alive<1, 2>());
  table.def(
      "read_columns",
      [](WholeTable& self, int64_t first) {
        require(0 <= first && first < self.cols() && first % kPanel == 0, "panel out of bounds");
        nb::gil_scoped_release unlocked;
        return self.read_columns(first);
      },
      nb::arg("first"));
  table.def(
      "read_rows",
      [](WholeTable& self, int64_t first) {
        check_band(self, first);
        require(self.has_columns(), "columns come first");
        nb::gil_scoped_release unlocked;
        return self.read_rows(first);
      },
      nb::arg("first"));
  table.def_prop_ro("per_unit", &WholeTable::per_unit);
  table.def_prop_ro("all_rows", &WholeTable::all_rows);
  table.def_prop_ro("all_cols", &WholeTable::all_cols);
  table.def("centres",
            [](const WholeTable& self) { return to_numpy(std::vector<double>(self.centres())); });
}

void bind_pair_tile(nb::module_& m) {
  m.def("pair_instruction_sets", [] { return instructions_that_work(pair_tiles()); });
  m.def(
      "add_pair_tile",
      [](RowMajor<int16_t> rows, RowMajor<int16_t> panel, const std::string& instruction_set,
         MutableRowMajor<int32_t> sums) {
        require(rows.shape(0) == kTileRows && panel.shape(1) == 2 * kPanel &&
                    rows.shape(1) == 2 * panel.shape(0) && sums.shape(0) == kTileRows &&
                    sums.shape(1) == kPanel,
                "arrays have the wrong size");
        const PairTile add = kernel_for(pair_tiles(), instruction_set);
        add(rows.data(), static_cast<int64_t>(rows.shape(1)), panel.data(),
            static_cast<int64_t>(panel.shape(0)), sums.data());
      },
      nb::arg("rows"), nb::arg("panel"), nb::arg("instruction_set"), nb::arg("sums"));
}

void bind_weighted_sums(nb::class_<WholeTable>& table) {
  table.def(
      "weighted_sums",
      [](const WholeTable& self, Vector<double> degrees, MutableRowMajor<double> sums) {
        const int64_t cols = self.all_cols();
        check_read(self);
        require(static_cast<int64_t>(degrees.shape(0)) == self.rows() && sums.shape(0) == 3 &&
                    static_cast<int64_t>(sums.shape(1)) == cols,
                "degrees need one entry per row, and sums three for each column");
        nb::gil_scoped_release unlocked;
        double* start = sums.data();
        weighted_sums(self, degrees.data(), start, start + cols, start + 2 * cols);
      },
      nb::arg("degrees"), nb::arg("sums"));
}

}  // namespace

void bind_whole(nb::module_& m) {
  m.attr("WHOLE_BAND") = WholeTable::kBand;
  m.attr("WHOLE_PANEL") = kPanel;
  m.attr("WHOLE_ONE") = kOne;
  m.attr("NO_PAIR") = kNoPair;
  nb::class_<WholeTable> table(m, "WholeTable");
  bind_reading(table);
  bind_bands(table);
  bind_weighted_sums(table);
  bind_pair_tile(m);
  bind_values_between<double>(m);
  bind_values_between<int32_t>(m);
}

}  // namespace unsuprank
