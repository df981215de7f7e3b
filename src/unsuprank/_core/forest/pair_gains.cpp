#include "forest/pair_gains.hpp"

#include <algorithm>

#include "simd/packs.hpp"

namespace unsuprank {
namespace {

constexpr int64_t kSmallSideRows = 48;  // below, all pairs are cheap enough
constexpr int kWide = kSplitLanes / kLanes<double>;

// Sums over pairs of rows, a lane per split.
template <int kRegister>
struct PairTotals {
  Pack<double, kRegister> inner[kWide] = {};  // half of the sum over pairs inside side 1
  Pack<double, kRegister> touch[kWide] = {};  // the same, plus the pairs across
};

// lanes[i][k] is the weight of row i if it is on side 1 of split k, and lane 15 its weight.
template <int kRegister, typename Real>
UNSUPRANK_INLINE void spread_lanes(const uint16_t* sides, const Real* weights, int64_t count,
                                   Real* lanes) {
  using Flag = FlagOf<Real>;
  using Flags = Pack<Flag, kRegister>;
  using Lanes = Pack<Real, kRegister>;
  alignas(64) Flag bits[kSplitLanes];  // one in each lane
  for (int k = 0; k < kSplitLanes; ++k) bits[k] = static_cast<Flag>(1) << k;
  for (int64_t i = 0; i < count; ++i) {
    const Flag set = static_cast<Flag>(sides[i] | 1u << kBlockSplits);
    const Lanes weight = Lanes{} + weights[i];
    for (int at = 0; at < kSplitLanes; at += kLanes<Real>) {
      const Flags on_one = (loaded<Flags>(bits + at) & set) != static_cast<Flag>(0);
      store(lanes + i * kSplitLanes + at, (Lanes)(on_one & (Flags)weight));
    }
  }
}

// The sums over earlier rows of the distances to `kRows` rows, a lane per split.
template <int kRegister, typename Real, int kRows>
struct LaneSums {
  using Lanes = Pack<Real, kRegister>;
  static constexpr int kPacks = kSplitLanes / kLanes<Real>;
  Lanes sum[kRows][kPacks] = {};

  UNSUPRANK_INLINE void add(int row, Real distance, const Real* lanes) {
    for (int p = 0; p < kPacks; ++p) {
      sum[row][p] += distance * loaded<Lanes>(lanes + p * kLanes<Real>);
    }
  }

