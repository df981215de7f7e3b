#include "subset/lasso_path.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "simd/packs.hpp"

namespace unsuprank {
namespace {

class LassoPath {
 public:
  LassoPath(const double* gram, int64_t n) : gram_(gram), n_(n) {}

  // Writes the coefficients after so many steps; `correlations` are the columns' products with
  // the target.
  void follow(const double* correlations, int64_t steps, double* coefficients) {
    reset(correlations);
    double first = 0.0;
    bool left = false;
    for (int64_t taken = 0; taken < steps; ++taken) {
      if (!left) {
        int64_t column = most_correlated();
        while (column >= 0 && !enter(column)) column = most_correlated();
        if (column < 0) break;
      }
      const double shared = std::fabs(correlation_[inside_.back()]);
      first = std::max(first, shared);
      if (shared <= kNothing * first) break;
      set_direction();
      const Step step = next_step(shared);
      take(step);
      if (step.leaver >= 0) leave(step.leaver);
      left = step.leaver >= 0 && !inside_.empty();
    }
    std::fill(coefficients, coefficients + n_, 0.0);
    for (size_t k = 0; k < inside_.size(); ++k) coefficients[inside_[k]] = coefficient_[k];
  }

 private:
  // A column of which so little (relative to its length) is left by those inside repeats them.
  static constexpr double kRepeated = 1e-7;
  // Correlations that are so much smaller than the first are rounding errors.
  static constexpr double kNothing = 1e-13;
  // Columns that gain so little per unit of length move with those inside, as copies do.
  static constexpr double kTogether = 1e-9;
  // Columns outside that are so near (relatively) are as correlated as those inside.
  static constexpr double kLevel = 1e-10;

  enum class Place : int8_t { kOutside, kInside, kRefused };

  // How far the direction is followed, and the position of the column that leaves then; -1: none.
  struct Step {
    double length;
    int64_t leaver;
  };

  void reset(const double* correlations) {
    place_.assign(n_, Place::kOutside);
    correlation_.assign(correlations, correlations + n_);
    inside_.clear();
    sign_.clear();
    coefficient_.clear();
    factor_.clear();
  }

  int64_t most_correlated() const {
    int64_t best = -1;
    double most = 0.0;
    for (int64_t j = 0; j < n_; ++j) {
      if (place_[j] != Place::kOutside || std::fabs(correlation_[j]) <= most) continue;
      best = j;
      most = std::fabs(correlation_[j]);
    }
    return best;
  }

  // Returns false if the column repeats those inside; it is then refused for good.
  bool enter(int64_t column) {
    inside_.push_back(column);
    if (!extend_factor(static_cast<int64_t>(inside_.size()) - 1)) {
      inside_.pop_back();
      place_[column] = Place::kRefused;
      return false;
    }
    place_[column] = Place::kInside;
    sign_.push_back(correlation_[column] > 0.0 ? 1.0 : -1.0);
    coefficient_.push_back(0.0);
    return true;
  }

  void leave(int64_t position) {
    place_[inside_[position]] = Place::kOutside;
    inside_.erase(inside_.begin() + position);
    sign_.erase(sign_.begin() + position);
    coefficient_.erase(coefficient_.begin() + position);
    // Columns leave rarely: the factor is made again from where it changes.
    for (int64_t k = position; k < static_cast<int64_t>(inside_.size()); ++k) extend_factor(k);
    factor_.resize(inside_.size() * (inside_.size() + 1) / 2);
  }

  // Sets the row of the factor for the column at a position; false if next to nothing is left of
  // it.
  bool extend_factor(int64_t position) {
    factor_.resize(std::max<size_t>(factor_.size(), (position + 1) * (position + 2) / 2));
    const double* products = gram_ + n_ * inside_[position];
    double* row = factor_row(position);
    double rest = products[inside_[position]];
    const double size = rest;
    for (int64_t k = 0; k < position; ++k) {
      const double* above = factor_row(k);
      double sum = products[inside_[k]];
      for (int64_t l = 0; l < k; ++l) sum -= above[l] * row[l];
      row[k] = sum / above[k];
      rest -= row[k] * row[k];
    }
    row[position] = std::sqrt(std::max(rest, 0.0));
    const bool fits = row[position] > kRepeated * std::sqrt(size);
    if (!fits) factor_.resize(position * (position + 1) / 2);
    return fits;
  }

  // Sets the direction along which the correlations of all columns inside fall by 1 per unit of
  // length.
  void set_direction() {
    const int64_t size = static_cast<int64_t>(inside_.size());
    direction_ = sign_;
    for (int64_t k = 0; k < size; ++k) {
      const double* row = factor_row(k);
      for (int64_t l = 0; l < k; ++l) direction_[k] -= row[l] * direction_[l];
      direction_[k] /= row[k];
    }
    for (int64_t k = size - 1; k >= 0; --k) {
      const double* row = factor_row(k);
      direction_[k] /= row[k];
      for (int64_t l = 0; l < k; ++l) direction_[l] -= row[l] * direction_[k];
    }
    change_.assign(n_, 0.0);
    for (int64_t k = 0; k < size; ++k) {
      add_multiple(direction_[k], gram_ + n_ * inside_[k], n_, change_.data());
    }
  }

  // The step ends where a column outside is as correlated as those inside, where the coefficient of
  // one of these comes to 0, or where nothing is left to correlate with.
  Step next_step(double shared) const {
    Step step{shared, -1};
    for (int64_t j = 0; j < n_; ++j) {
      if (place_[j] != Place::kOutside) continue;
      meet(shared, correlation_[j], change_[j], step.length);
      meet(shared, -correlation_[j], -change_[j], step.length);
    }
    for (size_t k = 0; k < inside_.size(); ++k) {
      const double length = -coefficient_[k] / direction_[k];
      if (length > 0.0 && length < step.length) step = {length, static_cast<int64_t>(k)};
    }
    return step;
  }

  void take(const Step& step) {
    for (size_t k = 0; k < inside_.size(); ++k) coefficient_[k] += step.length * direction_[k];
    add_multiple(-step.length, change_.data(), n_, correlation_.data());
  }

  // Shortens a step to where a column outside is as correlated as those inside. A column that is so
  // by now has just left, or is the copy of one that has, and falls behind; if not, it enters at
  // once.
  static void meet(double shared, double correlation, double change, double& length) {
    const double distance = shared - correlation, speed = 1.0 - change;
    if (speed < kTogether) return;
    length = distance <= kLevel * shared ? 0.0 : std::min(length, distance / speed);
  }

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

}  // namespace

void lasso_path_ends(const double* gram, int64_t n, const double* correlations, int64_t steps,
                     int64_t first, int64_t last, double* coefficients) {
  LassoPath path(gram, n);
  for (int64_t t = first; t < last; ++t) {
    path.follow(correlations + t * n, steps, coefficients + t * n);
  }
}

}  // namespace unsuprank
