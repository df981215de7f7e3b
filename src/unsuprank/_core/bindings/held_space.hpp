// Tables and clustering spaces that Python holds: views for the kernels, and the arrays that these
// views point into.
#pragma once
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "bindings/held_lines.hpp"
#include "forest/clustering_space.hpp"

namespace unsuprank {

template <typename T>
using MaybeRowMajor = std::optional<RowMajor<T>>;

// The columns of a table, with all of their values or with those that are held of a sparse one.
class HeldColumns {
 public:
  HeldColumns(ColumnMajor<double> values, Vector<int32_t> n_values,
              std::optional<Vector<bool>> missing)
      : values_(std::move(values)),
        n_values_(std::move(n_values)),
        missing_(std::move(missing)),
        view_(columns_of(values_, n_values_)) {
    if (!missing_) return;
    require(missing_->shape(0) == values_.shape(1), "missing needs one entry per column");
    view_.missing = missing_->data();
  }

  HeldColumns(const HeldLines& columns, Vector<int32_t> n_values, Vector<bool> missing);

  const Columns& view() const { return view_; }

 private:
  ColumnMajor<double> values_;
  Vector<int32_t> n_values_;
  std::optional<Vector<bool>> missing_;
  std::optional<HeldLines> lines_;
  std::shared_ptr<const std::vector<HeldRows>> held_;
  Columns view_{};
};

// What is known of the rows besides their values, in the precision of the space.
template <typename Real>
struct SpaceArrays {
  MaybeRowMajor<Real> coords, distances;
  MaybeRowMajor<double> partial, known;
  std::optional<Vector<uint64_t>> row_keys;
};

const uint64_t* keys_of(const std::optional<Vector<uint64_t>>& keys, int64_t rows);

// A clustering space of either precision, with the codes of its table.
class HeldSpace {
 public:
  template <typename Real>
  HeldSpace(const HeldColumns& columns, const SpaceArrays<Real>& arrays);

  // Calls `work` with the ClusteringSpace<Real>.
  template <typename Work>
  auto visit(Work&& work) const {
    return std::visit([&](const auto& typed) { return work(typed.view); }, typed_);
  }

  const Columns& table() const { return columns_.view(); }

 private:
  template <typename Real>
  struct Typed {
    SpaceArrays<Real> arrays;
    ClusteringSpace<Real> view;
  };

  HeldColumns columns_;
  std::variant<Typed<float>, Typed<double>> typed_;
};

}  // namespace unsuprank
