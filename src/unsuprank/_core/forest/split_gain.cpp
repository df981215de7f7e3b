#include "forest/split_gain.hpp"

namespace unsuprank {

template <typename Real>
double distances_across(const ClusteringSpace<Real>& space, const OutRows& out,
                        const WeightedRows& in) {
  double total = 0.0;
  for (int64_t i = 0; i < out.count; ++i) {
    const Real* from = space.distances + space.table.rows * out.rows[i];
    for (int64_t j = 0; j < in.count; ++j) {
      total += in.times[j] * static_cast<double>(from[in.rows[j]]);
    }
  }
  return total;
}

double norm_sum(const double* norms, const WeightedRows& rows) {
  double total = 0.0;
  for (int64_t i = 0; i < rows.count; ++i) total += rows.times[i] * norms[rows.rows[i]];
  return total;
}

template <typename Real>
double SplitGain<Real>::gain(int32_t feature, const SplitRows& rows) {
  const double weights[2] = {rows.in[0].weight(), rows.in[1].weight()};
  double gain = 0.0;
  if (space_.distances) {
    gain += by_distances(rows, weights);
  } else if (space_.width) {
    gain += by_sums(complete_, rows, weights);
  }
  if (space_.partial_width) gain += by_sums(partial_, rows, weights);
  if (measures_.scales) gain -= own_.gain(space_.table, measures_.scales, feature, rows);
  return gain;
}

template <typename Real>
double SplitGain<Real>::by_distances(const SplitRows& rows, const double* weights) const {
  const double norms[2] = {norm_sum(measures_.norms, rows.in[0]),
                           norm_sum(measures_.norms, rows.in[1])};
  double total = 0.0;
  for (int s = 0; s < 2; ++s) {
    const PairSide side{static_cast<double>(rows.out[s].count), weights[s], norms[s],
                        distances_across(space_, rows.out[s], rows.in[s]),
                        distances_across(space_, rows.out[s], rows.in[1 - s])};
    total += side.gain(weights[0] + weights[1], norms[0] + norms[1]);
  }
  return total;
}

template <typename Real>
template <typename Sums>
double SplitGain<Real>::by_sums(Sums& sums, const SplitRows& rows, const double* weights) const {
  sums.place(2);
  for (int s = 0; s < 2; ++s) sums.gather(rows.in[s], rows.out[s], s);
  return sums.gain(0, weights[0], weights[1]);
}

template double distances_across(const ClusteringSpace<float>&, const OutRows&,
                                 const WeightedRows&);
template double distances_across(const ClusteringSpace<double>&, const OutRows&,
                                 const WeightedRows&);
template class SplitGain<float>;
template class SplitGain<double>;

}  // namespace unsuprank
