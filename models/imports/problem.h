// Problems of Timeloop: one product or one convolution, as YAML.
//
//   problem:
//     shape: {dimensions: [C, M, R, S, N, P, Q], coefficients: [{name: Wstride, default: 1}]}
//     instance: {C: 64, M: 128, R: 3, S: 3, N: 1, P: 56, Q: 56, Wstride: 1}
//
// A convolution has N images, G groups (1 if there is no such dimension), C channels and M (or K)
// filters of each group, filters of R columns and S rows, and results of P columns and Q rows.
// Wstride and Wdilation go along R and P, Hstride and Hdilation along S and Q. Without M and K it
// is depthwise. A product has the dimensions M, K and N and sums over K. Source:
// timeloop.csail.mit.edu, "Problem".
#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace weft::imports {

/// [M,K] x [K,N].
struct ProductProblem {
  std::uint64_t m = 0;
  std::uint64_t k = 0;
  std::uint64_t n = 0;
  friend bool operator==(const ProductProblem&, const ProductProblem&) = default;
};

/// Without padding: the input is as large as the windows need.
struct ConvProblem {
  std::uint64_t images = 1;
  std::uint64_t channels = 1;  // of all groups
  std::uint64_t filters = 1;   // of all groups
  std::uint64_t groups = 1;
  std::uint64_t input_height = 1;
  std::uint64_t input_width = 1;
  std::uint64_t filter_height = 1;
  std::uint64_t filter_width = 1;
  std::uint64_t stride_height = 1;
  std::uint64_t stride_width = 1;
  std::uint64_t dilation_height = 1;
  std::uint64_t dilation_width = 1;
  friend bool operator==(const ConvProblem&, const ConvProblem&) = default;
};

using Problem = std::variant<ProductProblem, ConvProblem>;

/// Reads the file. Throws InputError with file and line for text that is no YAML, unknown or
/// missing dimensions, values that are no whole numbers or too large, sparse problems, and
/// projections that are not those of the product or convolution.
Problem read_problem(const std::string& file);

}  // namespace weft::imports
