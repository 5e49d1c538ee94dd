#include "compiler/passes/rewrite/constants.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "pe/float_formats.h"

namespace weft::passes {

using graph::Constant;
using graph::DataType;
using graph::Half;
using graph::Tensor;

namespace {

template <class T>
double to_double(T element) {
  return static_cast<double>(element);
}
double to_double(Half element) {
  return static_cast<double>(to_float(Fp16{element.bits}));
}

template <class T>
T rounded(double value) {
  if constexpr (std::is_same_v<T, Half>) {
    return Half{to_fp16(value).bits};
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
std::vector<double> read(const Tensor& tensor) {
  std::vector<double> values(static_cast<std::size_t>(tensor.size()));
  std::ranges::transform(tensor.data<T>(), values.begin(), [](T x) { return to_double(x); });
  return values;
}

template <class T>
void write(Tensor& tensor, std::span<const double> values) {
  std::ranges::transform(values, tensor.mutable_data<T>().begin(), rounded<T>);
}

Tensor transposed_tensor(const Tensor& matrix) {
  const auto rows = static_cast<std::size_t>(matrix.shape()[0]);
  const auto columns = static_cast<std::size_t>(matrix.shape()[1]);
  const std::size_t size = graph::size_bytes(matrix.type());
  Tensor result(matrix.type(), {matrix.shape()[1], matrix.shape()[0]});
  const std::span<const std::byte> from = matrix.bytes();
  const std::span<std::byte> to = result.mutable_bytes();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      std::memcpy(&to[(c * rows + r) * size], &from[(r * columns + c) * size], size);
    }
  }
  return result;
}

}  // namespace

Constant derive(graph::ValueType type, std::vector<Constant> sources, Derivation make) {
  const auto is_ready = [](const Constant& source) { return source.ready() != nullptr; };
  const bool at_once = std::ranges::all_of(sources, is_ready);
  auto made = [sources = std::move(sources), make = std::move(make)] {
    std::vector<Tensor> tensors;
    for (const Constant& source : sources) tensors.push_back(source.tensor());
    return make(tensors);
  };
  if (at_once) return made();
  return {std::move(type), std::move(made)};
}

std::vector<double> real_values(const Tensor& tensor) {
  if (tensor.type() == DataType::kFloat16) return read<Half>(tensor);
  if (tensor.type() == DataType::kFloat32) return read<float>(tensor);
  return read<double>(tensor);
}

Tensor real_tensor(const graph::ValueType& type, std::span<const double> values) {
  Tensor tensor(type);
  assert(static_cast<std::size_t>(tensor.size()) == values.size());
  if (type.type == DataType::kFloat16) write<Half>(tensor, values);
  if (type.type == DataType::kFloat32) write<float>(tensor, values);
  if (type.type == DataType::kFloat64) write<double>(tensor, values);
  return tensor;
}

double real_scalar(const Tensor& tensor) {
  assert(tensor.size() == 1);
  return real_values(tensor).front();
}

Constant reshaped(const Constant& constant, const graph::Shape& shape) {
  graph::ValueType type{constant.type().type, shape};
  return derive(std::move(type), {constant},
                [shape](std::span<const Tensor> sources) { return sources[0].reshaped(shape); });
}

Constant spread(const Constant& list, const graph::ValueType& type, std::int64_t inner) {
  return derive(type, {list}, [type, inner](std::span<const Tensor> sources) {
    Tensor result(type);
    const std::size_t size = graph::size_bytes(type.type);
    const std::span<const std::byte> from = sources[0].bytes();
    const std::span<std::byte> to = result.mutable_bytes();
    for (std::size_t i = 0; i < to.size() / size; ++i) {
      const std::size_t index = i / static_cast<std::size_t>(inner) % (from.size() / size);
      std::memcpy(&to[i * size], &from[index * size], size);
    }
    return result;
  });
}

Constant transposed(const Constant& matrix) {
  const graph::Shape& shape = matrix.type().shape;
  return derive({matrix.type().type, {shape[1], shape[0]}}, {matrix},
                [](std::span<const Tensor> sources) { return transposed_tensor(sources[0]); });
}

}  // namespace weft::passes
