// The values in a range, and how many are below it: one step of finding a median.
#pragma once
#include <cstdint>
#include <vector>

namespace unsuprank {

template <typename Number>
struct ValuesBetween {
  int64_t below = 0;
  std::vector<Number> values;
};

ValuesBetween<double> values_between(const double* values, int64_t count, double low, double high);
ValuesBetween<int32_t> values_between(const int32_t* values, int64_t count, int32_t low,
                                      int32_t high);

}  // namespace unsuprank
