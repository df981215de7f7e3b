// The path of the lasso by least angle regression, from inner products alone.
//
// Columns enter one at a time, whenever their correlation with what is left of the target reaches
// that of the columns inside, and the coefficients move such that these correlations stay equal.
// A column whose coefficient comes to 0 leaves. Between two such events the path is a line, so
// that a step costs one solution of a small system and one combination of rows of the Gram matrix.
#pragma once
#include <cstdint>

namespace unsuprank {

// Writes the coefficients after so many steps for targets first .. last-1: `gram` holds the inner
// products of the n columns, n x n and symmetric; `correlations` those of the targets with the
// columns, targets x columns as the coefficients are.
void lasso_path_ends(const double* gram, int64_t n, const double* correlations, int64_t steps,
                     int64_t first, int64_t last, double* coefficients);

}  // namespace unsuprank
