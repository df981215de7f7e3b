// Squared error of a row's prediction by the prototype of a leaf, in the clustering space.
#pragma once
#include <cstdint>
#include <vector>

#include "forest/clustering_space.hpp"
#include "forest/trees.hpp"
#include "table/columns.hpp"

namespace unsuprank {

// Errors with respect to all attributes. What depends on the leaf alone is kept until `reset`.
template <typename Real>
class LeafErrors {
 public:
  explicit LeafErrors(const ClusteringSpace<Real>& space) : space_(space) {}

  // Forgets everything, for a tree with this many nodes.
  void reset(int64_t n_nodes);
  double error(int64_t row, int32_t leaf, const WeightedRows& rows);
  // Asks for the coordinates that an error will soon be found from.
  void expect(int64_t row, const WeightedRows& rows) const;

 private:
  double complete_error(int64_t row, int32_t leaf, const WeightedRows& rows);
  double partial_error(int64_t row, int32_t leaf, const WeightedRows& rows);

  const ClusteringSpace<Real>& space_;
  std::vector<double> spread_;   // mean squared distance within the leaf, halved; < 0: not known
  std::vector<int64_t> centre_;  // where its centre is in centres_; < 0: not known
  std::vector<Real> centres_;
  std::vector<int64_t> partial_centre_;
  std::vector<double> partial_centres_;
};

// Errors with respect to one attribute, whose value need not be the row's own. `scale` is that of
// the attribute's coordinates.
class AttributeErrors {
 public:
  void reset(int64_t n_nodes);
  // From here on, errors are those of this attribute.
  void select(const Columns& table, int64_t attribute, double scale);
  double error(double value, int32_t leaf, const WeightedRows& rows);

 private:
  void summarise_all(int64_t rows);
  void summarise(int32_t leaf, const WeightedRows& rows);

  ColumnView column_;
  int32_t n_values_ = 0;
  double scale_ = 0.0;
  // Over all training rows, for leaves that know nothing of the attribute.
  double centre_ = 0.0;
  std::vector<double> all_shares_;
  int64_t round_ = 0;
  std::vector<int64_t> seen_;                // the round in which a leaf was summarised
  std::vector<double> mean_;                 // numeric: scaled mean; nominal: sum of squared shares
  std::vector<std::vector<double>> shares_;  // nominal: share of each value
};

}  // namespace unsuprank
