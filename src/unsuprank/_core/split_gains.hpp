// The heuristic h of several candidate splits of one node, all at once.
//
// A block holds up to `kBlock` splits; bit k of `sides[i]` tells whether row i of the node is on
// side 1 of split k. Each function adds to `gains`, so that the parts of the clustering space add
// up.
#pragma once
#include <cstdint>
#include <vector>

#include "space.hpp"

namespace unsuprank {

constexpr int kBlock = 15;  // one lane of sixteen is kept for the node as a whole

template <typename Real>
struct NodeRows {
  const int32_t* rows;   // row numbers, ascending
  const int32_t* slots;  // row numbers within the matrix of distances in use, ascending
  const Real* weights;   // their multiplicities, and
  const int32_t* times;  // the same as integers
  int64_t count;
  double weight;  // sum of weights
};

// Sums over the pairs of rows of a node, where they are known from its parents. They make splits
// that take a few rows away from many (sparse data has hardly any others) cheap to value.
struct PairSums {
  double* row_sums = nullptr;  // weighted sum of the distances of each row to all rows of the node
  bool has_row_sums = false;
};

// Weight of side 1 of each split.
struct SplitBlock {
  const uint16_t* sides;
  int size;
  double side_weight[kBlock];
};

// From squared distances (lower triangle, `stride` apart). Either all pairs of rows, all splits in
// the lanes of one vector: about count^2 / 2 vector operations, whatever the number of attributes.
// Or, if every split has few rows on one side, the pairs on that side and the sums of its rows.
template <typename Real>
class PairGains {
 public:
  void add(const Real* distances, int64_t stride, const NodeRows<Real>& node, PairSums& sums,
           const SplitBlock& block, double* gains);

 private:
  void add_all_pairs(const Real* distances, int64_t stride, const NodeRows<Real>& node,
                     const SplitBlock& block, double* gains);
  void add_small_sides(const Real* distances, int64_t stride, const NodeRows<Real>& node,
                       PairSums& sums, const SplitBlock& block, double* gains);
  bool find_small_sides(const NodeRows<Real>& node, const PairSums& sums, const SplitBlock& block);

  std::vector<Real> lanes_;
  std::vector<int32_t> small_[kBlock];  // rows of the smaller side of each split
  bool small_is_one_[kBlock];
};

// Weighted distances of every row of a node to all of its rows.
template <typename Real>
void sum_rows(const Real* distances, int64_t stride, const NodeRows<Real>& node, double* row_sums);

// From coordinates. Splits are taken in groups of a few bits; rows with the same pattern of sides
// are summed into one bucket, and the sums of the single splits follow from the buckets by folding.
// A row is so added once per group instead of once per split (the method of the four Russians).
template <typename Real>
class BucketGains {
 public:
  // All attributes known.
  void add(const Space<Real>& space, const NodeRows<Real>& node, const SplitBlock& block,
           double* gains);
  // Sums and counts per attribute, where values may be missing.
  void add_partial(const Space<Real>& space, const NodeRows<Real>& node, const SplitBlock& block,
                   double* gains);

 private:
  struct Group {
    int first;  // its first split
    int bits;   // its number of splits
    int64_t base;
  };
  void plan(int64_t count, int size);
  void set_patterns(const uint16_t* sides, int64_t count);
  template <typename T>
  void chunk_sums(const T* coords, int64_t stride, int packs, const T* origin,
                  const NodeRows<Real>& node, std::vector<T>& buckets, T* sums);

  std::vector<Group> groups_;
  int64_t n_buckets_ = 0;
  std::vector<uint8_t> patterns_;  // one run of `count` per group
  std::vector<Real> buckets_;
  std::vector<double> partial_buckets_;
};

// N1 N0 / N |mean1 - mean0|^2 summed over attributes, each with its own counts.
double partial_gain(const double* side, const double* side_count, const double* whole,
                    const double* whole_count, int64_t length);

}  // namespace unsuprank
