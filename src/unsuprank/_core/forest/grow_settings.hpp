// How trees are grown, and how their growth is called off.
#pragma once
#include <cstdint>

namespace unsuprank {

struct GrowSettings {
  uint64_t seed = 0;
  int64_t max_features = 1;
  int32_t max_depth = 0;  // 0: no limit
  double min_leaf = 1.0;
  bool bootstrap = true;
  bool exhaustive = false;  // all splits of a drawn feature are evaluated, or one at random
  bool first_of_ties = false;
  int64_t pair_rows = 0;  // nodes of at most this many rows are split by their distances
};

// Kernels ask now and then whether they should give up.
class Interrupt {
 public:
  virtual ~Interrupt() = default;
  virtual bool requested() = 0;
};

}  // namespace unsuprank
