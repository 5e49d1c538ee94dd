// Compares a result with the CPU reference: int8 bit for bit, floats within what their roundings
// can amount to.
//
// The bound for element (i,j) of a float result is that of any summation order:
//   gamma_n * (|a_i| * |b_j| + |bias_j|) + n * 2^-149,   gamma_n = n*u / (1 - n*u),   u = 2^-24
// with |.| the Euclidean norm (by Cauchy-Schwarz at least the sum of |a*b|), n the roundings that
// one result can meet (padded K, the additions of the folds, the bias) and 2^-149 the smallest
// subnormal. Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "models/reference/cpu/product/matmul.h"
#include "sim/config/machine_config.h"
#include "sim/memory/matrix.h"

namespace weft::cli {

struct Mismatch {
  std::uint64_t row = 0;
  std::uint64_t col = 0;
  std::string expected;
  std::string actual;
};

struct CheckReport {
  std::string reference = "none";
  bool bit_exact = false;    // floats: every result is the rounded reference
  double max_abs_error = 0;  // over finite elements
  std::optional<Mismatch> mismatch;

  bool ran() const { return reference != "none"; }
};

/// Compares `result` [M,N] with the problem computed by Eigen. `config` gives the array's shape, on
/// which the number of roundings depends.
CheckReport check_with_cpu(const reference::MatmulProblem& problem, const Matrix& result,
                           const MachineConfig& config, unsigned threads);

}  // namespace weft::cli
