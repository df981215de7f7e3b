// The path of the lasso by least angle regression, from inner products alone.
//
// Columns enter one at a time, whenever their correlation with what is left of the target reaches
// that of the columns inside, and the coefficients move such that these correlations stay equal.
// A column whose coefficient comes to 0 leaves. Between two such events the path is a line, so
// that a step costs one solution of a small system and one combination of rows of the Gram matrix.
#pragma once
#include <cstdint>
#include <vector>

namespace unsuprank {

class LassoPath {
 public:
  // `gram` holds the inner products of the n columns, n x n and symmetric.
  LassoPath(const double* gram, int64_t n) : gram_(gram), n_(n) {}

  // Writes the coefficients after so many steps; `correlations` are the columns' products with
  // the target.
  void follow(const double* correlations, int64_t steps, double* coefficients);

 private:
  enum class Place : int8_t { kOutside, kInside, kRefused };

  // How far the direction is followed, and the position of the column that leaves then; -1: none.
  struct Step {
    double length;
    int64_t leaver;
  };

  void reset(const double* correlations);
  int64_t most_correlated() const;
  bool enter(int64_t column);
  void leave(int64_t position);
  bool extend_factor(int64_t position);
  void set_direction();
  Step next_step(double shared) const;
  void take(const Step& step);

  double* factor_row(int64_t k) { return factor_.data() + k * (k + 1) / 2; }

  const double* gram_;
  int64_t n_;
  std::vector<Place> place_;
  std::vector<double> correlation_;  // of every column with what is left of the target
  std::vector<double> change_;       // of the correlations per unit of length
  std::vector<int64_t> inside_;
  std::vector<double> sign_, coefficient_, direction_;  // of the columns inside
  std::vector<double> factor_;  // Cholesky factor of their products, one row after the other
};

}  // namespace unsuprank
