// Arithmetic on constants at compile time. A constant that is derived from one made on demand is
// also made on demand. So a pass never makes the weights of a network that is not run.
//
// Functions read floating-point elements as binary64 and round results once to the element type.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "compiler/graph/constant.h"
#include "compiler/graph/tensor.h"

namespace weft::passes {

/// Computes the tensor of a derived constant from its sources.
using Derivation = std::function<graph::Tensor(std::span<const graph::Tensor> sources)>;

/// The constant `make`(sources), of type `type`. It is computed at once if all sources are in
/// memory, else on demand.
graph::Constant derive(graph::ValueType type, std::vector<graph::Constant> sources,
                       Derivation make);

/// The elements of a float16, float32 or float64 tensor.
std::vector<double> real_values(const graph::Tensor& tensor);
/// A tensor of `values`, rounded to nearest even. `type` must be floating-point.
graph::Tensor real_tensor(const graph::ValueType& type, std::span<const double> values);
/// The element of a floating-point tensor with exactly one element.
double real_scalar(const graph::Tensor& tensor);

/// The same elements with another shape.
graph::Constant reshaped(const graph::Constant& constant, const graph::Shape& shape);
/// A tensor of type `type` with the elements of a list [n]: element i is the list's element
/// (i / inner) mod n. Throws InputError if it does not fit in memory.
graph::Constant spread(const graph::Constant& list, const graph::ValueType& type,
                       std::int64_t inner);
/// The transpose [b,a] of a matrix [a,b]; elements of any type.
graph::Constant transposed(const graph::Constant& matrix);

/// The channel of each element of a weight tensor. `inner` neighboring elements share a channel.
/// The sequence of `channels` channels occurs `repeats` times. The next group of filters then has
/// the next `channels` channels.
///
///   Conv [M, C/g, k]           inner = C/g*k, channels = M, repeats = 1
///   ConvTranspose [C, M/g, k]  inner = k, channels = M/g, repeats = C/g
///   MatMul, Gemm [K, N]        inner = 1, channels = N, repeats = K
///   Gemm [N, K] transposed     inner = K, channels = N, repeats = 1
struct ChannelLayout {
  std::int64_t inner = 1;
  std::int64_t channels = 1;
  std::int64_t repeats = 1;

  std::size_t channel(std::size_t element) const {
    const std::size_t row = element / static_cast<std::size_t>(inner);
    const auto width = static_cast<std::size_t>(channels);
    return row % width + width * (row / (width * static_cast<std::size_t>(repeats)));
  }
};

}  // namespace weft::passes
