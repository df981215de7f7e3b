#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "lasso/lasso_path.hpp"

namespace unsuprank {

void bind_lasso(nb::module_& m) {
  m.def(
      "lasso_path_ends",
      [](RowMajor<double> gram, RowMajor<double> correlations, int64_t steps, int64_t first,
         int64_t last, MutableRowMajor<double> coefficients) {
        const int64_t n = length(gram);
        require(gram.shape(1) == gram.shape(0), "gram needs one row and one column per column");
        require(correlations.shape(1) == gram.shape(0) &&
                    coefficients.shape(0) == correlations.shape(0) &&
                    coefficients.shape(1) == correlations.shape(1),
                "correlations and coefficients need one row per target");
        require(0 <= first && first <= last && last <= length(correlations),
                "target range out of bounds");
        nb::gil_scoped_release unlocked;
        LassoPath path(gram.data(), n);
        for (int64_t t = first; t < last; ++t) {
          path.follow(correlations.data() + t * n, steps, coefficients.data() + t * n);
        }
      },
      nb::arg("gram"), nb::arg("correlations"), nb::arg("steps"), nb::arg("first"), nb::arg("last"),
      nb::arg("coefficients"));
}

}  // namespace unsuprank
