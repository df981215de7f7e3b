// The heuristic h of a split that changes one row at a time, for the search over all splits.
//
// A scan starts with every row of the node on side 0. `move` brings rows to side 1 or back;
// `gain` is the h of the split as it stands. Each part of the clustering space has its own scan.
#pragma once
#include <cstdint>
#include <vector>

#include "forest/coord_gains.hpp"
#include "forest/pair_gains.hpp"

namespace unsuprank {

// The scan from squared distances; a move costs one pass over the rows of the node.
template <typename Real>
class PairScan {
 public:
  void begin(const DistanceView<Real>& view, const NodeRows<Real>& node);
  void clear();
  void move(int64_t row, bool to_one);
  double gain() const;

 private:
  int64_t count_ = 0, stride_ = 0;
  double weight_ = 0, all_ = 0;
  std::vector<Real> matrix_;      // the node's own distances, dense
  std::vector<Real> to_one_;      // weighted distance of each row to the rows on side 1
  std::vector<double> row_sums_;  // and to all rows
  std::vector<Real> weights_;
  double inner_ = 0, touch_ = 0, one_ = 0;
};

// The scan from coordinates; a move costs one pass over them.
template <typename Real>
class CoordScan {
 public:
  void begin(const ClusteringSpace<Real>& space, const NodeRows<Real>& node);
  void clear();
  void move(int64_t row, bool to_one);
  double gain() const;

 private:
  int64_t count_ = 0, width_ = 0;
  double weight_ = 0;
  std::vector<Real> centred_;  // the node's rows, relative to their mean
  std::vector<Real> sum_;      // over side 1
  std::vector<Real> weights_;
  std::vector<double> norms_;
  double square_ = 0, one_ = 0;
};

// The scan from coordinates some of which are missing, by sums and counts per attribute.
template <typename Real>
class PartialScan {
 public:
  void begin(const ClusteringSpace<Real>& space, const NodeRows<Real>& node);
  void clear();
  void move(int64_t row, bool to_one);
  double gain() const;

 private:
  const ClusteringSpace<Real>* space_ = nullptr;
  const NodeRows<Real>* node_ = nullptr;
  std::vector<double> whole_, whole_count_, side_, side_count_;
};

}  // namespace unsuprank
