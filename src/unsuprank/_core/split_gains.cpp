#include "split_gains.hpp"

#include <algorithm>
#include <cstring>

#include "simd.hpp"

namespace unsuprank {
namespace {

constexpr int kLanes = kBlock + 1;
constexpr int64_t kSmallSideRows = 48;  // below, all pairs are cheap enough
constexpr int64_t kAhead = 12;          // rows
constexpr int kChunkPacks = 8;          // coordinates are summed 8 packs (512 bytes) at a time

constexpr int kWide = kLanes / Simd<double>::lanes;

// Sums over pairs of rows, a lane per split.
struct PairTotals {
  Pack<double> inner[kWide] = {};  // half of the sum over pairs inside side 1
  Pack<double> touch[kWide] = {};  // the same, plus the pairs across
};

UNSUPRANK_INLINE Pack<double> widened(const double* from) {
  Pack<double> wide;
  load(wide, from);
  return wide;
}
UNSUPRANK_INLINE Pack<double> widened(const float* from) {
  typedef float Half __attribute__((vector_size(32)));
  Half half;
  std::memcpy(&half, from, sizeof(half));
  return __builtin_convertvector(half, Pack<double>);
}

// lanes[i][k] is the weight of row i if it is on side 1 of split k, and lane 15 its weight.
template <typename Real>
UNSUPRANK_INLINE void spread_lanes(const uint16_t* sides, const Real* weights, int64_t count,
                                   Real* lanes) {
  for (int64_t i = 0; i < count; ++i) {
    Real* lane = lanes + i * kLanes;
    const unsigned bits = sides[i] | 1u << kBlock;
    for (int k = 0; k < kLanes; ++k) lane[k] = (bits >> k & 1) ? weights[i] : Real(0);
  }
}

template <typename Real>
UNSUPRANK_INLINE void pair_totals(const Real* distances, int64_t stride, const int32_t* slots,
                                  const Real* lanes, int64_t count, PairTotals& result) {
  PairTotals totals;  // in registers
  constexpr int kPacks = kLanes / Simd<Real>::lanes;
  constexpr int kRows = 4;  // rows that share each load of the lanes
  for (int64_t i = 0; i < count; i += kRows) {
    const int rows = static_cast<int>(std::min<int64_t>(kRows, count - i));
    const Real* line[kRows];
    for (int b = 0; b < kRows; ++b) {
      line[b] = distances + stride * slots[i + std::min(b, rows - 1)];
    }
    Pack<Real> sum[kRows][kPacks] = {};
    for (int64_t j = 0; j < i; ++j) {
      const int32_t s = slots[j];
      for (int p = 0; p < kPacks; ++p) {
        Pack<Real> lane;
        load(lane, lanes + j * kLanes + p * Simd<Real>::lanes);
        for (int b = 0; b < kRows; ++b) sum[b][p] += line[b][s] * lane;
      }
    }
    for (int b = 0; b < rows; ++b) {
      for (int64_t j = i; j < i + b; ++j) {
        for (int p = 0; p < kPacks; ++p) {
          Pack<Real> lane;
          load(lane, lanes + j * kLanes + p * Simd<Real>::lanes);
          sum[b][p] += line[b][slots[j]] * lane;
        }
      }
      alignas(64) Real flat[kLanes];
      for (int p = 0; p < kPacks; ++p) store(flat + p * Simd<Real>::lanes, sum[b][p]);
      const Real* own = lanes + (i + b) * kLanes;
      const double weight = own[kBlock], all = flat[kBlock];
      for (int p = 0; p < kWide; ++p) {
        const Pack<double> side = widened(own + p * Simd<double>::lanes);
        const Pack<double> before = widened(flat + p * Simd<double>::lanes);
        totals.inner[p] += side * before;
        totals.touch[p] += side * all + weight * before;
      }
    }
  }
  result = totals;
}

UNSUPRANK_CLONES void run_pair_totals(const double* distances, int64_t stride, const int32_t* slots,
                                      const uint16_t* sides, const double* weights, double* lanes,
                                      int64_t count, PairTotals& totals) {
  spread_lanes(sides, weights, count, lanes);
  pair_totals(distances, stride, slots, lanes, count, totals);
}

UNSUPRANK_CLONES void run_pair_totals(const float* distances, int64_t stride, const int32_t* slots,
                                      const uint16_t* sides, const float* weights, float* lanes,
                                      int64_t count, PairTotals& totals) {
  spread_lanes(sides, weights, count, lanes);
  pair_totals(distances, stride, slots, lanes, count, totals);
}

// buckets[base_g + pattern] += weight * (z - origin), for every row and every group of splits.
template <int kPacks, typename T, typename Weight>
UNSUPRANK_INLINE void fill_buckets(const T* coords, int64_t stride, const T* origin,
                                   const int32_t* rows, const Weight* weights,
                                   const uint8_t* patterns, int64_t count, const int64_t* bases,
                                   int n_groups, T* buckets) {
  constexpr int kLanesOf = Simd<T>::lanes;
  Pack<T> shift[kPacks];
  for (int p = 0; p < kPacks; ++p) load(shift[p], origin + p * kLanesOf);
  for (int64_t i = 0; i < count; ++i) {
    // Rows are scattered; asking for one a few steps ahead hides most of the wait for it.
    const T* ahead = coords + stride * rows[std::min(i + kAhead, count - 1)];
    for (int p = 0; p < kPacks; ++p) __builtin_prefetch(ahead + p * kLanesOf);
    const T* z = coords + stride * rows[i];
    const T weight = static_cast<T>(weights[i]);
    Pack<T> value[kPacks];
    for (int p = 0; p < kPacks; ++p) {
      load(value[p], z + p * kLanesOf);
      value[p] = (value[p] - shift[p]) * weight;
    }
    for (int g = 0; g < n_groups; ++g) {
      T* bucket = buckets + (bases[g] + patterns[g * count + i]) * (kPacks * kLanesOf);
      for (int p = 0; p < kPacks; ++p) {
        Pack<T> total;
        load(total, bucket + p * kLanesOf);
        total += value[p];
        store(bucket + p * kLanesOf, total);
      }
    }
  }
}

template <typename T, typename Weight>
UNSUPRANK_INLINE void dispatch_fill(int packs, const T* coords, int64_t stride, const T* origin,
                                    const int32_t* rows, const Weight* weights,
                                    const uint8_t* patterns, int64_t count, const int64_t* bases,
                                    int n_groups, T* buckets) {
#define UNSUPRANK_FILL(N) \
  fill_buckets<N>(coords, stride, origin, rows, weights, patterns, count, bases, n_groups, buckets)
  switch (packs) {
    case 1:
      UNSUPRANK_FILL(1);
      break;
    case 2:
      UNSUPRANK_FILL(2);
      break;
    case 3:
      UNSUPRANK_FILL(3);
      break;
    case 4:
      UNSUPRANK_FILL(4);
      break;
    case 5:
      UNSUPRANK_FILL(5);
      break;
    case 6:
      UNSUPRANK_FILL(6);
      break;
    case 7:
      UNSUPRANK_FILL(7);
      break;
    default:
      UNSUPRANK_FILL(8);
      break;
  }
#undef UNSUPRANK_FILL
}

UNSUPRANK_CLONES void run_fill(int packs, const double* coords, int64_t stride,
                               const double* origin, const int32_t* rows, const double* weights,
                               const uint8_t* patterns, int64_t count, const int64_t* bases,
                               int n_groups, double* buckets) {
  dispatch_fill(packs, coords, stride, origin, rows, weights, patterns, count, bases, n_groups,
                buckets);
}
UNSUPRANK_CLONES void run_fill(int packs, const float* coords, int64_t stride, const float* origin,
                               const int32_t* rows, const float* weights, const uint8_t* patterns,
                               int64_t count, const int64_t* bases, int n_groups, float* buckets) {
  dispatch_fill(packs, coords, stride, origin, rows, weights, patterns, count, bases, n_groups,
                buckets);
}
UNSUPRANK_CLONES void run_fill(int packs, const double* coords, int64_t stride,
                               const double* origin, const int32_t* rows, const float* weights,
                               const uint8_t* patterns, int64_t count, const int64_t* bases,
                               int n_groups, double* buckets) {
  dispatch_fill(packs, coords, stride, origin, rows, weights, patterns, count, bases, n_groups,
                buckets);
}

// Sum over the buckets with bit k set, for the k-th of `bits` splits; the sum of all buckets ends
// in the first one. The highest bit goes first, and its half is then added to the other half.
template <typename T>
UNSUPRANK_INLINE void fold(T* buckets, int bits, int64_t length, T* sums) {
  for (int k = bits - 1; k >= 0; --k) {
    const int64_t half = int64_t{1} << k;
    T* sum = sums + k * length;
    std::fill(sum, sum + length, T(0));
    for (int64_t b = 0; b < half; ++b) {
      const T* high = buckets + (half + b) * length;
      T* low = buckets + b * length;
      for (int64_t c = 0; c < length; ++c) {
        sum[c] += high[c];
        low[c] += high[c];
      }
    }
  }
}
UNSUPRANK_CLONES void run_fold(double* buckets, int bits, int64_t length, double* sums) {
  fold(buckets, bits, length, sums);
}
UNSUPRANK_CLONES void run_fold(float* buckets, int bits, int64_t length, float* sums) {
  fold(buckets, bits, length, sums);
}

// Squared length of side - share * whole, in four partial sums so that it vectorises.
template <typename T>
UNSUPRANK_INLINE double deviation(const T* side, const T* whole, T share, int64_t length) {
  Pack<T> total = {};
  for (int64_t c = 0; c < length; c += Simd<T>::lanes) {
    Pack<T> a, b;
    load(a, side + c);
    load(b, whole + c);
    const Pack<T> d = a - share * b;
    total += d * d;
  }
  return sum_of<T>(total);
}
UNSUPRANK_CLONES double run_deviation(const double* side, const double* whole, double share,
                                      int64_t length) {
  return deviation(side, whole, share, length);
}
UNSUPRANK_CLONES double run_deviation(const float* side, const float* whole, float share,
                                      int64_t length) {
  return deviation(side, whole, share, length);
}

}  // namespace

UNSUPRANK_CLONES double partial_gain(const double* side, const double* side_count,
                                     const double* whole, const double* whole_count,
                                     int64_t length) {
  double total = 0.0;
  for (int64_t c = 0; c < length; ++c) {
    const double n1 = side_count[c];
    const double n0 = whole_count[c] - n1;
    if (n1 <= 0.0 || n0 <= 0.0) continue;
    const double difference = side[c] / n1 - (whole[c] - side[c]) / n0;
    total += n1 * n0 / (n1 + n0) * difference * difference;
  }
  return total;
}

template <typename Real>
void sum_rows(const Real* distances, int64_t stride, const NodeRows<Real>& node, double* row_sums) {
  std::fill(row_sums, row_sums + node.count, 0.0);
  for (int64_t i = 1; i < node.count; ++i) {
    const Real* line = distances + stride * node.slots[i];
    const double weight = node.weights[i];
    double sum = 0.0;
    for (int64_t j = 0; j < i; ++j) {
      const double d = line[node.slots[j]];
      sum += node.weights[j] * d;
      row_sums[j] += weight * d;
    }
    row_sums[i] += sum;
  }
}

template <typename Real>
void PairGains<Real>::add(const Real* distances, int64_t stride, const NodeRows<Real>& node,
                          PairSums& sums, const SplitBlock& block, double* gains) {
  if (node.count >= kSmallSideRows && find_small_sides(node, sums, block)) {
    add_small_sides(distances, stride, node, sums, block, gains);
  } else {
    add_all_pairs(distances, stride, node, block, gains);
  }
}

// Lists the rows of the smaller sides; false if they are too many to be worth it.
template <typename Real>
bool PairGains<Real>::find_small_sides(const NodeRows<Real>& node, const PairSums& sums,
                                       const SplitBlock& block) {
  int64_t on_one[kBlock] = {};
  for (int64_t i = 0; i < node.count; ++i) {
    for (int k = 0; k < block.size; ++k) on_one[k] += block.sides[i] >> k & 1;
  }
  // Pairs on the small sides, one at a time, against all pairs, all splits at once.
  double pairs = 0.0;
  for (int k = 0; k < block.size; ++k) {
    small_is_one_[k] = 2 * on_one[k] <= node.count;
    const double size = static_cast<double>(small_is_one_[k] ? on_one[k] : node.count - on_one[k]);
    pairs += size * size;
  }
  const double all = static_cast<double>(node.count) * static_cast<double>(node.count);
  if (pairs > all * (sums.has_row_sums ? 0.5 : 0.05)) return false;
  for (int k = 0; k < block.size; ++k) small_[k].clear();
  for (int64_t i = 0; i < node.count; ++i) {
    for (int k = 0; k < block.size; ++k) {
      if ((block.sides[i] >> k & 1) == static_cast<unsigned>(small_is_one_[k])) {
        small_[k].push_back(static_cast<int32_t>(i));
      }
    }
  }
  return true;
}

template <typename Real>
void PairGains<Real>::add_small_sides(const Real* distances, int64_t stride,
                                      const NodeRows<Real>& node, PairSums& sums,
                                      const SplitBlock& block, double* gains) {
  if (!sums.has_row_sums) {
    sum_rows(distances, stride, node, sums.row_sums);
    sums.has_row_sums = true;
  }
  double all = 0.0;
  for (int64_t i = 0; i < node.count; ++i) all += node.weights[i] * sums.row_sums[i];
  for (int k = 0; k < block.size; ++k) {
    double inner = 0.0, touch = 0.0;
    for (size_t a = 0; a < small_[k].size(); ++a) {
      const int32_t i = small_[k][a];
      const Real* line = distances + stride * node.slots[i];
      double before = 0.0;
      for (size_t b = 0; b < a; ++b) {
        const int32_t j = small_[k][b];
        before += static_cast<double>(node.weights[j]) * line[node.slots[j]];
      }
      inner += 2.0 * node.weights[i] * before;
      touch += node.weights[i] * sums.row_sums[i];
    }
    const double small_weight =
        small_is_one_[k] ? block.side_weight[k] : node.weight - block.side_weight[k];
    const double rest = all + inner - 2.0 * touch;
    gains[k] +=
        0.5 * (all / node.weight - inner / small_weight - rest / (node.weight - small_weight));
  }
}

template <typename Real>
void PairGains<Real>::add_all_pairs(const Real* distances, int64_t stride,
                                    const NodeRows<Real>& node, const SplitBlock& block,
                                    double* gains) {
  lanes_.resize(node.count * kLanes);
  PairTotals totals;
  run_pair_totals(distances, stride, node.slots, block.sides, node.weights, lanes_.data(),
                  node.count, totals);
  double inner[kLanes], touch[kLanes];
  std::memcpy(inner, totals.inner, sizeof(inner));
  std::memcpy(touch, totals.touch, sizeof(touch));
  const double all = inner[kBlock], per_row = all / node.weight;
  for (int k = 0; k < block.size; ++k) {
    const double n1 = block.side_weight[k], n0 = node.weight - n1;
    gains[k] += per_row - (inner[k] * n0 + (all + inner[k] - touch[k]) * n1) / (n1 * n0);
  }
}

template <typename Real>
void BucketGains<Real>::plan(int64_t count, int size) {
  // Each group costs one addition per row and two per bucket.
  int best_groups = size;
  double best_cost = 1e300;
  for (int n = 1; n <= size; ++n) {
    const int bits = (size + n - 1) / n;
    if (bits > 7) continue;
    const double cost = n * (static_cast<double>(count) + 2.0 * (1 << bits)) + count;
    if (cost < best_cost) {
      best_cost = cost;
      best_groups = n;
    }
  }
  groups_.clear();
  n_buckets_ = 0;
  int first = 0;
  for (int g = 0; g < best_groups; ++g) {
    const int bits = (size - first + best_groups - g - 1) / (best_groups - g);
    groups_.push_back({first, bits, n_buckets_});
    n_buckets_ += int64_t{1} << bits;
    first += bits;
  }
}

template <typename Real>
void BucketGains<Real>::set_patterns(const uint16_t* sides, int64_t count) {
  patterns_.resize(groups_.size() * count);
  for (size_t g = 0; g < groups_.size(); ++g) {
    const int shift = groups_[g].first;
    const unsigned mask = (1u << groups_[g].bits) - 1u;
    uint8_t* pattern = patterns_.data() + g * count;
    for (int64_t i = 0; i < count; ++i) pattern[i] = static_cast<uint8_t>(sides[i] >> shift & mask);
  }
}

// Sums of side 1 of every split over one chunk of coordinates; the last row is the whole node.
template <typename Real>
template <typename T>
void BucketGains<Real>::chunk_sums(const T* coords, int64_t stride, int packs, const T* origin,
                                   const NodeRows<Real>& node, std::vector<T>& buckets, T* sums) {
  const int64_t length = packs * Simd<T>::lanes;
  int64_t bases[kBlock];
  for (size_t g = 0; g < groups_.size(); ++g) bases[g] = groups_[g].base;
  buckets.assign(n_buckets_ * length, T(0));
  run_fill(packs, coords, stride, origin, node.rows, node.weights, patterns_.data(), node.count,
           bases, static_cast<int>(groups_.size()), buckets.data());
  for (const Group& group : groups_) {
    run_fold(buckets.data() + group.base * length, group.bits, length, sums + group.first * length);
  }
  const T* whole = buckets.data() + groups_[0].base * length;
  std::copy(whole, whole + length, sums + kBlock * length);
}

template <typename Real>
void BucketGains<Real>::add(const Space<Real>& space, const NodeRows<Real>& node,
                            const SplitBlock& block, double* gains) {
  plan(node.count, block.size);
  set_patterns(block.sides, node.count);
  constexpr int64_t kChunk = kChunkPacks * Simd<Real>::lanes;
  Real sums[kLanes * kChunk];
  double squares[kBlock] = {};
  // Coordinates are taken relative to a row of the node: far from the centre of all rows, a tight
  // node would otherwise lose its spread to cancellation.
  const Real* origin = space.row(node.rows[0]);
  for (int64_t c = 0; c < space.width; c += kChunk) {
    const int packs =
        static_cast<int>(std::min<int64_t>(kChunkPacks, (space.width - c) / Simd<Real>::lanes));
    const int64_t length = packs * Simd<Real>::lanes;
    chunk_sums(space.coords + c, space.width, packs, origin + c, node, buckets_, sums);
    for (int k = 0; k < block.size; ++k) {
      const Real share = static_cast<Real>(block.side_weight[k] / node.weight);
      squares[k] += run_deviation(sums + k * length, sums + kBlock * length, share, length);
    }
  }
  for (int k = 0; k < block.size; ++k) {
    const double n1 = block.side_weight[k];
    gains[k] += squares[k] * node.weight / (n1 * (node.weight - n1));
  }
}

template <typename Real>
void BucketGains<Real>::add_partial(const Space<Real>& space, const NodeRows<Real>& node,
                                    const SplitBlock& block, double* gains) {
  plan(node.count, block.size);
  set_patterns(block.sides, node.count);
  constexpr int64_t kChunk = kChunkPacks * Simd<double>::lanes;
  const double origin[kChunk] = {};
  double sums[kLanes * kChunk], counts[kLanes * kChunk];
  for (int64_t c = 0; c < space.partial_width; c += kChunk) {
    const int packs = static_cast<int>(
        std::min<int64_t>(kChunkPacks, (space.partial_width - c) / Simd<double>::lanes));
    const int64_t length = packs * Simd<double>::lanes;
    chunk_sums(space.partial + c, space.partial_width, packs, origin, node, partial_buckets_, sums);
    chunk_sums(space.known + c, space.partial_width, packs, origin, node, partial_buckets_, counts);
    for (int k = 0; k < block.size; ++k) {
      gains[k] += partial_gain(sums + k * length, counts + k * length, sums + kBlock * length,
                               counts + kBlock * length, length);
    }
  }
}

template void sum_rows(const float*, int64_t, const NodeRows<float>&, double*);
template void sum_rows(const double*, int64_t, const NodeRows<double>&, double*);
template class PairGains<float>;
template class PairGains<double>;
template class BucketGains<float>;
template class BucketGains<double>;

}  // namespace unsuprank
