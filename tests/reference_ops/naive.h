// Parts of the oracles: tensors of doubles, read and written by index, as in a textbook. Nothing
// here shares code with the kernels.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/graph/evaluator.h"
#include "models/reference/cpu/evaluate.h"
#include "pe/float_formats.h"

namespace weft::reference {

using graph::Attribute;
using graph::Attributes;
using graph::DataType;
using graph::Half;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueType;

using Index = std::vector<std::int64_t>;

inline std::size_t at(std::int64_t d) {
  return static_cast<std::size_t>(d);
}

inline std::int64_t volume(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

/// The row-major position of `index`.
inline std::size_t position(const Shape& shape, const Index& index) {
  std::int64_t result = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) result = result * shape[d] + index[d];
  return static_cast<std::size_t>(result);
}

/// The index at `position`.
inline Index index_at(const Shape& shape, std::int64_t position) {
  Index index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; position /= shape[d]) index[d] = position % shape[d];
  return index;
}

struct Naive {
  Shape shape;
  std::vector<double> values;

  explicit Naive(Shape extents)
      : shape(std::move(extents)), values(static_cast<std::size_t>(volume(shape))) {}
  Naive(Shape extents, std::vector<double> elements)
      : shape(std::move(extents)), values(std::move(elements)) {}
  /// Sets every element to value(index).
  Naive(Shape extents, const std::function<double(const Index&)>& value)
      : Naive(std::move(extents)) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = value(index_at(shape, static_cast<std::int64_t>(i)));
    }
  }

  double operator()(const Index& index) const { return values[position(shape, index)]; }
  /// The element at an index of a larger shape, by NumPy's broadcasting.
  double broadcast(const Index& index) const {
    Index own(shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) {
      own[d] = shape[d] == 1 ? 0 : index[index.size() - shape.size() + d];
    }
    return (*this)(own);
  }
};

template <class T>
double to_double(T element) {
  if constexpr (std::is_same_v<T, Half>) {
    return static_cast<double>(to_float(Fp16{element.bits}));
  } else {
    return static_cast<double>(element);
  }
}

/// Converts `value` to an element; the tests use only values that T holds.
template <class T>
T from_double(double value) {
  if constexpr (std::is_same_v<T, Half>) {
    return {to_fp16(value).bits};
  } else {
    return static_cast<T>(value);
  }
}

/// Converts `naive` to a tensor; elements are rounded to `type`.
inline Tensor to_tensor(DataType type, const Naive& naive) {
  return graph::with_type(type, [&]<class T>(T) {
    Tensor result(type, naive.shape);
    const auto out = result.mutable_data<T>();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = from_double<T>(naive.values[i]);
    return result;
  });
}

inline Naive to_naive(const Tensor& tensor) {
  Naive result(tensor.shape());
  graph::with_type(tensor.type(), [&]<class T>(T) {
    const auto in = tensor.data<T>();
    for (std::size_t i = 0; i < in.size(); ++i) result.values[i] = to_double(in[i]);
  });
  return result;
}

/// Calls the operator with outputs of the given types.
inline std::vector<Tensor> call(Op op, const std::vector<const Tensor*>& inputs,
                                const std::vector<ValueType>& outputs,
                                const Attributes& attributes = {}) {
  return evaluate({op, attributes, inputs, outputs});
}

inline Tensor call(Op op, const std::vector<const Tensor*>& inputs, const ValueType& output,
                   const Attributes& attributes = {}) {
  return call(op, inputs, std::vector<ValueType>{output}, attributes).at(0);
}

/// Expects equal tensors; NaNs equal each other.
inline void expect_equal(const Tensor& tensor, DataType type, const Naive& expected,
                         const std::string& what = "") {
  ASSERT_EQ(tensor.value_type(), (ValueType{type, expected.shape})) << what;
  const Naive given = to_naive(tensor);
  for (std::size_t i = 0; i < given.values.size(); ++i) {
    if (std::isnan(given.values[i]) && std::isnan(expected.values[i])) continue;
    ASSERT_EQ(given.values[i], expected.values[i]) << what << ", element " << i;
  }
}

/// Random shapes and elements from a seed; a failing test prints the seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : trace_(__FILE__, __LINE__, seed_text(seed)), bits_(seed) {}

  /// Uniform in [low, high].
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    const auto span = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<std::int64_t>(bits_() % span);
  }
  bool coin() { return integer(0, 1) == 1; }
  /// Uniform in [low, high), in steps of 2^-40 of the span.
  double real(double low, double high) {
    return low + (high - low) * static_cast<double>(bits_() >> 24) * 0x1p-40;
  }

  Shape shape(std::int64_t max_rank, std::int64_t min_extent = 1, std::int64_t max_extent = 5) {
    Shape result(static_cast<std::size_t>(integer(0, max_rank)));
    for (std::int64_t& extent : result) extent = integer(min_extent, max_extent);
    return result;
  }
  /// A shape that broadcasts to `shape`: some extents are 1, some leading ones dropped.
  Shape broadcastable(const Shape& shape) {
    const auto rank = static_cast<std::int64_t>(shape.size());
    Shape result(shape.begin() + integer(0, rank), shape.end());
    for (std::int64_t& extent : result) {
      if (coin()) extent = 1;
    }
    return result;
  }
  /// Small integers; every type but bool holds them (for uint8 from 0 on).
  Naive integers(const Shape& shape, std::int64_t low, std::int64_t high) {
    return {shape, [&](const Index&) { return static_cast<double>(integer(low, high)); }};
  }
  Naive reals(const Shape& shape, double low, double high) {
    return {shape, [&](const Index&) { return real(low, high); }};
  }

 private:
  static std::string seed_text(std::uint64_t seed) { return "seed " + std::to_string(seed); }

  testing::ScopedTrace trace_;
  std::mt19937_64 bits_;
};

inline constexpr std::array kNumberTypes = {
    DataType::kFloat16, DataType::kFloat32, DataType::kFloat64, DataType::kInt8,
    DataType::kUint8,   DataType::kInt32,   DataType::kInt64};
inline constexpr std::array kFloatTypes = {DataType::kFloat16, DataType::kFloat32,
                                           DataType::kFloat64};
inline constexpr std::array kAllTypes = {DataType::kFloat16, DataType::kFloat32, DataType::kFloat64,
                                         DataType::kInt8,    DataType::kUint8,   DataType::kInt32,
                                         DataType::kInt64,   DataType::kBool};

inline Tensor list(const std::vector<std::int64_t>& values) {
  return Tensor::vector<std::int64_t>(values);
}

}  // namespace weft::reference
