#include "forest/route.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace unsuprank {

void row_keys(const Columns& table, uint64_t* keys) {
  for (int64_t i = 0; i < table.rows; ++i) keys[i] = 0;
  for (int64_t j = 0; j < table.cols; ++j) {
    const ColumnView x = table.column(j);
    for (int64_t i = 0; i < table.rows; ++i) {
      const double value = x[i] + 0.0;  // so that -0 and 0 are the same
      uint64_t bits = 1;                // of all missing values
      if (!is_missing(value)) std::memcpy(&bits, &value, sizeof(bits));
      keys[i] = stream_key(keys[i], bits);
    }
  }
}

void apply_trees(const Columns& table, const uint64_t* keys, const TreesView& trees,
                 int32_t* leaves) {
  for (int64_t t = 0; t < trees.size; ++t) {
    const int64_t base = trees.node_offset[t];
    const uint64_t key = trees.key(t);
    for (int64_t i = 0; i < table.rows; ++i) {
      int32_t node = 0;
      while (trees.feature[base + node] >= 0) {
        const double value = table.value(i, trees.feature[base + node]);
        node = trees.left[base + node] + trees.test(key, base, node).sends_right(value, keys, i);
      }
      leaves[i * trees.size + t] = node;
    }
  }
}

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
