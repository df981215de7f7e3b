// What benchmarks measure the distance kernel against.
#pragma once
#include <cstdint>

namespace unsuprank {

// Sums |a - b| over whole runs of 128 floats, `repeats` times over.
double repeat_absolute_differences(const float* a, const float* b, int64_t n, int64_t repeats);

}  // namespace unsuprank
