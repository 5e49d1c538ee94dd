#include "runtime/product_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "pe/arithmetic.h"

namespace weft::runtime {
namespace {

using reference::MatmulProblem;
using reference::ResultRows;

/// Rows of the reference to hold at a time: a few megabytes, in whole blocks of 256 rows.
constexpr std::uint64_t kRowsAtATime = 256;
constexpr std::uint64_t kElementsAtATime = std::uint64_t{1} << 22U;

std::uint64_t rows_at_a_time(std::uint64_t cols) {
  return std::max(kRowsAtATime, kElementsAtATime / cols / kRowsAtATime * kRowsAtATime);
}

/// Calls compare(rows) for all rows of the result, a few at a time.
template <class Compare>
void for_each_row_range(const Matrix& result, Compare compare) {
  const std::uint64_t step = rows_at_a_time(result.cols());
  for (std::uint64_t row = 0; row < result.rows(); row += step) {
    compare(ResultRows{row, std::min(step, result.rows() - row)});
  }
}

void note_mismatch(CheckReport& report, std::uint64_t row, std::uint64_t col, std::string expected,
                   std::string actual) {
  if (!report.mismatch) report.mismatch = {row, col, std::move(expected), std::move(actual)};
}

void compare_int32(const std::vector<std::int32_t>& expected, const Matrix& result, ResultRows rows,
                   CheckReport& report) {
  for (std::uint64_t i = 0; i < expected.size(); ++i) {
    const std::uint64_t row = rows.first + i / result.cols();
    const std::uint64_t col = i % result.cols();
    const auto actual = result.at<std::int32_t>(row, col);
    if (actual == expected[i]) continue;
    report.bit_exact = false;
    const double error = std::abs(double{static_cast<double>(actual)} - expected[i]);
    report.max_abs_error = std::max(report.max_abs_error, error);
    note_mismatch(report, row, col, fmt::to_string(expected[i]), fmt::to_string(actual));
  }
}

/// Euclidean norms over the finite elements. The others are compared by kind (infinity or NaN).
struct Norms {
  std::vector<double> a_rows;
  std::vector<double> b_cols;
};

template <class Arithmetic, class Add>
void for_each_square(const Matrix& matrix, Add add) {
  for (std::uint64_t row = 0; row < matrix.rows(); ++row) {
    for (std::uint64_t col = 0; col < matrix.cols(); ++col) {
      const double value = Arithmetic::widen(matrix.at<typename Arithmetic::Element>(row, col));
      if (std::isfinite(value)) add(row, col, value * value);
    }
  }
}

Norms norms_of(const MatmulProblem& problem) {
  Norms norms{std::vector<double>(problem.a.rows()), std::vector<double>(problem.b.cols())};
  with_arithmetic(problem.a.type(), [&]<class Arithmetic>(Arithmetic) {
    for_each_square<Arithmetic>(
        problem.a, [&](auto row, auto, double square) { norms.a_rows[row] += square; });
    for_each_square<Arithmetic>(
        problem.b, [&](auto, auto col, double square) { norms.b_cols[col] += square; });
  });
  for (auto* values : {&norms.a_rows, &norms.b_cols}) {
    for (double& value : *values) value = std::sqrt(value);
  }
  return norms;
}

class FloatComparison {
 public:
  FloatComparison(const MatmulProblem& problem, const Matrix& result, const MachineConfig& config)
      : problem_(problem), result_(result), norms_(norms_of(problem)) {
    const std::uint64_t rows = config.array_rows;
    const std::uint64_t tiles = (problem.a.cols() + rows - 1) / rows;
    roundings_ = static_cast<double>(tiles * rows + tiles + 2);
    constexpr double kUnitRoundoff = 0x1p-24;
    const double share = roundings_ * kUnitRoundoff;
    gamma_ = share < 1 ? share / (1 - share) : std::numeric_limits<double>::infinity();
  }

  void compare(const std::vector<double>& expected, ResultRows rows, CheckReport& report) const {
    for (std::uint64_t i = 0; i < expected.size(); ++i) {
      const std::uint64_t row = rows.first + i / result_.cols();
      const std::uint64_t col = i % result_.cols();
      const double actual = double{result_.at<float>(row, col)};
      if (std::isnan(actual) && std::isnan(expected[i])) ++report.nans;
      if (same(rounded(expected[i]), actual)) continue;
      report.bit_exact = false;
      const double error = std::abs(actual - expected[i]);
      if (std::isfinite(error) && error > report.max_abs_error) {
        report.max_abs_error = error;
        report.bound = bound(magnitude(row, col));
      }
      if (!acceptable(expected[i], actual, magnitude(row, col))) {
        note_mismatch(report, row, col, fmt::to_string(expected[i]), fmt::to_string(actual));
      }
    }
  }

 private:
  static double rounded(double value) { return double{static_cast<float>(value)}; }
  static bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

  /// Upper bound on the magnitude of every intermediate sum.
  double magnitude(std::uint64_t row, std::uint64_t col) const {
    const double bias =
        problem_.bias == nullptr ? 0.0 : std::abs(double{problem_.bias->at<float>(0, col)});
    return norms_.a_rows[row] * norms_.b_cols[col] + (std::isfinite(bias) ? bias : 0.0);
  }

  bool acceptable(double expected, double actual, double size) const {
    // Sums that may leave the range of binary32 on the way may end as an infinity or a NaN.
    const bool may_overflow = size * (1 + gamma_) >= double{std::numeric_limits<float>::max()};
    if (!std::isfinite(actual)) return may_overflow;
    return std::abs(actual - expected) <= bound(size);
  }

  /// The largest error that roundings can amount to, for sums of at most this magnitude.
  double bound(double size) const { return gamma_ * size + roundings_ * 0x1p-149; }

  const MatmulProblem& problem_;
  const Matrix& result_;
  Norms norms_;
  double roundings_ = 0;
  double gamma_ = 0;
};

}  // namespace

CheckReport check_with_cpu(const MatmulProblem& problem, const Matrix& result,
                           const MachineConfig& config, unsigned threads) {
  CheckReport report;
  report.reference = "cpu";
  report.bit_exact = true;
  report.elements = result.rows() * result.cols();
  if (result.type() == ElementType::kInt32) {
    for_each_row_range(result, [&](ResultRows rows) {
      compare_int32(matmul_int32(problem, rows, threads), result, rows, report);
    });
  } else {
    const FloatComparison comparison(problem, result, config);
    for_each_row_range(result, [&](ResultRows rows) {
      comparison.compare(matmul_float64(problem, rows, threads), rows, report);
    });
  }
  return report;
}

}  // namespace weft::runtime
