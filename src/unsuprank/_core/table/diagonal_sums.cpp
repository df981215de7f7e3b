#include "table/diagonal_sums.hpp"

#include <vector>

#include "simd/packs.hpp"

namespace unsuprank {
namespace {

UNSUPRANK_CLONES void squared_lengths(const double* z, int64_t rows, int32_t width, double* h) {
  for (int64_t i = 0; i < rows; ++i) h[i] = z[i] * z[i];
  for (int32_t c = 1; c < width; ++c) {
    z += rows;
    for (int64_t i = 0; i < rows; ++i) h[i] += z[i] * z[i];
  }
}

template <typename Real>
UNSUPRANK_INLINE void add_terms(Real z, Real h, Real k, Real* terms) {
  const Real hk = h * k;
  const Real hh = h * h;
  terms[0] += hk;
  terms[1] += hk * k;
  terms[2] += hk * h;
  terms[3] += h;
  terms[4] += h * z;
  terms[5] += hh;
  terms[6] += hh * h;
}

template <int kRegister>
UNSUPRANK_INLINE void sum_terms(const double* z, const double* h, const double* k, int64_t rows,
                                double* sums) {
  using Eight = Pack<double, kRegister>;
  Eight packs[kDiagonalSums] = {};
  int64_t i = 0;
  for (; i + 8 <= rows; i += 8) {
    Eight of_z, of_h, of_k;
    load(of_z, z + i);
    load(of_h, h + i);
    load(of_k, k + i);
    add_terms(of_z, of_h, of_k, packs);
  }
  for (int s = 0; s < kDiagonalSums; ++s) sums[s] = sum_of<double>(packs[s]);
  for (; i < rows; ++i) add_terms(z[i], h[i], k[i], sums);
}

}  // namespace

void diagonal_sums(const double* coords, int64_t rows, const int32_t* widths, int64_t count,
                   const double* k, double* sums) {
  std::vector<double> h(rows);
  for (int64_t j = 0; j < count; ++j) {
    squared_lengths(coords, rows, widths[j], h.data());
    with_registers([=, &h](auto bytes) UNSUPRANK_LAMBDA {
      sum_terms<bytes>(coords, h.data(), k, rows, sums + j * kDiagonalSums);
    });
    coords += rows * widths[j];
  }
}

}  // namespace unsuprank
