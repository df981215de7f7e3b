// The heuristic h of all splits of a block, from coordinates.
//
// Rows on the same sides of all splits are a run, and are summed first; the rows are put in order
// of their patterns of sides for that. A side of a split is then the sum of some runs, of which
// there are far fewer than rows in a large node. All sums are made in registers, from coordinates
// that are read once for all splits together.
#pragma once
#include <cstdint>
#include <vector>

#include "forest/clustering_space.hpp"
#include "forest/node_rows.hpp"

namespace unsuprank {

// The rows of a node in order of their patterns.
template <typename Real>
struct PatternRuns {
  std::vector<int32_t> rows;  // row numbers, and the last one again and again for reading ahead
  std::vector<Real> weights;
  std::vector<int64_t> ends;  // of the runs
  std::vector<uint16_t> patterns;

  void set(const NodeRows<Real>& node, const SplitBlock& block);
  int64_t count() const { return static_cast<int64_t>(ends.size()); }

 private:
  void sort(const uint16_t* sides, int64_t count, int bits);

  std::vector<int32_t> order_, spare_, starts_;
};

// The side of every split that has fewer runs; h is the same for both sides.
struct LighterSides {
  std::vector<int32_t> runs;  // of all splits, one after the other, and then all runs
  int64_t ends[kSplitLanes];  // of their lists
  double weight[kBlockSplits];

  void set(const std::vector<uint16_t>& patterns, const SplitBlock& block, double node_weight);
};

template <typename Real>
class CoordGains {
 public:
  // Adds the gains in the attributes without missing values.
  void add(const ClusteringSpace<Real>& space, const NodeRows<Real>& node, const SplitBlock& block,
           double* gains);
  // Adds the gains in the others, from sums and counts per attribute.
  void add_partial(const ClusteringSpace<Real>& space, const NodeRows<Real>& node,
                   const SplitBlock& block, double* gains);

 private:
  PatternRuns<Real> runs_;
  LighterSides sides_;
  std::vector<Real> run_sums_;
  std::vector<double> partial_run_sums_;
};

// The sum of N1 N0 / N |mean1 - mean0|^2 over attributes, each with its own counts.
double partial_gain(const double* side, const double* side_count, const double* whole,
                    const double* whole_count, int64_t length);

}  // namespace unsuprank
