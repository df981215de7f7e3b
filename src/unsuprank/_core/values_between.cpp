#include "values_between.hpp"

#include <algorithm>
#include <cstring>

#include "simd.hpp"

namespace unsuprank {
namespace {

// Branches on single values are hard to guess for the processor. So many values at a time are
// counted and marked, and eight marks are looked at at once: most have none between.
template <typename Number>
UNSUPRANK_INLINE ValuesBetween<Number> find_values(const Number* values, int64_t count, Number low,
                                                   Number high) {
  constexpr int64_t kAtOnce = 1024;
  ValuesBetween<Number> found;
  for (int64_t first = 0; first < count; first += kAtOnce) {
    const Number* start = values + first;
    const int64_t size = std::min(kAtOnce, count - first);
    uint8_t between[kAtOnce] = {};
    int32_t below = 0;
    for (int64_t i = 0; i < size; ++i) {
      below += start[i] < low;
      between[i] = (start[i] >= low) & (start[i] <= high);
    }
    found.below += below;
    for (int64_t i = 0; i < size; i += 8) {
      uint64_t any;
      std::memcpy(&any, between + i, sizeof(any));
      for (int64_t k = i; any && k < i + 8; ++k) {
        if (between[k]) found.values.push_back(start[k]);
      }
    }
  }
  return found;
}

}  // namespace

UNSUPRANK_CLONES ValuesBetween<double> values_between(const double* values, int64_t count,
                                                      double low, double high) {
  return find_values(values, count, low, high);
}

UNSUPRANK_CLONES ValuesBetween<int32_t> values_between(const int32_t* values, int64_t count,
                                                       int32_t low, int32_t high) {
  return find_values(values, count, low, high);
}

}  // namespace unsuprank
