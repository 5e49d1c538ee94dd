// Compares a result with the CPU reference. int8 products must match bit for bit; float products
// must lie within a bound for rounding errors.
//
// The bound for element (i,j) of a float result holds for any summation order:
//   gamma_n * (|a_i| * |b_j| + |bias_j|) + n * 2^-149,   gamma_n = n*u / (1 - n*u),   u = 2^-24
// Here |.| is the Euclidean norm: by Cauchy-Schwarz, |a_i| * |b_j| is at least the sum of |a*b|. n
// is the largest number of roundings in one result (padded K, the additions of the folds, the
// bias). 2^-149 is the smallest subnormal. Source: Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd ed., section 3.1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/reference/cpu/product/matmul.h"
#include "sim/config/machine_config.h"
#include "sim/memory/matrix.h"

namespace weft::runtime {

struct Mismatch {
  std::uint64_t row = 0;
  std::uint64_t col = 0;
  std::string expected;
  std::string actual;
};

struct CheckReport {
  std::string reference = "none";
  bool bit_exact = false;    // floats: every result equals the rounded reference
  double max_abs_error = 0;  // over finite elements
  double bound = 0;          // floats: the error allowed at the element with the largest one
  std::uint64_t nans = 0;    // elements that are NaN in the result and in the reference
  std::uint64_t elements = 0;
  std::optional<Mismatch> mismatch;

  bool ran() const { return reference != "none"; }
};

/// Compares `result` [M,N] with the product that Eigen computes. The number of roundings depends on
/// the array's shape in `config`.
CheckReport check_with_cpu(const reference::MatmulProblem& problem, const Matrix& result,
                           const MachineConfig& config, unsigned threads);

}  // namespace weft::runtime
