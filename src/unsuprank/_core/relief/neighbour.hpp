// A neighbour of a row, and which of two is nearer.
#pragma once
#include <cmath>
#include <cstdint>

namespace unsuprank {

// Distances that round to the same multiple of 1 / this are equal, so that sums that differ by
// rounding alone tie; ties go to the row that comes first in the table.
constexpr double kTiesPerUnit = 4294967296.0;

struct Neighbor {
  int64_t key;  // the distance, rounded
  int64_t original;
  int64_t position;
  double distance;
};

inline Neighbor neighbor_at(double distance, int64_t original, int64_t position) {
  return {std::llrint(distance * kTiesPerUnit), original, position, distance};
}

inline bool nearer(const Neighbor& a, const Neighbor& b) {
  return a.key != b.key ? a.key < b.key : a.original < b.original;
}

}  // namespace unsuprank
