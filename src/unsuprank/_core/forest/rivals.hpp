// The chance that one more candidate would win a node.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "forest/candidate_split.hpp"

namespace unsuprank {

// A node has drawn `n_drawn` features, and some of them have brought candidates. A column that was
// not drawn meets all of them but one, which is left out at random, as if the column had been drawn
// in its place; a column that was drawn meets the others. In both cases the others are a random
// draw of n_drawn - 1 features. The best wins, and equals have equal chances.
class Rivals {
 public:
  explicit Rivals(int64_t n_features) : drawn_in_(n_features, 0) {}

  void set(const std::vector<int32_t>& drawn, const std::vector<CandidateSplit>& candidates);
  // The chance of a candidate of this feature with this gain.
  double chance(int32_t feature, double gain) const;

 private:
  static constexpr size_t kNobody = static_cast<size_t>(-1);

  double chance_without(size_t left_out, double gain) const;
  double chance_in_a_place(double gain) const;

  std::vector<std::pair<double, int32_t>> best_first_;  // gains of the candidates, their features
  std::vector<uint64_t> drawn_in_;                      // the node that has drawn a feature last
  uint64_t node_ = 0;
  size_t n_drawn_ = 0;
};

}  // namespace unsuprank
