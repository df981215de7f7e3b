// Growing forests, sending rows down their trees, and scoring by them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bindings/held_space.hpp"
#include "bindings/held_trees.hpp"
#include "bindings/python_interrupt.hpp"
#include "forest/grow.hpp"
#include "forest/out_of_bag_gains.hpp"
#include "forest/permutation_scores.hpp"
#include "forest/route.hpp"

namespace unsuprank {
namespace {

void check_settings(const HeldSpace& space, const GrowSettings& settings) {
  const bool fits = space.visit([&](const auto& view) {
    return !view.distances || view.coords || settings.pair_rows >= view.table.rows;
  });
  require(fits, "without coordinates, every node must be split by distances");
}

void check_measures(const HeldSpace& space, const Vector<double>& norms,
                    const std::optional<Vector<double>>& scales) {
  require(length(norms) == space.table().rows, "norms needs one entry per row");
  require(!scales || length(*scales) == space.table().cols, "scales needs one entry per column");
}

nb::dict grow(const HeldSpace& space, const GrowSettings& settings, int64_t first, int64_t last,
              const StopFlag& stop) {
  check_settings(space, settings);
  Trees trees;
  PythonInterrupt(stop).run([&](Interrupt& interrupt) {
    return space.visit([&](const auto& view) {
      return grow_trees(view, settings, first, last, interrupt, trees);
    });
  });
  return as_dict(std::move(trees));
}

Credit credit_named(const std::string& name) {
  if (name == "genie3") return Credit::gain;
  if (name == "symbolic") return Credit::share;
  require(name == "genie3_out_of_bag", "no such credit");
  return Credit::out_of_bag_gain;
}

auto probe(const HeldSpace& space, const GrowSettings& settings, Vector<int32_t> columns,
           const std::string& credit, Vector<double> norms, Vector<double> scales, int64_t first,
           int64_t last, const StopFlag& stop) {
  check_settings(space, settings);
  require(!settings.exhaustive && !settings.first_of_ties,
          "probes need extra trees with fair ties");
  check_measures(space, norms, scales);
  const std::vector<int32_t> held(columns.data(), columns.data() + columns.shape(0));
  for (const int32_t c : held) require(0 <= c && c < space.table().cols, "no such column");
  Trees trees;
  std::vector<double> credits;
  PythonInterrupt(stop).run([&](Interrupt& interrupt) {
    return space.visit([&](const auto& view) {
      Probes probes(view, settings, interrupt, held, credit_named(credit),
                    {norms.data(), scales.data()});
      const bool done = grow_trees(view, settings, first, last, interrupt, trees, nullptr, &probes);
      credits = std::move(probes.credits());
      return done;
    });
  });
  return to_numpy(std::move(credits));
}

nb::tuple score_permutations(const HeldSpace& space, const GrowSettings& settings,
                             Vector<double> scales, nb::dict trees, int64_t first_tree,
                             bool cumulative, const StopFlag& stop) {
  require(length(scales) == space.table().cols, "scales needs one entry per column");
  const HeldTrees held(trees, settings.seed, first_tree);
  PermutationScores scores;
  PythonInterrupt(stop).run([&](Interrupt& interrupt) {
    return space.visit([&](const auto& view) {
      return cumulative ? cumulative_permutation_scores(view, scales.data(), held.view(), interrupt,
                                                        scores)
                        : permutation_scores(view, scales.data(), held.view(), interrupt, scores);
    });
  });
  return nb::make_tuple(to_numpy(std::move(scores.offset)), to_numpy(std::move(scores.feature)),
                        to_numpy(std::move(scores.increase)));
}

auto gains_outside(const HeldSpace& space, const GrowSettings& settings, Vector<double> norms,
                   std::optional<Vector<double>> scales, nb::dict trees, int64_t first_tree,
                   const StopFlag& stop) {
  check_measures(space, norms, scales);
  const HeldTrees held(trees, settings.seed, first_tree);
  std::vector<double> gains;
  PythonInterrupt(stop).run([&](Interrupt& interrupt) {
    return space.visit([&](const auto& view) {
      return out_of_bag_gains(view, {norms.data(), scales ? scales->data() : nullptr}, held.view(),
                              interrupt, gains);
    });
  });
  return to_numpy(std::move(gains));
}

auto apply(ColumnMajor<double> values, Vector<int32_t> n_values,
           std::optional<Vector<uint64_t>> row_keys, nb::dict trees, uint64_t seed,
           int64_t first_tree) {
  const Columns table = columns_of(values, n_values);
  const uint64_t* keys = keys_of(row_keys, table.rows);
  const HeldTrees held(trees, seed, first_tree);
  return written<int32_t>(table.rows * held.view().size,
                          [&](int32_t* leaves) { apply_trees(table, keys, held.view(), leaves); });
}

nb::tuple score_nodes(Vector<int64_t> node_offset, Vector<int32_t> feature, Vector<double> value) {
  require(node_offset.shape(0) > 0 && feature.shape(0) == value.shape(0),
          "feature and value differ in length");
  const int64_t n_trees = length(node_offset) - 1;
  for (int64_t t = 0; t < n_trees; ++t) {
    require(0 <= node_offset(t) && node_offset(t) <= node_offset(t + 1) &&
                node_offset(t + 1) <= length(feature),
            "node_offset does not fit the nodes");
  }
  NodeScores scores;
  {
    nb::gil_scoped_release unlocked;
    scores = node_scores(node_offset.data(), n_trees, feature.data(), value.data());
  }
  return nb::make_tuple(to_numpy(std::move(scores.tree)), to_numpy(std::move(scores.feature)),
                        to_numpy(std::move(scores.value)));
}

auto name_rows(ColumnMajor<double> values, Vector<int32_t> n_values) {
  const Columns table = columns_of(values, n_values);
  return written<uint64_t>(table.rows, [&](uint64_t* keys) { row_keys(table, keys); });
}

void bind_settings(nb::module_& m) {
  nb::class_<GrowSettings>(m, "GrowSettings")
      .def(
          "__init__",
          [](GrowSettings* self, uint64_t seed, int64_t max_features, int32_t max_depth,
             double min_leaf, bool bootstrap, bool exhaustive, bool first_of_ties,
             int64_t pair_rows) {
            new (self) GrowSettings{seed,      max_features, max_depth,     min_leaf,
                                    bootstrap, exhaustive,   first_of_ties, pair_rows};
          },
          nb::kw_only(), nb::arg("seed"), nb::arg("max_features"), nb::arg("max_depth"),
          nb::arg("min_leaf"), nb::arg("bootstrap"), nb::arg("exhaustive"),
          nb::arg("first_of_ties"), nb::arg("pair_rows"));
  nb::class_<StopFlag>(m, "StopFlag").def(nb::init<>()).def("set", &StopFlag::set);
}

}  // namespace

void bind_forest(nb::module_& m) {
  bind_settings(m);
  m.def("grow", &grow, nb::arg("space"), nb::arg("settings"), nb::arg("first"), nb::arg("last"),
        nb::arg("stop"));
  m.def("probe", &probe, nb::arg("space"), nb::arg("settings"), nb::arg("columns"),
        nb::arg("credit"), nb::arg("norms"), nb::arg("scales"), nb::arg("first"), nb::arg("last"),
        nb::arg("stop"));
  m.def("permutation_scores", &score_permutations, nb::arg("space"), nb::arg("settings"),
        nb::arg("scales"), nb::arg("trees"), nb::arg("first_tree"), nb::arg("cumulative"),
        nb::arg("stop"));
  m.def("out_of_bag_gains", &gains_outside, nb::arg("space"), nb::arg("settings"), nb::arg("norms"),
        nb::arg("scales").none(), nb::arg("trees"), nb::arg("first_tree"), nb::arg("stop"));
  m.def("apply", &apply, nb::arg("values"), nb::arg("n_values"), nb::arg("row_keys").none(),
        nb::arg("trees"), nb::arg("seed"), nb::arg("first_tree"));
  m.def("node_scores", &score_nodes, nb::arg("node_offset"), nb::arg("feature"), nb::arg("value"));
  m.def("row_keys", &name_rows, nb::arg("values"), nb::arg("n_values"));
}

}  // namespace unsuprank
