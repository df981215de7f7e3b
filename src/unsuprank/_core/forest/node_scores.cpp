#include "forest/node_scores.hpp"

#include <algorithm>
#include <utility>

namespace unsuprank {

NodeScores node_scores(const int64_t* node_offset, int64_t n_trees, const int32_t* feature,
                       const double* value) {
  NodeScores scores;
  std::vector<std::pair<int32_t, int64_t>> splits;  // feature and node
  for (int64_t t = 0; t < n_trees; ++t) {
    splits.clear();
    for (int64_t at = node_offset[t]; at < node_offset[t + 1]; ++at) {
      if (feature[at] >= 0) splits.emplace_back(feature[at], at);
    }
    std::sort(splits.begin(), splits.end());
    int32_t last = -1;
    for (const auto& [f, at] : splits) {
      if (f == last) {
        scores.value.back() += value[at];
        continue;
      }
      scores.tree.push_back(t);
      scores.feature.push_back(f);
      scores.value.push_back(value[at]);
      last = f;
    }
  }
  return scores;
}

}  // namespace unsuprank
