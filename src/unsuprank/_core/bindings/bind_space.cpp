// The classes Columns and ClusteringSpace.
#include <nanobind/stl/optional.h>

#include <algorithm>

#include "bindings/bindings.hpp"
#include "bindings/held_space.hpp"

namespace unsuprank {
namespace {

CoarseCodes make_codes(const Columns& table) {
  nb::gil_scoped_release unlocked;
  return CoarseCodes(table);
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
std::vector<HeldRows> held_rows(int64_t rows, const Vector<int64_t>& starts,
                                const Vector<int32_t>& row_indices) {
  const int64_t cols = static_cast<int64_t>(starts.shape(0)) - 1;
  const int64_t count = static_cast<int64_t>(row_indices.shape(0)), words = (rows + 63) / 64;
  require(cols >= 0 && starts(0) == 0 && starts(cols) == count, "starts do not fit the values");
  std::vector<HeldRows> held(cols * words, HeldRows{0, 0});
  int64_t at = 0;
  for (int64_t j = 0; j < cols; ++j) {
    require(starts(j) <= starts(j + 1) && starts(j + 1) <= count, "starts are out of order");
    for (int64_t w = 0, last = -1; w < words; ++w) {
      HeldRows& word = held[j * words + w];
      word.before = at;
      for (; at < starts(j + 1) && row_indices(at) < std::min(rows, 64 * (w + 1)); ++at) {
        require(row_indices(at) > last, "rows of a column are out of order");
        last = row_indices(at);
        word.bits |= uint64_t{1} << (last & 63);
      }
    }
    require(at == starts(j + 1), "a row is out of range");
  }
  return held;
}

// The view of arrays that fit a table; the others are refused.
template <typename Real>
ClusteringSpace<Real> space_of(const Columns& table, const CoarseTable& codes,
                               const SpaceArrays<Real>& held) {
  const auto has_rows = [&](const auto& a) {
    return static_cast<int64_t>(a->shape(0)) == table.rows;
  };
  ClusteringSpace<Real> space{table, codes, keys_of(held.row_keys, table.rows)};
  const bool misses = table.missing && std::find(table.missing, table.missing + table.cols, true) !=
                                           table.missing + table.cols;
  require(space.row_keys || !misses, "missing values need row_keys");
  if (held.coords) {
    require(has_rows(held.coords) && held.coords->shape(1) % 16 == 0, "coords has the wrong shape");
    space.coords = held.coords->data();
    space.width = static_cast<int64_t>(held.coords->shape(1));
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
    space.partial_width = static_cast<int64_t>(held.partial->shape(1));
  }
  return space;
}

}  // namespace

const uint64_t* keys_of(const std::optional<Vector<uint64_t>>& keys, int64_t rows) {
  if (!keys) return nullptr;
  require(static_cast<int64_t>(keys->shape(0)) == rows, "row_keys needs one entry per row");
  return keys->data();
}

HeldColumns::HeldColumns(int64_t rows, Vector<int64_t> starts, Vector<int32_t> row_indices,
                         Vector<double> values, Vector<int32_t> n_values, Vector<bool> missing)
    : n_values_(std::move(n_values)),
      missing_(std::move(missing)),
      held_values_(std::move(values)) {
  require(held_values_.shape(0) == row_indices.shape(0), "rows and values differ in number");
  require(n_values_.shape(0) + 1 == starts.shape(0) && n_values_.shape(0) == missing_->shape(0),
          "n_values and missing need one entry per column");
  held_ = std::make_shared<const std::vector<HeldRows>>(held_rows(rows, starts, row_indices));
  view_ = {held_values_.data(), n_values_.data(), rows, static_cast<int64_t>(n_values_.shape(0))};
  view_.missing = missing_->data();
  view_.held = held_->data();
}

template <typename Real>
HeldSpace::HeldSpace(const HeldColumns& columns, SpaceArrays<Real> arrays)
    : columns_(columns), codes_(make_codes(columns_.view())) {
  const ClusteringSpace<Real> view = space_of(columns_.view(), codes_.view(), arrays);
  typed_ = Typed<Real>{std::move(arrays), view};
}

void bind_space(nb::module_& m) {
  nb::class_<HeldColumns>(m, "Columns")
      .def(nb::init<ColumnMajor<double>, Vector<int32_t>, std::optional<Vector<bool>>>(),
           nb::arg("values"), nb::arg("n_values"), nb::arg("missing").none() = nb::none())
      .def(nb::init<int64_t, Vector<int64_t>, Vector<int32_t>, Vector<double>, Vector<int32_t>,
                    Vector<bool>>(),
           nb::arg("rows"), nb::arg("starts"), nb::arg("row_indices"), nb::arg("values"),
           nb::arg("n_values"), nb::arg("missing"));
  nb::class_<HeldSpace> space(m, "ClusteringSpace");
  bind_init<double>(space);  // first: taken if there is nothing that tells the precision
  bind_init<float>(space);
}

}  // namespace unsuprank
