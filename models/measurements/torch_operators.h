// The products and convolutions among the operators of PyTorch, with their sizes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/measurements/measurement.h"

namespace weft::measurements {

/// What a trace with record_shapes=True says about an operator's arguments, one entry for each.
struct TorchArguments {
  std::vector<std::vector<std::int64_t>> dims = {};  // "Input Dims"; empty for what is no tensor
  std::vector<std::string> types = {};               // "Input type"
  std::vector<std::string> concrete = {};            // "Concrete Inputs", such as "[2, 2]"
};

/// True for aten::mm, addmm, bmm, baddbmm, linear, matmul, convolution, and their like.
bool is_product_operator(std::string_view name);

/// The operator's measurement without its runs. Of a product whose arguments are missing or
/// contradict each other, `shape` and `conv` are empty.
///
///   mm [A, B]      addmm [C, A, B]      bmm, baddbmm: a product for each batch
///   linear [x, w]  M: all extents of x but the last; w is [N, K]
///   convolution [x, w]: the product of its im2col matrix for each group. Its stride, padding,
///     dilation and groups are concrete inputs, which old traces lack; then only the operands are
///     known.
Measurement measured_operator(std::string_view name, const TorchArguments& arguments);

}  // namespace weft::measurements
