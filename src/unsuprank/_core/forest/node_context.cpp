#include "forest/node_context.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "forest/random.hpp"
#include "simd/packs.hpp"

namespace unsuprank {
namespace {

using Four = SimdVector<double, 32>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Copies the values of a node's rows and returns their range; missing values do not count, because
// comparisons with them are false. Four lanes at a time: the compiler may not reorder minima
// itself.
UNSUPRANK_CLONES ValueRange gather(const double* column, const int32_t* rows, int64_t count,
                                   double* values) {
  Four lows = {kInfinity, kInfinity, kInfinity, kInfinity}, highs = -lows;
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const Four v = {column[rows[i]], column[rows[i + 1]], column[rows[i + 2]], column[rows[i + 3]]};
    std::memcpy(values + i, &v, sizeof(v));
    lows = smaller_of(v, lows);
    highs = larger_of(v, highs);
  }
  ValueRange range{kInfinity, -kInfinity};
  for (; i < count; ++i) {
    values[i] = column[rows[i]];
    lows[i & 3] = values[i] < lows[i & 3] ? values[i] : lows[i & 3];
    highs[i & 3] = values[i] > highs[i & 3] ? values[i] : highs[i & 3];
  }
  for (int l = 0; l < 4; ++l) {
    range.low = std::min(range.low, lows[l]);
    range.high = std::max(range.high, highs[l]);
  }
  return range;
}

// The same where most values are zero, and finding the others takes longer than comparing them.
ValueRange gather_held(const ColumnView& column, const int32_t* rows, int64_t count,
                       double* values) {
  ValueRange range{kInfinity, -kInfinity};
  for (int64_t i = 0; i < count; ++i) {
    values[i] = column[rows[i]];
    range.low = std::min(range.low, values[i]);
    range.high = std::max(range.high, values[i]);
  }
  return range;
}

}  // namespace

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
  return to_unit(stream_key(tree_key ^ space.row_keys[node.rows[i]], node_id));
}

template <typename Real>
bool NodeContext<Real>::heavy_enough(double side) const {
  return side >= settings.min_leaf && node.weight - side >= settings.min_leaf;
}

template <typename Real>
void NodeContext<Real>::load_values(int32_t feature) {
  values.resize(node.count);
  const ColumnView column = table.column(feature);
  range = column.all() ? gather(column.all(), node.rows, node.count, values.data())
                       : gather_held(column, node.rows, node.count, values.data());
  missing.clear();
  if (!table.may_miss(feature)) return;
  for (int64_t i = 0; i < node.count; ++i) {
    if (is_missing(values[i])) missing.push_back(i);
  }
}

template struct NodeContext<float>;
template struct NodeContext<double>;

}  // namespace unsuprank
