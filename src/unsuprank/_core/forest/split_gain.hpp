// What one split explains on the rows that its tree was not grown from; see out_of_bag_gains.hpp.
#pragma once
#include <cstdint>

#include "forest/clustering_space.hpp"
#include "forest/node_sums.hpp"

namespace unsuprank {

// What a score knows of the rows besides their place: squared norms in the attributes without
// missing values (they go with distances), and the scales of the coordinates of each feature, if
// the feature of a split is not to count as a target (else null).
struct RowMeasures {
  const double* norms = nullptr;
  const double* scales = nullptr;
};

// The sum of z . (M_s - M) over the out-of-bag rows z of one side.
struct PairSide {
  double n_out;      // such rows
  double weight;     // of the side's in-bag rows
  double norms;      // summed over these
  double to_own;     // distances of the out-of-bag rows to these,
  double to_others;  // and to the in-bag rows of the other side

  double gain(double node_weight, double node_norms) const {
    const double larger = norms / weight - node_norms / node_weight;
    return 0.5 * (n_out * larger - to_own / weight + (to_own + to_others) / node_weight);
  }
};

// Squared distances of every row of `out` to every row of `in`, times the multiplicities.
template <typename Real>
double distances_across(const ClusteringSpace<Real>& space, const OutRows& out,
                        const WeightedRows& in);
double norm_sum(const double* norms, const WeightedRows& rows);

template <typename Real>
class SplitGain {
 public:
  SplitGain(const ClusteringSpace<Real>& space, const RowMeasures& measures)
      : space_(space), measures_(measures), complete_(space), partial_(space) {}

  // The gain of a split by a feature that parts rows so.
  double gain(int32_t feature, const SplitRows& rows);

 private:
  double by_distances(const SplitRows& rows, const double* weights) const;
  template <typename Sums>
  double by_sums(Sums& sums, const SplitRows& rows, const double* weights) const;

  const ClusteringSpace<Real>& space_;
  RowMeasures measures_;
  CompleteSums<Real> complete_;
  PartialSums<Real> partial_;
  OwnGain own_;
};

}  // namespace unsuprank
