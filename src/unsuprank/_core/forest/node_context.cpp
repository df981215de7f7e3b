#include "forest/node_context.hpp"

#include <algorithm>

#include "forest/trees.hpp"

namespace unsuprank {

template <typename Real>
void NodeContext<Real>::enter(int32_t id, const NodeRows<Real>& rows,
                              const DistanceView<Real>& distances, PairSums& pair_sums) {
  node = rows;
  view = distances;
  sums = &pair_sums;
  from_rows = codes.prefers_rows(node.count);
  node_id = id;
  candidates.clear();
  words.clear();
}

template <typename Real>
double NodeContext<Real>::chance(int64_t i) const {
  return chance_of_row(tree_key, node_id, space.row_keys[node.rows[i]]);
}

template <typename Real>
bool NodeContext<Real>::heavy_enough(double side) const {
  return side >= settings.min_leaf && node.weight - side >= settings.min_leaf;
}

template <typename Real>
void NodeContext<Real>::load_values(int32_t feature) {
  values.resize(node.count);
  const ColumnView column = table.column(feature);
  ColumnRange found;
  for (int64_t i = 0; i < node.count; ++i) {
    values[i] = column[node.rows[i]];
    found.low = std::min(found.low, values[i]);  // comparisons with missing values are false
    found.high = std::max(found.high, values[i]);
  }
  range = found;
  missing.clear();
  if (!table.may_miss(feature)) return;
  for (int64_t i = 0; i < node.count; ++i) {
    if (is_missing(values[i])) missing.push_back(i);
  }
}

template struct NodeContext<float>;
template struct NodeContext<double>;

}  // namespace unsuprank
