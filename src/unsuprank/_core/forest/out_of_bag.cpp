#include "forest/out_of_bag.hpp"

#include <algorithm>
#include <utility>

namespace unsuprank {

void OutOfBag::route(const TreesView& trees, int64_t tree) {
  send_down<true>(trees, tree);
  sort_visits();
}

void OutOfBag::find_leaves(const TreesView& trees, int64_t tree) { send_down<false>(trees, tree); }

template <bool kNoting>
void OutOfBag::send_down(const TreesView& trees, int64_t tree) {
  coded_.set(trees, tree);
  find_rows(trees, tree);
  visits_.clear();
  leaves_.assign(rows_.size(), 0);
  for (size_t start = 0; start < rows_.size(); start += kRowsTogether) {
    const size_t stop = std::min(start + kRowsTogether, rows_.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t p = start; p < stop; ++p) {
        const int32_t node = leaves_[p], feature = coded_.feature(node);
        if (feature < 0) continue;
        moved = true;
        if (kNoting) ways_[p - start].push_back({feature, static_cast<int32_t>(p), node});
        leaves_[p] = coded_.next(node, coded_.reading(feature, rows_[p]), rows_[p]);
      }
    }
    for (std::vector<Visit>& way : ways_) {
      visits_.insert(visits_.end(), way.begin(), way.end());
      way.clear();
    }
  }
}

void OutOfBag::find_rows(const TreesView& trees, int64_t tree) {
  std::vector<char> inside(n_rows_, 0);
  for (int64_t i = trees.row_offset[tree]; i < trees.row_offset[tree + 1]; ++i) {
    inside[trees.rows[i]] = 1;
  }
  rows_.clear();
  for (int64_t i = 0; i < n_rows_; ++i) {
    if (!inside[i]) rows_.push_back(static_cast<int32_t>(i));
  }
}

void OutOfBag::sort_visits() {
  starts_.assign(n_columns_ + 1, 0);
  for (const Visit& visit : visits_) ++starts_[visit.feature + 1];
  for (int64_t f = 0; f < n_columns_; ++f) starts_[f + 1] += starts_[f];
  sorted_.resize(visits_.size());
  for (const Visit& visit : visits_) sorted_[starts_[visit.feature]++] = visit;
  std::swap(visits_, sorted_);
}

}  // namespace unsuprank
