// What the splits of a tree explain on the rows that the tree was not grown from.
//
// A node whose in-bag rows have the mean M splits them into children with the means M_0 and M_1. An
// out-of-bag row z that goes to child s is predicted by M_s in place of M, and the split explains
// z . (M_s - M) of it, with the mean of all rows at the origin. In-bag gains are never negative;
// these are as often negative as positive if the split has found nothing but noise: it is the
// debiased decrease of impurity of Li, Wang, Basu, Kumbier and Yu (2019). (z - M in the place of z
// would be no better: the size of M grows as nodes get small, and drowns what there is to see.)
//
// Inner products are norms and squared distances, 2 z_i . z_j = |z_i|^2 + |z_j|^2 - d_ij, so that
// sums of distances between the out-of-bag rows O_s of a side and the in-bag rows are all it takes.
// A pair of rows parts company in one node only, so that all nodes of a tree together look at every
// pair once, from the leaves up. Without a matrix of distances the sums of coordinates do, which
// are added up from the leaves as well.
#pragma once
#include <cstdint>
#include <vector>

#include "forest/clustering_space.hpp"
#include "forest/grow_settings.hpp"
#include "forest/split_gain.hpp"
#include "forest/trees.hpp"

namespace unsuprank {

// Appends the gain of every node of the trees to `gains` (0 for leaves), in the weight of the
// tree's in-bag rows. Returns false if given up.
template <typename Real>
bool out_of_bag_gains(const ClusteringSpace<Real>& space, const RowMeasures& measures,
                      const TreesView& trees, Interrupt& interrupt, std::vector<double>& gains);

}  // namespace unsuprank
