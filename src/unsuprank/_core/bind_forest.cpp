// Forests across the border: tables, spaces and trees as NumPy arrays.
#include <Python.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include "arrays.hpp"
#include "bindings.hpp"
#include "grow.hpp"
#include "node_scores.hpp"
#include "permute.hpp"
#include "route.hpp"

namespace unsuprank {
namespace {

// Ctrl-C ends a kernel in two ways: the main thread asks Python for pending signals, and worker
// threads see the flag that the main thread raises when it gives up.
class PythonInterrupt : public Interrupt {
 public:
  explicit PythonInterrupt(const uint8_t* flag) : flag_(flag) {}

  bool requested() override {
    if (raised_) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + std::chrono::milliseconds(20);
    if (__atomic_load_n(flag_, __ATOMIC_RELAXED)) {
      raised_ = true;
    } else {
      nb::gil_scoped_acquire locked;
      raised_ = PyErr_CheckSignals() != 0;
    }
    return raised_;
  }

  // To be called with the GIL held, after the kernel gave up.
  void raise() const {
    if (PyErr_Occurred()) throw nb::python_error();
    throw std::runtime_error("the computation was given up");
  }

 private:
  const uint8_t* flag_;
  bool raised_ = false;
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
};

const uint64_t* keys_of(const std::optional<Vector<uint64_t>>& keys, int64_t rows) {
  if (!keys) return nullptr;
  require(static_cast<int64_t>(keys->shape(0)) == rows, "row_keys needs one entry per row");
  return keys->data();
}

template <typename Real>
Space<Real> space_of(int64_t rows, const std::optional<RowMajor<Real>>& coords,
                     const std::optional<RowMajor<Real>>& distances,
                     const std::optional<RowMajor<double>>& partial,
                     const std::optional<RowMajor<double>>& known) {
  Space<Real> space;
  space.rows = rows;
  const auto has_rows = [rows](const auto& a) { return static_cast<int64_t>(a.shape(0)) == rows; };
  if (coords) {
    require(has_rows(*coords) && coords->shape(1) % 16 == 0, "coords has the wrong shape");
    space.coords = coords->data();
    space.width = static_cast<int64_t>(coords->shape(1));
  }
  if (distances) {
    require(has_rows(*distances) && has_rows(*distances) &&
                static_cast<int64_t>(distances->shape(1)) == rows,
            "distances has the wrong shape");
    space.distances = distances->data();
  }
  require(partial.has_value() == known.has_value(), "partial and known come together");
  if (partial) {
    require(has_rows(*partial) && has_rows(*known) && partial->shape(1) == known->shape(1) &&
                partial->shape(1) % 16 == 0,
            "partial and known have the wrong shape");
    space.partial = partial->data();
    space.known = known->data();
    space.partial_width = static_cast<int64_t>(partial->shape(1));
  }
  return space;
}

// The codes of a table, owned by a capsule on the Python side.
struct HeldCoarse {
  std::unique_ptr<uint16_t[]> codes, by_row;  // not vectors: there is no need to set them to 0
  std::vector<CoarseColumn> info;
  CoarseTable view;
};

nb::capsule hold_coarse(ColumnMajor<double> values, Vector<int32_t> n_values) {
  const Columns table = columns_of(values, n_values);
  auto held = std::make_unique<HeldCoarse>();
  {
    nb::gil_scoped_release unlocked;
    held->codes.reset(new uint16_t[table.rows * table.cols]);
    held->info.resize(table.cols);
    make_coarse(table, held->codes.get(), held->info.data());
    if (table.cols <= kNarrow) {
      held->by_row.reset(new uint16_t[table.rows * table.cols]);
      transpose_codes(held->codes.get(), table.rows, table.cols, held->by_row.get());
    }
    held->view = {held->codes.get(), held->by_row.get(), held->info.data(), table.rows, table.cols};
  }
  return nb::capsule(held.release(), "unsuprank.coarse",
                     [](void* p) noexcept { delete static_cast<HeldCoarse*>(p); });
}

const CoarseTable& codes_of(const nb::capsule& coarse, const Columns& table) {
  const CoarseTable& view = static_cast<HeldCoarse*>(coarse.data("unsuprank.coarse"))->view;
  require(view.rows == table.rows && view.cols == table.cols, "the codes belong to another table");
  return view;
}

nb::dict as_dict(Trees&& trees) {
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

nb::dict candidates_of(Trees& trees) {
  nb::dict out;
  out["offset"] = to_numpy(std::move(trees.candidate_offset));
  out["node"] = to_numpy(std::move(trees.candidate_node));
  out["feature"] = to_numpy(std::move(trees.candidate_feature));
  out["threshold"] = to_numpy(std::move(trees.candidate_threshold));
  out["gain"] = to_numpy(std::move(trees.candidate_gain));
  out["words"] = to_numpy(std::move(trees.candidate_words));
  return out;
}

template <typename Real>
nb::tuple grow(ColumnMajor<double> values, Vector<int32_t> n_values, Vector<bool> missing,
               std::optional<RowMajor<Real>> coords, std::optional<RowMajor<Real>> distances,
               std::optional<RowMajor<double>> partial, std::optional<RowMajor<double>> known,
               std::optional<Vector<uint64_t>> row_keys, Vector<uint8_t> stop, nb::capsule coarse,
               uint64_t seed, int64_t max_features, int32_t max_depth, double min_leaf,
               bool bootstrap, bool exhaustive, bool first_of_ties, bool record, int64_t pair_rows,
               int64_t first, int64_t last) {
  const Columns table = columns_of(values, n_values, missing);
  const Space<Real> space = space_of<Real>(table.rows, coords, distances, partial, known);
  require(!distances || coords || pair_rows >= table.rows,
          "without coordinates, every node must be split by distances");
  require(!partial || row_keys, "missing values need row_keys");
  const uint64_t* keys = keys_of(row_keys, table.rows);
  GrowSettings settings;
  settings.seed = seed;
  settings.max_features = max_features;
  settings.max_depth = max_depth;
  settings.min_leaf = min_leaf;
  settings.bootstrap = bootstrap;
  settings.exhaustive = exhaustive;
  settings.first_of_ties = first_of_ties;
  settings.record = record;
  settings.pair_rows = pair_rows;
  const CoarseTable& codes = codes_of(coarse, table);
  Trees trees;
  PythonInterrupt interrupt(stop.data());
  bool finished;
  {
    nb::gil_scoped_release unlocked;
    finished = grow_trees(table, codes, space, keys, settings, first, last, interrupt, trees);
  }
  if (!finished) interrupt.raise();
  nb::dict candidates = candidates_of(trees);
  return nb::make_tuple(as_dict(std::move(trees)), candidates);
}

template <typename T>
Vector<T> array_in(const nb::dict& trees, const char* name) {
  return nb::cast<Vector<T>>(trees[name]);
}

// Keeps the arrays alive for as long as the view is used.
struct HeldTrees {
  Vector<int64_t> node_offset, row_offset, subset;
  Vector<int32_t> feature, left, row_begin, row_end, rows, multiplicity;
  Vector<double> threshold, right_share;
  Vector<uint64_t> subset_words;

  explicit HeldTrees(const nb::dict& d)
      : node_offset(array_in<int64_t>(d, "node_offset")),
        row_offset(array_in<int64_t>(d, "row_offset")),
        subset(array_in<int64_t>(d, "subset")),
        feature(array_in<int32_t>(d, "feature")),
        left(array_in<int32_t>(d, "left")),
        row_begin(array_in<int32_t>(d, "row_begin")),
        row_end(array_in<int32_t>(d, "row_end")),
        rows(array_in<int32_t>(d, "rows")),
        multiplicity(array_in<int32_t>(d, "multiplicity")),
        threshold(array_in<double>(d, "threshold")),
        right_share(array_in<double>(d, "right_share")),
        subset_words(array_in<uint64_t>(d, "subset_words")) {}

  int64_t size() const { return static_cast<int64_t>(node_offset.shape(0)) - 1; }
  TreesView view() const {
    return {node_offset.data(), feature.data(),      left.data(),       threshold.data(),
            subset.data(),      subset_words.data(), right_share.data()};
  }
  ForestRows forest_rows() const {
    return {row_offset.data(), row_begin.data(), row_end.data(), rows.data(), multiplicity.data()};
  }
};

template <typename Real>
nb::tuple permute(ColumnMajor<double> values, Vector<int32_t> n_values, Vector<bool> missing,
                  std::optional<RowMajor<Real>> coords, std::optional<RowMajor<Real>> distances,
                  std::optional<RowMajor<double>> partial, std::optional<RowMajor<double>> known,
                  std::optional<Vector<uint64_t>> row_keys, Vector<uint8_t> stop,
                  nb::capsule coarse, Vector<double> scales, nb::dict trees, uint64_t seed,
                  int64_t first_tree) {
  const Columns table = columns_of(values, n_values, missing);
  const Space<Real> space = space_of<Real>(table.rows, coords, distances, partial, known);
  require(static_cast<int64_t>(scales.shape(0)) == table.cols, "scales needs one entry per column");
  const uint64_t* keys = keys_of(row_keys, table.rows);
  const CoarseTable& codes = codes_of(coarse, table);
  const HeldTrees held(trees);
  PermutationScores scores;
  PythonInterrupt interrupt(stop.data());
  bool finished;
  {
    nb::gil_scoped_release unlocked;
    finished =
        permutation_scores(table, codes, space, scales.data(), keys, held.view(),
                           held.forest_rows(), seed, first_tree, held.size(), interrupt, scores);
  }
  if (!finished) interrupt.raise();
  return nb::make_tuple(to_numpy(std::move(scores.offset)), to_numpy(std::move(scores.feature)),
                        to_numpy(std::move(scores.increase)));
}

template <typename Real>
void bind_typed(nb::module_& m) {
  m.def("grow", &grow<Real>, nb::arg("values"), nb::arg("n_values"), nb::arg("missing"),
        nb::arg("coords").none(), nb::arg("distances").none(), nb::arg("partial").none(),
        nb::arg("known").none(), nb::arg("row_keys").none(), nb::arg("stop"), nb::arg("coarse"),
        nb::arg("seed"), nb::arg("max_features"), nb::arg("max_depth"), nb::arg("min_leaf"),
        nb::arg("bootstrap"), nb::arg("exhaustive"), nb::arg("first_of_ties"), nb::arg("record"),
        nb::arg("pair_rows"), nb::arg("first"), nb::arg("last"));
  m.def("permutation_scores", &permute<Real>, nb::arg("values"), nb::arg("n_values"),
        nb::arg("missing"), nb::arg("coords").none(), nb::arg("distances").none(),
        nb::arg("partial").none(), nb::arg("known").none(), nb::arg("row_keys").none(),
        nb::arg("stop"), nb::arg("coarse"), nb::arg("scales"), nb::arg("trees"), nb::arg("seed"),
        nb::arg("first_tree"));
}

}  // namespace

void bind_forest(nb::module_& m) {
  bind_typed<float>(m);
  bind_typed<double>(m);
  m.def("coarse_codes", &hold_coarse, nb::arg("values"), nb::arg("n_values"));
  m.def(
      "node_scores",
      [](Vector<int64_t> node_offset, Vector<int32_t> feature, Vector<double> value) {
        require(node_offset.shape(0) > 0 && feature.shape(0) == value.shape(0),
                "feature and value differ in length");
        const int64_t n_trees = static_cast<int64_t>(node_offset.shape(0)) - 1;
        for (int64_t t = 0; t < n_trees; ++t) {
          require(0 <= node_offset(t) && node_offset(t) <= node_offset(t + 1) &&
                      node_offset(t + 1) <= static_cast<int64_t>(feature.shape(0)),
                  "node_offset does not fit the nodes");
        }
        NodeScores scores;
        {
          nb::gil_scoped_release unlocked;
          scores = node_scores(node_offset.data(), n_trees, feature.data(), value.data());
        }
        return nb::make_tuple(to_numpy(std::move(scores.tree)), to_numpy(std::move(scores.feature)),
                              to_numpy(std::move(scores.value)));
      },
      nb::arg("node_offset"), nb::arg("feature"), nb::arg("value"));
  m.def(
      "row_keys",
      [](ColumnMajor<double> values, Vector<int32_t> n_values) {
        const Columns table = columns_of(values, n_values);
        std::vector<uint64_t> keys(table.rows);
        row_keys(table, keys.data());
        return to_numpy(std::move(keys));
      },
      nb::arg("values"), nb::arg("n_values"));
  m.def(
      "apply",
      [](ColumnMajor<double> values, Vector<int32_t> n_values,
         std::optional<Vector<uint64_t>> row_keys, nb::dict trees, uint64_t seed,
         int64_t first_tree) {
        const Columns table = columns_of(values, n_values);
        const HeldTrees held(trees);
        std::vector<int32_t> leaves(table.rows * held.size());
        {
          nb::gil_scoped_release unlocked;
          apply_trees(table, held.view(), keys_of(row_keys, table.rows), seed, first_tree,
                      held.size(), leaves.data());
        }
        return to_numpy(std::move(leaves));
      },
      nb::arg("values"), nb::arg("n_values"), nb::arg("row_keys").none(), nb::arg("trees"),
      nb::arg("seed"), nb::arg("first_tree"));
  m.def(
      "permutation",
      [](uint64_t seed, int64_t tree, int32_t feature, int64_t count) {
        std::vector<int32_t> order(count);
        permutation(seed, tree, feature, count, order.data());
        return to_numpy(std::move(order));
      },
      nb::arg("seed"), nb::arg("tree"), nb::arg("feature"), nb::arg("count"));
}

}  // namespace unsuprank
