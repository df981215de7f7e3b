// Drawing the candidate features of a node, without replacement.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "forest/random.hpp"

namespace unsuprank {

class FeatureDraw {
 public:
  FeatureDraw(int64_t n_features, int64_t size)
      : n_(n_features),
        size_(std::min(size, n_features)),
        drawn_(size_),
        swapped_(size_),
        order_(n_features),
        seen_(n_features, 0) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  // The features drawn; the caller may reorder them.
  std::vector<int32_t>& draw(Random& random) {
    if (size_ == n_) {
      std::iota(drawn_.begin(), drawn_.end(), 0);
    } else if (size_ > n_ / 3) {
      draw_by_selection(random);
    } else {
      draw_by_rejection(random);
    }
    return drawn_;
  }

  // Draws one feature after the other until `enough` says so of one, which is returned; -1 if it
  // never does. That is a random choice among the features of a whole draw of which it is true.
  template <typename Enough>
  int32_t draw_until(Random& random, Enough enough) {
    int32_t found = -1;
    int64_t taken = 0;
    for (; taken < size_ && found < 0; ++taken) {
      swapped_[taken] = taken + random.below(static_cast<uint32_t>(n_ - taken));
      std::swap(order_[taken], order_[swapped_[taken]]);
      if (enough(order_[taken])) found = order_[taken];
    }
    // The columns go back to their order: no draw may depend on earlier ones.
    while (taken-- > 0) std::swap(order_[taken], order_[swapped_[taken]]);
    return found;
  }

 private:
  // Each feature in turn is taken with the chance that fills the rest of the sample.
  void draw_by_selection(Random& random) {
    int64_t taken = 0;
    for (int64_t f = 0; taken < size_; ++f) {
      if (random.below(static_cast<uint32_t>(n_ - f)) < static_cast<uint32_t>(size_ - taken)) {
        drawn_[taken++] = static_cast<int32_t>(f);
      }
    }
  }

  // Repeats are rare in a small sample; the round number saves clearing the marks.
  void draw_by_rejection(Random& random) {
    if (++round_ == 0) {
      std::fill(seen_.begin(), seen_.end(), 0u);
      round_ = 1;
    }
    for (int64_t taken = 0; taken < size_;) {
      const uint32_t f = random.below(static_cast<uint32_t>(n_));
      if (seen_[f] == round_) continue;
      seen_[f] = round_;
      drawn_[taken++] = static_cast<int32_t>(f);
    }
  }

  int64_t n_, size_;
  std::vector<int32_t> drawn_;
  std::vector<int64_t> swapped_;
  std::vector<int32_t> order_;
  std::vector<uint32_t> seen_;
  uint32_t round_ = 0;
};

}  // namespace unsuprank
