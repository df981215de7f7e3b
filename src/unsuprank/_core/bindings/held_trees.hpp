// Trees across the border: dictionaries of NumPy arrays.
#pragma once
#include "bindings/arrays.hpp"
#include "forest/trees.hpp"

namespace unsuprank {

inline nb::dict as_dict(Trees&& trees) {
  nb::dict out;
  out["node_offset"] = to_numpy(std::move(trees.node_offset));
  out["row_offset"] = to_numpy(std::move(trees.row_offset));
  out["feature"] = to_numpy(std::move(trees.feature));
  out["left"] = to_numpy(std::move(trees.left));
  out["threshold"] = to_numpy(std::move(trees.threshold));
  out["subset"] = to_numpy(std::move(trees.subset));
  out["subset_words"] = to_numpy(std::move(trees.subset_words));
  out["gain"] = to_numpy(std::move(trees.gain));
  out["weight"] = to_numpy(std::move(trees.weight));
  out["right_share"] = to_numpy(std::move(trees.right_share));
  out["row_begin"] = to_numpy(std::move(trees.row_begin));
  out["row_end"] = to_numpy(std::move(trees.row_end));
  out["rows"] = to_numpy(std::move(trees.rows));
  out["multiplicity"] = to_numpy(std::move(trees.multiplicity));
  return out;
}

// A view of trees, and the arrays that it points into.
class HeldTrees {
 public:
  HeldTrees(const nb::dict& trees, uint64_t seed, int64_t first_tree) {
    const Vector<int64_t> node_offset = hold<int64_t>(trees, "node_offset");
    view_.size = static_cast<int64_t>(node_offset.shape(0)) - 1;
    view_.seed = seed;
    view_.first_tree = first_tree;
    view_.node_offset = node_offset.data();
    view_.row_offset = hold<int64_t>(trees, "row_offset").data();
    view_.feature = hold<int32_t>(trees, "feature").data();
    view_.left = hold<int32_t>(trees, "left").data();
    view_.threshold = hold<double>(trees, "threshold").data();
    view_.subset = hold<int64_t>(trees, "subset").data();
    view_.subset_words = hold<uint64_t>(trees, "subset_words").data();
    view_.right_share = hold<double>(trees, "right_share").data();
    view_.row_begin = hold<int32_t>(trees, "row_begin").data();
    view_.row_end = hold<int32_t>(trees, "row_end").data();
    view_.rows = hold<int32_t>(trees, "rows").data();
    view_.multiplicity = hold<int32_t>(trees, "multiplicity").data();
  }

  const TreesView& view() const { return view_; }

 private:
  // Arrays of another type are refused: a converted copy would not be held.
  template <typename T>
  Vector<T> hold(const nb::dict& trees, const char* name) {
    held_.emplace_back(trees[name]);
    return nb::cast<Vector<T>>(held_.back(), false);
  }

  std::vector<nb::object> held_;
  TreesView view_{};
};

}  // namespace unsuprank
