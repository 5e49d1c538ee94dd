#include "models/networks/sample_inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "models/counter_random.h"
#include "models/networks/digits.h"
#include "pe/float_formats.h"

namespace weft::networks {
namespace {

using graph::DataType;
using graph::Graph;
using graph::Half;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using graph::ValueType;

/// First random stream of the inputs. Lower streams are for weights and digits.
constexpr std::uint64_t kFirstInputStream = std::uint64_t{1} << 48U;

bool is_digit_batch(const Shape& shape) {
  return !shape.empty() && (shape == Shape{shape[0], kDigitSize * kDigitSize} ||
                            shape == Shape{shape[0], 1, kDigitSize, kDigitSize});
}

Tensor reals(const Shape& shape, const CounterRandom& random, std::uint64_t seed) {
  if (is_digit_batch(shape)) return draw_digits(shape[0], seed).images.reshaped(shape);
  Tensor tensor(DataType::kFloat32, shape);
  random.fill(tensor.mutable_data<float>(), 0, std::sqrt(3.0F));
  return tensor;
}

/// The number of table rows that the values of `input` select from; 1 if no Gather uses them.
std::int64_t table_rows(const Graph& graph, ValueId input) {
  std::int64_t rows = std::numeric_limits<std::int64_t>::max();
  bool gathers = false;
  for (const graph::Node& node : graph.nodes) {
    if (node.op != graph::Op::kGather || node.input(1) != input) continue;
    const Shape& table = graph.type(node.inputs[0]).shape;
    const std::int64_t axis = graph::normalized_axis(node.attributes.integer("axis", 0),
                                                     static_cast<std::int64_t>(table.size()));
    rows = std::min(rows, table[static_cast<std::size_t>(axis)]);
    gathers = true;
  }
  return gathers ? std::max<std::int64_t>(rows, 1) : 1;
}

template <class T>
T converted(float value) {
  if constexpr (std::is_same_v<T, Half>) {
    return {to_fp16(value).bits};
  } else {
    return static_cast<T>(value);
  }
}

template <class T>
Tensor converted(const Tensor& source) {
  Tensor tensor(graph::data_type_of<T>(), source.shape());
  std::ranges::transform(source.data<float>(), tensor.mutable_data<T>().begin(),
                         [](float value) { return converted<T>(value); });
  return tensor;
}

/// Bytes are quantized images and take any value. Longer integers are numbers of table rows.
template <class T>
Tensor integers(const Shape& shape, std::int64_t rows, const CounterRandom& random) {
  Tensor tensor(graph::data_type_of<T>(), shape);
  const std::uint64_t bound = sizeof(T) == 1 ? 256 : static_cast<std::uint64_t>(rows);
  std::uint64_t draw = 0;
  for (T& value : tensor.mutable_data<T>()) value = static_cast<T>(random.below(draw++, bound));
  return tensor;
}

Tensor sample(const Graph& graph, ValueId input, std::uint64_t stream, std::uint64_t seed) {
  const ValueType& type = graph.type(input);
  const CounterRandom random(seed, kFirstInputStream + stream);
  return graph::with_type(type.type, [&](auto element) {
    using T = decltype(element);
    if constexpr (std::is_same_v<T, bool>) {
      return Tensor(type);
    } else if constexpr (std::is_integral_v<T>) {
      return integers<T>(type.shape, table_rows(graph, input), random);
    } else if constexpr (std::is_same_v<T, float>) {
      return reals(type.shape, random, seed);
    } else {
      return converted<T>(reals(type.shape, random, seed));
    }
  });
}

}  // namespace

std::map<std::string, Tensor> sample_inputs(const Graph& graph, std::uint64_t seed) {
  std::map<std::string, Tensor> tensors;
  for (std::uint64_t i = 0; i < graph.inputs.size(); ++i) {
    const ValueId input = graph.inputs[i];
    tensors.emplace(graph.values[input].name, sample(graph, input, i, seed));
  }
  return tensors;
}

}  // namespace weft::networks
