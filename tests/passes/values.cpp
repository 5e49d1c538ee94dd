#include "tests/passes/values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace weft::passes::testing {

namespace {

Tensor random_tensor(const ValueType& type, Random& random) {
  if (type.type == DataType::kFloat32) return random_floats(random, type.shape);
  if (type.type == DataType::kInt8) return random_int8(random, type.shape);
  Tensor tensor(type);
  for (std::byte& byte : tensor.mutable_bytes()) byte = static_cast<std::byte>(random() & 0xFF);
  return tensor;
}

constexpr int kRuns = 3;

}  // namespace

NamedTensors random_inputs(const Graph& graph, Random& random) {
  NamedTensors inputs;
  for (const ValueId id : graph.inputs) {
    inputs.emplace(graph.values[id].name, random_tensor(graph.type(id), random));
  }
  return inputs;
}

Tensor run(const Graph& graph, const NamedTensors& inputs) {
  return reference::run_graph(graph, inputs).at("y");
}

double largest_difference(const Tensor& a, const Tensor& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.data<float>().size(); ++i) {
    const double difference =
        static_cast<double>(a.data<float>()[i]) - static_cast<double>(b.data<float>()[i]);
    largest = std::max(largest, std::abs(difference));
  }
  return largest;
}

double largest(const Tensor& tensor) {
  return largest_difference(tensor, Tensor(tensor.value_type()));
}

void expect_same_bits(const Graph& before, const Graph& after, Random& random) {
  for (int i = 0; i < kRuns; ++i) {
    const NamedTensors inputs = random_inputs(before, random);
    EXPECT_EQ(run(before, inputs), run(after, inputs)) << ops(before) << "\n=> " << ops(after);
  }
}

void expect_close(const Graph& before, const Graph& after, Random& random, double bound) {
  for (int i = 0; i < kRuns; ++i) {
    const NamedTensors inputs = random_inputs(before, random);
    const Tensor expected = run(before, inputs);
    const Tensor found = run(after, inputs);
    ASSERT_EQ(expected.shape(), found.shape());
    EXPECT_LE(largest_difference(expected, found), bound * largest(expected))
        << ops(before) << "\n=> " << ops(after);
  }
}

}  // namespace weft::passes::testing
