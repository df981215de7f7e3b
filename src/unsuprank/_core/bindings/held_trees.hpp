// Trees across the border: dictionaries of NumPy arrays.
#pragma once
#include "bindings/arrays.hpp"
#include "forest/trees.hpp"

namespace unsuprank {

inline nb::dict as_dict(Trees&& trees) {
  nb::dict out;
  trees.each(trees,
             [&](const char* name, auto& array, auto&) { out[name] = to_numpy(std::move(array)); });
  return out;
}

// A view of trees, and the arrays that it points into.
class HeldTrees {
 public:
  HeldTrees(const nb::dict& trees, uint64_t seed, int64_t first_tree) {
    view_.seed = seed;
    view_.first_tree = first_tree;
    // Arrays of another type are refused: a converted copy would not be held.
    view_.each(view_, [&](const char* name, auto& array, auto&) {
      using Number =
          std::remove_const_t<std::remove_pointer_t<std::remove_reference_t<decltype(array)>>>;
      held_.emplace_back(trees[name]);
      array = nb::cast<Vector<Number>>(held_.back(), false).data();
    });
    view_.size = static_cast<int64_t>(nb::len(held_.front())) - 1;
  }

  const TreesView& view() const { return view_; }

 private:
  std::vector<nb::object> held_;
  TreesView view_;
};

}  // namespace unsuprank