  // Adds what a row makes to the totals; `own` are its lanes.
  UNSUPRANK_INLINE void add_to(PairTotals<kRegister>& totals, int row, const Real* own) const {
    alignas(64) Real flat[kSplitLanes];
    for (int p = 0; p < kPacks; ++p) store(flat + p * kLanes<Real>, sum[row][p]);
    const double weight = own[kBlockSplits], all = flat[kBlockSplits];
    for (int p = 0; p < kWide; ++p) {
      const auto side = widened<kRegister>(own + p * kLanes<double>);
      const auto before = widened<kRegister>(flat + p * kLanes<double>);
      totals.inner[p] += side * before;
      totals.touch[p] += side * all + weight * before;
    }
  }
};

// Rows that share each load of the lanes: as many as there are registers for.
template <int kRegister, typename Real>
constexpr int kRowsTogether = std::min<int>(4, kRegister / (2 * sizeof(Real)));

template <int kRegister, typename Real>
UNSUPRANK_INLINE void pair_totals(const DistanceView<Real>& view, const int32_t* slots,
                                  const Real* lanes, int64_t count, double* inner, double* touch) {
  PairTotals<kRegister> totals;  // in registers
  constexpr int kRows = kRowsTogether<kRegister, Real>;
  constexpr int kPacks = kSplitLanes / kLanes<Real>;
  for (int64_t i = 0; i < count; i += kRows) {
    const int rows = static_cast<int>(std::min<int64_t>(kRows, count - i));
    const Real* line[kRows];
    for (int b = 0; b < kRows; ++b) line[b] = view.row(slots[i + std::min(b, rows - 1)]);
    LaneSums<kRegister, Real, kRows> sums;
    for (int64_t j = 0; j < i; ++j) {
      const int32_t s = slots[j];
      for (int p = 0; p < kPacks; ++p) {
        const auto lane = loaded<Pack<Real, kRegister>>(lanes + j * kSplitLanes + p * kLanes<Real>);
        for (int b = 0; b < kRows; ++b) sums.sum[b][p] += line[b][s] * lane;
      }
    }
#pragma GCC unroll 4
    for (int b = 0; b < kRows; ++b) {  // a constant number, so that sums stay in registers
      if (b == rows) break;
      for (int64_t j = i; j < i + b; ++j) sums.add(b, line[b][slots[j]], lanes + j * kSplitLanes);
      sums.add_to(totals, b, lanes + (i + b) * kSplitLanes);
    }
  }
  for (int p = 0; p < kWide; ++p) {
    store(inner + p * kLanes<double>, totals.inner[p]);
    store(touch + p * kLanes<double>, totals.touch[p]);
  }
}

}  // namespace

template <typename Real>
void sum_rows(const DistanceView<Real>& view, const NodeRows<Real>& node, double* row_sums) {
  std::fill(row_sums, row_sums + node.count, 0.0);
  for (int64_t i = 1; i < node.count; ++i) {
    const Real* line = view.row(node.slots[i]);
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
void PairGains<Real>::add(const DistanceView<Real>& view, const NodeRows<Real>& node,
                          PairSums& sums, const SplitBlock& block, double* gains) {
  if (node.count >= kSmallSideRows && find_small_sides(node, sums, block)) {
    add_small_sides(view, node, sums, block, gains);
  } else {
    add_all_pairs(view, node, block, gains);
  }
}

// Lists the rows of the smaller sides; false if they are too many to be worth it.
template <typename Real>
bool PairGains<Real>::find_small_sides(const NodeRows<Real>& node, const PairSums& sums,
                                       const SplitBlock& block) {
  int64_t on_one[kBlockSplits] = {};
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
void PairGains<Real>::add_small_sides(const DistanceView<Real>& view, const NodeRows<Real>& node,
                                      PairSums& sums, const SplitBlock& block, double* gains) {
  if (!sums.has_row_sums) {
    sum_rows(view, node, sums.row_sums);
    sums.has_row_sums = true;
  }
  double all = 0.0;
  for (int64_t i = 0; i < node.count; ++i) all += node.weights[i] * sums.row_sums[i];
  for (int k = 0; k < block.size; ++k) {
    double inner = 0.0, touch = 0.0;
    for (size_t a = 0; a < small_[k].size(); ++a) {
      const int32_t i = small_[k][a];
      const Real* line = view.row(node.slots[i]);
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
void PairGains<Real>::add_all_pairs(const DistanceView<Real>& view, const NodeRows<Real>& node,
                                    const SplitBlock& block, double* gains) {
  lanes_.resize(node.count * kSplitLanes);
  double inner[kSplitLanes], touch[kSplitLanes];
  with_registers([&, lanes = lanes_.data()](auto bytes) UNSUPRANK_LAMBDA {
    spread_lanes<bytes>(block.sides, node.weights, node.count, lanes);
    pair_totals<bytes>(view, node.slots, lanes, node.count, inner, touch);
  });
  const double all = inner[kBlockSplits], per_row = all / node.weight;
  for (int k = 0; k < block.size; ++k) {
    const double n1 = block.side_weight[k], n0 = node.weight - n1;
    gains[k] += per_row - (inner[k] * n0 + (all + inner[k] - touch[k]) * n1) / (n1 * n0);
  }
}

template void sum_rows(const DistanceView<float>&, const NodeRows<float>&, double*);
template void sum_rows(const DistanceView<double>&, const NodeRows<double>&, double*);
template class PairGains<float>;
template class PairGains<double>;

}  // namespace unsuprank
