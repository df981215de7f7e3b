#include "forest/coord_gains.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

#include "simd/packs.hpp"

namespace unsuprank {
namespace {

constexpr int64_t kAhead = 6;    // rows
constexpr int kChunkPacks = 8;   // coordinates are summed 8 packs (512 bytes) at a time
constexpr int kSortedBits = 10;  // so many at a time

template <typename T>
constexpr int64_t kChunk = kChunkPacks * kLanes<T>;

// Calls `work` with the number of packs as a constant, so that they are held in registers.
template <int kMost, typename Work>
UNSUPRANK_INLINE void with_packs(int packs, const Work& work) {
  if constexpr (kMost > 1) {
    if (packs < kMost) return with_packs<kMost - 1>(packs, work);
  }
  work(std::integral_constant<int, kMost>());
}

// Calls `work` with the first of as many packs as registers hold at once, and with their number as
// a constant, until it was called for all packs.
template <int kRegister, typename Work>
UNSUPRANK_INLINE void by_registers(int packs, const Work& work) {
  constexpr int kMost = kChunkPacks * kRegister / 64;
  for (int first = 0; first < packs; first += kMost) {
    with_packs<kMost>(packs - first, [&](auto held) UNSUPRANK_LAMBDA { work(first, held); });
  }
}

// Rows in runs, and what they are weighted by.
template <typename Weight>
struct Runs {
  const int32_t* rows;
  const Weight* weights;
  const int64_t* ends;
  int64_t count;
};

template <typename Real>
Runs<Real> view(const PatternRuns<Real>& runs) {
  return {runs.rows.data(), runs.weights.data(), runs.ends.data(), runs.count()};
}

// Weighted sums of (z - origin) over the rows of each run, in `kHeld` of the packs.
template <int kRegister, int kHeld, typename T, typename Weight>
UNSUPRANK_INLINE void sum_runs(const T* coords, int64_t stride, const T* origin, Runs<Weight> runs,
                               int packs, T* sums) {
  constexpr int kStep = kLanes<T>;
  Pack<T, kRegister> shift[kHeld];
  for (int p = 0; p < kHeld; ++p) load(shift[p], origin + p * kStep);
  int64_t i = 0;
  for (int64_t r = 0; r < runs.count; ++r) {
    Pack<T, kRegister> total[kHeld] = {};
    for (; i < runs.ends[r]; ++i) {
      // Rows are scattered; asking for one a few steps ahead hides most of the wait for it.
      const T* ahead = coords + stride * runs.rows[i + kAhead];
      for (int p = 0; p < kHeld; ++p) prefetch(ahead + p * kStep);
      const T* z = coords + stride * runs.rows[i];
      const T weight = static_cast<T>(runs.weights[i]);
      for (int p = 0; p < kHeld; ++p) {
        total[p] += (loaded<Pack<T, kRegister>>(z + p * kStep) - shift[p]) * weight;
      }
    }
    for (int p = 0; p < kHeld; ++p) store(sums + (r * packs + p) * kStep, total[p]);
  }
}

template <typename T, typename Weight>
void run_sum(const T* coords, int64_t stride, const T* origin, Runs<Weight> runs, int packs,
             T* sums) {
  with_registers([=](auto bytes) UNSUPRANK_LAMBDA {
    by_registers<bytes>(packs, [=](int first, auto held) UNSUPRANK_LAMBDA {
      const int64_t at = first * kLanes<T>;
      sum_runs<bytes, held>(coords + at, stride, origin + at, runs, packs, sums + at);
    });
  });
}

// Sums of the runs, and which are on the lighter side of each split.
template <typename T>
struct Sides {
  const T* run_sums;
  int packs;            // of each run
  const int32_t* runs;  // see LighterSides
  const int64_t* ends;
  int size;  // splits
};

template <typename T>
Sides<T> view(const std::vector<T>& run_sums, int packs, const LighterSides& sides, int size) {
  return {run_sums.data(), packs, sides.runs.data(), sides.ends, size};
}

// Adds up the runs of a side, or all of them for k = size, in the `kHeld` packs from `first` on.
template <int kRegister, int kHeld, typename T>
UNSUPRANK_INLINE void sum_side(const Sides<T>& sides, int first, int k, Pack<T, kRegister>* total) {
  const T* sums = sides.run_sums + first * kLanes<T>;
  const int64_t stride = sides.packs * kLanes<T>;
  Pack<T, kRegister> held[kHeld] = {};
  for (int64_t i = k ? sides.ends[k - 1] : 0; i < sides.ends[k]; ++i) {
    const T* from = sums + sides.runs[i] * stride;
    for (int p = 0; p < kHeld; ++p) held[p] += loaded<Pack<T, kRegister>>(from + p * kLanes<T>);
  }
  for (int p = 0; p < kHeld; ++p) total[p] = held[p];
}

// Adds (side - share * whole)^2 of each split to `squares`, lane by lane.
template <int kRegister, int kHeld, typename T>
UNSUPRANK_INLINE void deviations(const Sides<T>& sides, int first, const T* shares,
                                 Pack<T, kRegister>* squares) {
  Pack<T, kRegister> whole[kHeld], side[kHeld];
  sum_side<kRegister, kHeld>(sides, first, sides.size, whole);
  for (int k = 0; k < sides.size; ++k) {
    sum_side<kRegister, kHeld>(sides, first, k, side);
    Pack<T, kRegister> total = squares[k];
    for (int p = 0; p < kHeld; ++p) {
      const Pack<T, kRegister> d = side[p] - shares[k] * whole[p];
      total += d * d;
    }
    squares[k] = total;
  }
}
template <typename T>
void run_deviations(const Sides<T>& sides, const T* shares, double* squares) {
  with_registers([=, &sides](auto bytes) UNSUPRANK_LAMBDA {
    Pack<T, bytes> totals[kBlockSplits] = {};
    by_registers<bytes>(sides.packs, [&](int first, auto held) UNSUPRANK_LAMBDA {
      deviations<bytes, held>(sides, first, shares, totals);
    });
    for (int k = 0; k < sides.size; ++k) squares[k] += sum_of<T>(totals[k]);
  });
}

// Writes the sums of the sides and, at place `kBlockSplits`, of all runs.
template <int kRegister, int kHeld>
UNSUPRANK_INLINE void write_sums(const Sides<double>& sides, int first, double* sums) {
  Pack<double, kRegister> total[kHeld];
  for (int k = 0; k <= sides.size; ++k) {
    sum_side<kRegister, kHeld>(sides, first, k, total);
    const int place = k == sides.size ? kBlockSplits : k;
    double* to = sums + (place * sides.packs + first) * kLanes<double>;
    for (int p = 0; p < kHeld; ++p) store(to + p * kLanes<double>, total[p]);
  }
}
void run_write_sums(const Sides<double>& sides, double* sums) {
  with_registers([=, &sides](auto bytes) UNSUPRANK_LAMBDA {
    by_registers<bytes>(sides.packs, [=, &sides](int first, auto held) UNSUPRANK_LAMBDA {
      write_sums<bytes, held>(sides, first, sums);
    });
  });
}

// One pass of a radix sort: `from` in the order of some bits of the keys, equals as they were.
void sort_pass(const uint16_t* keys, int shift, int bits, const std::vector<int32_t>& from,
               std::vector<int32_t>& starts, std::vector<int32_t>& to) {
  const unsigned mask = (1u << bits) - 1u;
  starts.assign(mask + 2, 0);
  for (int32_t i : from) ++starts[(keys[i] >> shift & mask) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  for (int32_t i : from) to[starts[keys[i] >> shift & mask]++] = i;
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
void PatternRuns<Real>::sort(const uint16_t* sides, int64_t count, int bits) {
  order_.resize(count);
  spare_.resize(count);
  std::iota(spare_.begin(), spare_.end(), 0);
  const int low = bits <= kSortedBits ? bits : bits / 2;
  sort_pass(sides, 0, low, spare_, starts_, order_);
  if (low == bits) return;
  order_.swap(spare_);
  sort_pass(sides, low, bits - low, spare_, starts_, order_);
}

template <typename Real>
void PatternRuns<Real>::set(const NodeRows<Real>& node, const SplitBlock& block) {
  sort(block.sides, node.count, block.size);
  rows.resize(node.count + kAhead);
  weights.resize(node.count);
  ends.clear();
  patterns.clear();
  for (int64_t i = 0; i < node.count; ++i) {
    const int32_t at = order_[i];
    rows[i] = node.rows[at];
    weights[i] = node.weights[at];
    if (i == 0 || block.sides[at] != patterns.back()) {
      patterns.push_back(block.sides[at]);
      ends.push_back(i);
    }
    ++ends.back();
  }
  std::fill(rows.begin() + node.count, rows.end(), rows[node.count - 1]);
}

void LighterSides::set(const std::vector<uint16_t>& patterns, const SplitBlock& block,
                       double node_weight) {
  int64_t on_one[kBlockSplits] = {};
  for (uint16_t pattern : patterns) {
    for (int k = 0; k < block.size; ++k) on_one[k] += pattern >> k & 1;
  }
  const int64_t n_runs = static_cast<int64_t>(patterns.size());
  runs.clear();
  for (int k = 0; k < block.size; ++k) {
    const bool one = 2 * on_one[k] <= n_runs;
    for (int64_t r = 0; r < n_runs; ++r) {
      if ((patterns[r] >> k & 1) == one) runs.push_back(static_cast<int32_t>(r));
    }
    ends[k] = static_cast<int64_t>(runs.size());
    weight[k] = one ? block.side_weight[k] : node_weight - block.side_weight[k];
  }
  for (int64_t r = 0; r < n_runs; ++r) runs.push_back(static_cast<int32_t>(r));
  ends[block.size] = static_cast<int64_t>(runs.size());
}

template <typename Real>
void CoordGains<Real>::add(const ClusteringSpace<Real>& space, const NodeRows<Real>& node,
                           const SplitBlock& block, double* gains) {
  runs_.set(node, block);
  sides_.set(runs_.patterns, block, node.weight);
  Real shares[kBlockSplits];
  for (int k = 0; k < block.size; ++k)
    shares[k] = static_cast<Real>(sides_.weight[k] / node.weight);
  double squares[kBlockSplits] = {};
  run_sums_.resize(runs_.count() * kChunk<Real>);
  const Runs<Real> runs = view(runs_);
  // Coordinates are taken relative to a row of the node: far from the centre of all rows, a tight
  // node would otherwise lose its spread to cancellation.
  const Real* origin = space.row(node.rows[0]);
  for (int64_t c = 0; c < space.width; c += kChunk<Real>) {
    const int packs = static_cast<int>(std::min(kChunk<Real>, space.width - c) / kLanes<Real>);
    run_sum(space.coords + c, space.width, origin + c, runs, packs, run_sums_.data());
    run_deviations(view(run_sums_, packs, sides_, block.size), shares, squares);
  }
  for (int k = 0; k < block.size; ++k) {
    const double n1 = sides_.weight[k];
    gains[k] += squares[k] * node.weight / (n1 * (node.weight - n1));
  }
}

template <typename Real>
void CoordGains<Real>::add_partial(const ClusteringSpace<Real>& space, const NodeRows<Real>& node,
                                   const SplitBlock& block, double* gains) {
  runs_.set(node, block);
  sides_.set(runs_.patterns, block, node.weight);
  partial_run_sums_.resize(runs_.count() * kChunk<double>);
  const Runs<Real> runs = view(runs_);
  const double origin[kChunk<double>] = {};
  double sums[kSplitLanes * kChunk<double>], counts[kSplitLanes * kChunk<double>];
  for (int64_t c = 0; c < space.partial_width; c += kChunk<double>) {
    const int64_t length = std::min(kChunk<double>, space.partial_width - c);
    const int packs = static_cast<int>(length / kLanes<double>);
    const Sides<double> sides = view(partial_run_sums_, packs, sides_, block.size);
    for (const auto& [from, to] : {std::pair(space.partial, sums), {space.known, counts}}) {
      run_sum(from + c, space.partial_width, origin, runs, packs, partial_run_sums_.data());
      run_write_sums(sides, to);
    }
    for (int k = 0; k < block.size; ++k) {
      gains[k] += partial_gain(sums + k * length, counts + k * length, sums + kBlockSplits * length,
                               counts + kBlockSplits * length, length);
    }
  }
}

template class CoordGains<float>;
template class CoordGains<double>;

}  // namespace unsuprank
