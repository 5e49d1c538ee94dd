// Arithmetic on constants at compile time. What is derived from constants that are made on demand
// is made on demand too: a pass never makes the weights of a network that nobody runs.
//
// Floating-point elements are read as binary64 and written with one rounding to their own type.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "compiler/graph/constant.h"
#include "compiler/graph/tensor.h"

namespace weft::passes {

/// Returns a tensor of the derived constant's type from its sources.
using Derivation = std::function<graph::Tensor(std::span<const graph::Tensor> sources)>;

/// `make` of the sources' elements, of type `type`: at once if all of them exist, else when asked.
graph::Constant derive(graph::ValueType type, std::vector<graph::Constant> sources,
                       Derivation make);

/// The elements of a float16, float32 or float64 tensor.
std::vector<double> real_values(const graph::Tensor& tensor);
/// The tensor of type `type`, a floating-point one, with `values` rounded to nearest even.
graph::Tensor real_tensor(const graph::ValueType& type, std::span<const double> values);
/// The only element of a floating-point tensor that has one.
double real_scalar(const graph::Tensor& tensor);

/// The same elements under another shape.
graph::Constant reshaped(const graph::Constant& constant, graph::Shape shape);
/// The elements of a list [n] over a tensor of type `type`, whose element i is the list's element
/// i / inner mod n. Throws InputError if there is no memory for it.
graph::Constant spread(const graph::Constant& list, graph::ValueType type, std::int64_t inner);
/// A matrix [a,b] turned into [b,a]; elements of any type.
graph::Constant transposed(const graph::Constant& matrix);

/// Which channel each element of a weight tensor belongs to: `inner` neighbours share it,
/// `channels` follow each other `repeats` times, and each further group has `channels` of its own.
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
