#include "tests/passes/networks.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace weft::passes::testing {

Tensor random_floats(Random& random, Shape shape, float low, float high) {
  std::uniform_real_distribution<float> values(low, high);
  Tensor tensor(DataType::kFloat32, std::move(shape));
  for (float& element : tensor.mutable_data<float>()) element = values(random);
  return tensor;
}

Tensor random_int8(Random& random, Shape shape, int low, int high) {
  std::uniform_int_distribution<int> values(low, high);
  Tensor tensor(DataType::kInt8, std::move(shape));
  for (std::int8_t& element : tensor.mutable_data<std::int8_t>()) {
    element = static_cast<std::int8_t>(values(random));
  }
  return tensor;
}

Constant lazy(Tensor tensor, int* made) {
  const ValueType type = tensor.value_type();
  return {type, [tensor = std::move(tensor), made] {
            ++*made;
            return tensor;
          }};
}

ValueId input(Builder& builder, Shape shape, std::string name) {
  return builder.input(std::move(name), {DataType::kFloat32, std::move(shape)});
}

ValueId batch_norm(Builder& builder, Random& random, ValueId x, std::int64_t channels) {
  const ValueId scale = builder.constant(random_floats(random, {channels}, 0.5F, 2));
  const ValueId beta = builder.constant(random_floats(random, {channels}));
  const ValueId mean = builder.constant(random_floats(random, {channels}));
  const ValueId variance = builder.constant(random_floats(random, {channels}, 0.25F, 4));
  return builder.add(Op::kBatchNormalization, {x, scale, beta, mean, variance},
                     {{"epsilon", 0.01F}});
}

Graph finish(Builder& builder, ValueId value) {
  builder.output(value, "y");
  return builder.finish();
}

std::size_t count(const Graph& graph, Op op) {
  return static_cast<std::size_t>(
      std::ranges::count_if(graph.nodes, [op](const Node& node) { return node.op == op; }));
}

std::string ops(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes) {
    if (!text.empty()) text += ' ';
    text += graph::to_string(node.op);
  }
  return text;
}

const Node& find(const Graph& graph, Op op) {
  const auto node = std::ranges::find(graph.nodes, op, &Node::op);
  if (node == graph.nodes.end()) throw std::runtime_error("no such node");
  return *node;
}

}  // namespace weft::passes::testing
