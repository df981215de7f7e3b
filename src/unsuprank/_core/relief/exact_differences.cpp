// Distances and differences in float64: the part of ReliefRows that vectorises over columns.
#include "relief/rows.hpp"
#include "simd/packs.hpp"

namespace unsuprank {
namespace {

struct Sections {
  int64_t plain, gapped, nominal;
};

template <int kRegister>
struct Terms {
  using Doubles = Pack<double, kRegister>;
  using Bits = Pack<int64_t, kRegister>;

  UNSUPRANK_INLINE static Doubles absolute(const Doubles& x) {
    return (Doubles)((Bits)x & static_cast<int64_t>(0x7fffffffffffffff));
  }

  UNSUPRANK_INLINE static Doubles mismatch(const Doubles& a, const Doubles& b) {
    const Doubles one = Doubles{} + 1.0;
    return (Doubles)((Bits)(a != b) & (Bits)one);
  }

  // Calls visit(term, difference) for every vector of terms, where difference(b) gives the
  // differences between the rows a and b.
  template <typename Visit>
  UNSUPRANK_INLINE static void each_term(const double* a, Sections s, Visit visit) {
    for (int64_t j = 0; j < s.plain; j += kLanes<double>) {
      visit(j, [=](const double* b) UNSUPRANK_LAMBDA {
        return absolute(loaded<Doubles>(a + j) - loaded<Doubles>(b + j));
      });
    }
    int64_t at = s.plain, term = s.plain;
    for (int64_t j = at; j < at + s.gapped; j += kLanes<double>) {
      visit(term + j - at, [=](const double* b) UNSUPRANK_LAMBDA {
        const Doubles gaps = loaded<Doubles>(a + j + s.gapped) + loaded<Doubles>(b + j + s.gapped);
        return absolute(loaded<Doubles>(a + j) - loaded<Doubles>(b + j)) + gaps;
      });
    }
    at += 2 * s.gapped;
    term += s.gapped;
    for (int64_t j = at; j < at + s.nominal; j += kLanes<double>) {
      visit(term + j - at, [=](const double* b) UNSUPRANK_LAMBDA {
        const Doubles off_a = loaded<Doubles>(a + j + s.nominal),
                      off_b = loaded<Doubles>(b + j + s.nominal);
        return mismatch(loaded<Doubles>(a + j), loaded<Doubles>(b + j)) + smaller_of(off_a, off_b);
      });
    }
  }
};

template <int kRegister>
UNSUPRANK_INLINE double sum_of_differences(const double* a, const double* b, Sections s) {
  using Doubles = Pack<double, kRegister>;
  Doubles even{}, odd{};
  Terms<kRegister>::each_term(a, s, [&](int64_t, auto difference) UNSUPRANK_LAMBDA {
    const Doubles next = odd + difference(b);
    odd = even;
    even = next;
  });
  const Doubles sum = even + odd;
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

// Takes kCount rows at a time, so that sums stay in registers between them.
template <int kRegister, int kCount>
UNSUPRANK_INLINE void accumulate(const double* a, const double* const* rows, const double* weights,
                                 Sections s, double* sums, double* weighted) {
  using Doubles = Pack<double, kRegister>;
  Terms<kRegister>::each_term(a, s, [&](int64_t term, auto difference) UNSUPRANK_LAMBDA {
    Doubles sum = loaded<Doubles>(sums + term), weighted_sum = loaded<Doubles>(weighted + term);
#pragma GCC unroll 8
    for (int k = 0; k < kCount; ++k) {
      const Doubles d = difference(rows[k]);
      sum += d;
      weighted_sum += d * weights[k];
    }
    store(sums + term, sum);
    store(weighted + term, weighted_sum);
  });
}

}  // namespace

double ReliefRows::distance(int64_t a, int64_t b) const {
  const Sections sections{plain_, gapped_, nominal_};
  const double sum = with_registers([&](auto bytes) UNSUPRANK_LAMBDA {
    return sum_of_differences<bytes>(exact_row(a), exact_row(b), sections);
  });
  return sum / static_cast<double>(table_.cols);
}

void ReliefRows::add_differences(int64_t a, const int64_t* others, const double* weights,
                                 int64_t count, double* sums, double* weighted) const {
  const Sections sections{plain_, gapped_, nominal_};
  with_registers([&](auto bytes) UNSUPRANK_LAMBDA {
    const double* rows[5];
    int64_t k = 0;
    for (; k + 5 <= count; k += 5) {
      for (int64_t i = 0; i < 5; ++i) rows[i] = exact_row(others[k + i]);
      accumulate<bytes, 5>(exact_row(a), rows, weights + k, sections, sums, weighted);
    }
    for (; k < count; ++k) {
      rows[0] = exact_row(others[k]);
      accumulate<bytes, 1>(exact_row(a), rows, weights + k, sections, sums, weighted);
    }
  });
}

}  // namespace unsuprank
