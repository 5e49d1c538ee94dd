// Shared by the operator tests: calls of one operator, and random tensors.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "compiler/graph/evaluator.h"

namespace weft::reference {

using graph::Attributes;
using graph::DataType;
using graph::Op;
using graph::Shape;
using graph::Tensor;

using Generator = std::mt19937_64;
using Ints = std::vector<std::int64_t>;

/// One input; nullopt if an optional input is left out.
using OptionalTensor = std::optional<Tensor>;

/// Returns the first `count` outputs of the operator and expects the inferred types.
std::vector<Tensor> run(Op op, const Attributes& attributes,
                        const std::vector<OptionalTensor>& inputs, std::size_t count = 1);

/// Uniform from low to high, both included.
std::int64_t between(Generator& generator, std::int64_t low, std::int64_t high);

/// Integers from low to high, both included, as T.
template <class T>
Tensor random_integers(Generator& generator, const Shape& shape, std::int64_t low,
                       std::int64_t high) {
  std::vector<T> values(static_cast<std::size_t>(graph::element_count(shape)));
  for (T& value : values) value = static_cast<T>(between(generator, low, high));
  return Tensor::of(shape, values);
}

/// Any value of an integer type.
template <class T>
Tensor random_bytes(Generator& generator, const Shape& shape) {
  return random_integers<T>(generator, shape, std::numeric_limits<T>::min(),
                            std::numeric_limits<T>::max());
}

/// Multiples of 2^-20 in [-1, 1].
template <class T = float>
Tensor random_reals(Generator& generator, const Shape& shape) {
  std::vector<T> values(static_cast<std::size_t>(graph::element_count(shape)));
  for (T& value : values) {
    value = static_cast<T>(between(generator, -(1 << 20), 1 << 20)) / T{1 << 20};
  }
  return Tensor::of(shape, values);
}

/// The elements as double; all types but float16.
std::vector<double> values(const Tensor& tensor);

/// All coordinates of `shape` in row-major order.
std::vector<Ints> coordinates(const Shape& shape);
/// The element number of the coordinates `at`.
std::size_t offset(const Shape& shape, const Ints& at);

/// `head`, then `tail`.
Shape joined(Shape head, const Shape& tail);

/// Unit roundoff of binary32.
inline constexpr double kUnit = 0x1p-24;

}  // namespace weft::reference
