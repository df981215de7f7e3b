// The extension module that only tests and benchmarks import; wheels leave it out. It takes spaces
// and settings that the module _kernels has made.
#include "bindings/held_space.hpp"
#include "bindings/held_trees.hpp"
#include "bindings/python_interrupt.hpp"
#include "forest/grow.hpp"
#include "forest/permutation_scores.hpp"
#include "forest/rivals.hpp"
#include "relief/tile_sums.hpp"

namespace unsuprank {
namespace {

nb::tuple grow_recorded(const HeldSpace& space, const GrowSettings& settings, int64_t first,
                        int64_t last) {
  Trees trees;
  CandidateRecorder seen;
  PythonInterrupt(StopFlag()).run([&](Interrupt& interrupt) {
    return space.visit([&](const auto& view) {
      return grow_trees(view, settings, first, last, interrupt, trees, &seen);
    });
  });
  nb::dict candidates;
  candidates["offset"] = to_numpy(std::move(seen.offset));
  candidates["node"] = to_numpy(std::move(seen.node));
  candidates["feature"] = to_numpy(std::move(seen.feature));
  candidates["threshold"] = to_numpy(std::move(seen.threshold));
  candidates["gain"] = to_numpy(std::move(seen.gain));
  candidates["subset"] = to_numpy(std::move(seen.subset));
  return nb::make_tuple(as_dict(std::move(trees)), candidates);
}

double rival_chance(int64_t n_features, Vector<int32_t> drawn, Vector<int32_t> features,
                    Vector<double> gains, int32_t feature, double gain) {
  require(features.shape(0) == gains.shape(0), "features and gains differ in length");
  std::vector<CandidateSplit> candidates(features.shape(0));
  for (size_t i = 0; i < candidates.size(); ++i) {
    candidates[i].feature = features(i);
    candidates[i].gain = gains(i);
  }
  Rivals rivals(n_features);
  rivals.set({drawn.data(), drawn.data() + drawn.shape(0)}, candidates);
  return rivals.chance(feature, gain);
}

auto permuted(uint64_t seed, int64_t tree, int32_t feature, int64_t count) {
  const uint64_t key = tree_key(seed, tree);
  return written<int32_t>(count, [=](int32_t* order) { permutation(key, feature, count, order); });
}

auto sum_tile(Vector<uint32_t> queries, Vector<int16_t> block, int64_t measured, int32_t match) {
  const CodeWidths widths{measured, length(block) / kTileRows - measured};
  require(measured % kBurst == 0 && widths.matched % kBurst == 0 && widths.matched >= 0,
          "widths need padding");
  require(queries.shape(0) == block.shape(0) && length(block) == kTileRows * widths.total(),
          "arrays have the wrong size");
  std::vector<uint32_t> sums(kTileRows * kTileRows, 99);  // what was there must not matter
  tile_sums(queries.data(), block.data(), widths, match, sums.data());
  return to_numpy(std::move(sums));
}

}  // namespace
}  // namespace unsuprank

NB_MODULE(_testing_kernels, m) {
  using namespace unsuprank;
  m.doc() = "What only tests and benchmarks of the kernels call; wheels leave it out.";
  nb::module_::import_("unsuprank._kernels");  // whose classes are taken here
  m.def("grow_recorded", &grow_recorded, nb::arg("space"), nb::arg("settings"), nb::arg("first"),
        nb::arg("last"));
  m.def("rival_chance", &rival_chance, nb::arg("n_features"), nb::arg("drawn"), nb::arg("features"),
        nb::arg("gains"), nb::arg("feature"), nb::arg("gain"));
  m.def("permutation", &permuted, nb::arg("seed"), nb::arg("tree"), nb::arg("feature"),
        nb::arg("count"));
  m.def("relief_tile_sums", &sum_tile, nb::arg("queries"), nb::arg("block"), nb::arg("measured"),
        nb::arg("match"));
}
