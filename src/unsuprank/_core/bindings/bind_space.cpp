// The classes Columns and ClusteringSpace.
#include <nanobind/stl/optional.h>

#include <algorithm>

#include "bindings/held_space.hpp"

namespace unsuprank {
namespace {

CoarseTable make_codes(const Columns& table) {
  nb::gil_scoped_release unlocked;
  return CoarseTable(table);
}

template <typename Real>
void bind_init(nb::class_<HeldSpace>& space) {
  space.def(
      "__init__",
      [](HeldSpace* self, const HeldColumns& columns, MaybeRowMajor<Real> coords,
         MaybeRowMajor<Real> distances, MaybeRowMajor<double> partial, MaybeRowMajor<double> known,
         std::optional<Vector<uint64_t>> row_keys) {
        new (self) HeldSpace(
            columns, SpaceArrays<Real>{std::move(coords), std::move(distances), std::move(partial),
                                       std::move(known), std::move(row_keys)});
      },
      nb::arg("columns"), nb::kw_only(), nb::arg("coords").none(), nb::arg("distances").none(),
      nb::arg("partial").none(), nb::arg("known").none(), nb::arg("row_keys").none());
}

// Which rows of each column have a value that is held.
std::vector<HeldRows> held_rows(const HeldLines& columns) {
  const SparseLines lines = columns.view();
  const int64_t words = (columns.others() + 63) / 64;
  std::vector<HeldRows> held(columns.count() * words, HeldRows{0, 0});
  int64_t at = 0;
  for (int64_t j = 0; j < columns.count(); ++j) {
    for (int64_t w = 0; w < words; ++w) {
      HeldRows& word = held[j * words + w];
      word.before = at;
      for (; at < lines.starts[j + 1] && lines.index[at] < 64 * (w + 1); ++at) {
        word.bits |= uint64_t{1} << (lines.index[at] & 63);
      }
    }
  }
  return held;
}

// The view of arrays that fit a table; the others are refused.
template <typename Real>
ClusteringSpace<Real> space_of(const Columns& table, const SpaceArrays<Real>& held) {
  const auto has_rows = [&](const auto& a) { return length(*a) == table.rows; };
  ClusteringSpace<Real> space{table, make_codes(table), keys_of(held.row_keys, table.rows)};
  const bool misses = table.missing && std::find(table.missing, table.missing + table.cols, true) !=
                                           table.missing + table.cols;
  require(space.row_keys || !misses, "missing values need row_keys");
  if (held.coords) {
    require(has_rows(held.coords) && held.coords->shape(1) % 16 == 0, "coords has the wrong shape");
    space.coords = held.coords->data();
    space.width = length(*held.coords, 1);
  }
  if (held.distances) {
    require(has_rows(held.distances) && held.distances->shape(1) == held.distances->shape(0),
            "distances has the wrong shape");
    space.distances = held.distances->data();
  }
  require(held.partial.has_value() == held.known.has_value(), "partial and known come together");
  if (held.partial) {
    require(has_rows(held.partial) && has_rows(held.known) &&
                held.partial->shape(1) == held.known->shape(1) && held.partial->shape(1) % 16 == 0,
            "partial and known have the wrong shape");
    space.partial = held.partial->data();
    space.known = held.known->data();
    space.partial_width = length(*held.partial, 1);
  }
  return space;
}

}  // namespace

const uint64_t* keys_of(const std::optional<Vector<uint64_t>>& keys, int64_t rows) {
  if (!keys) return nullptr;
  require(length(*keys) == rows, "row_keys needs one entry per row");
  return keys->data();
}

HeldColumns::HeldColumns(const HeldLines& columns, Vector<int32_t> n_values, Vector<bool> missing)
    : n_values_(std::move(n_values)), missing_(std::move(missing)), lines_(columns) {
  require(length(n_values_) == columns.count() && length(*missing_) == columns.count(),
          "n_values and missing need one entry per column");
  held_ = std::make_shared<const std::vector<HeldRows>>(held_rows(columns));
  view_ = {columns.view().values, n_values_.data(), columns.others(),
           columns.count(),       missing_->data(), held_->data()};
}

template <typename Real>
HeldSpace::HeldSpace(const HeldColumns& columns, const SpaceArrays<Real>& arrays)
    : columns_(columns), typed_(Typed<Real>{arrays, space_of(columns_.view(), arrays)}) {}

void bind_space(nb::module_& m) {
  nb::class_<HeldColumns>(m, "Columns")
      .def(nb::init<ColumnMajor<double>, Vector<int32_t>, std::optional<Vector<bool>>>(),
           nb::arg("values"), nb::arg("n_values"), nb::arg("missing").none() = nb::none())
      .def(nb::init<const HeldLines&, Vector<int32_t>, Vector<bool>>(), nb::arg("columns"),
           nb::arg("n_values"), nb::arg("missing"));
  nb::class_<HeldSpace> space(m, "ClusteringSpace");
  bind_init<double>(space);  // first: taken if there is nothing that tells the precision
  bind_init<float>(space);
}

}  // namespace unsuprank
