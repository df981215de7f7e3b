// Swaps of chosen columns.
#include "bindings/arrays.hpp"
#include "subset/neighbour_swaps.hpp"

namespace unsuprank {

void bind_subset(nb::module_& m) {
  m.def(
      "add_swap_errors",
      [](RowMajor<double> pool, Vector<int64_t> picks, Vector<int64_t> queries,
         RowMajor<double> cost, int64_t first, int64_t last, MutableRowMajor<double> errors) {
        const SwapProblem problem{pool.data(), length(pool), length(pool, 1), picks.data(),
                                  length(picks)};
        require(problem.rows >= 2, "a neighbour needs two rows");
        require(cost.shape(0) == queries.shape(0) && cost.shape(1) == pool.shape(0),
                "cost needs one entry per query and row");
        require(errors.shape(0) == picks.shape(0) && errors.shape(1) == pool.shape(1),
                "errors needs one entry per pick and pool column");
        require(0 <= first && first <= last && last <= length(queries),
                "query range out of bounds");
        for (size_t r = 0; r < picks.shape(0); ++r) {
          require(0 <= picks(r) && picks(r) < problem.width, "pick out of bounds");
        }
        for (size_t q = 0; q < queries.shape(0); ++q) {
          require(0 <= queries(q) && queries(q) < problem.rows, "query out of bounds");
        }
        nb::gil_scoped_release unlocked;
        add_swap_errors(problem, queries.data(), cost.data(), first, last, errors.data());
      },
      nb::arg("pool"), nb::arg("picks"), nb::arg("queries"), nb::arg("cost"), nb::arg("first"),
      nb::arg("last"), nb::arg("errors"));
}

}  // namespace unsuprank
