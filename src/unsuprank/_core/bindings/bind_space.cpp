// The classes Columns and ClusteringSpace.
#include <nanobind/stl/optional.h>

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

// The view of arrays that fit a table; the others are refused.
template <typename Real>
ClusteringSpace<Real> space_of(const Columns& table, const CoarseTable& codes,
                               const SpaceArrays<Real>& held) {
  const auto has_rows = [&](const auto& a) {
    return static_cast<int64_t>(a->shape(0)) == table.rows;
  };
  ClusteringSpace<Real> space{table, codes, keys_of(held.row_keys, table.rows)};
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
    require(space.row_keys != nullptr, "missing values need row_keys");
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

template <typename Real>
HeldSpace::HeldSpace(const HeldColumns& columns, SpaceArrays<Real> arrays)
    : columns_(columns), codes_(make_codes(columns_.view())) {
  const ClusteringSpace<Real> view = space_of(columns_.view(), codes_.view(), arrays);
  typed_ = Typed<Real>{std::move(arrays), view};
}

void bind_space(nb::module_& m) {
  nb::class_<HeldColumns>(m, "Columns")
      .def(nb::init<ColumnMajor<double>, Vector<int32_t>, std::optional<Vector<bool>>>(),
           nb::arg("values"), nb::arg("n_values"), nb::arg("missing").none() = nb::none());
  nb::class_<HeldSpace> space(m, "ClusteringSpace");
  bind_init<double>(space);  // first: taken if there is nothing that tells the precision
  bind_init<float>(space);
}

}  // namespace unsuprank
