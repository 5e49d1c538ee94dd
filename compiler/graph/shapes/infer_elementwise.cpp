// Operators whose output elements depend on the input elements at the same position.
#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "compiler/graph/shapes/inference.h"

namespace weft::graph {
namespace {

Shape broadcast_inputs(const NodeTypes& node) {
  Shape shape;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) shape = broadcast(shape, shape_of(node, i));
  return shape;
}

// The numbers are from TensorProto.DataType in onnx.proto.
std::optional<DataType> from_onnx_number(std::int64_t number) {
  switch (number) {
    case 1:
      return DataType::kFloat32;
    case 2:
      return DataType::kUint8;
    case 3:
      return DataType::kInt8;
    case 6:
      return DataType::kInt32;
    case 7:
      return DataType::kInt64;
    case 9:
      return DataType::kBool;
    case 10:
      return DataType::kFloat16;
    case 11:
      return DataType::kFloat64;
    default:
      return std::nullopt;
  }
}

}  // namespace

ValueTypes infer_unary(const NodeTypes& node) {
  return {input(node, 0)};
}

ValueTypes infer_prelu(const NodeTypes& node) {
  expect_broadcastable_to(node, 1, shape_of(node, 0));
  return infer_unary(node);
}

ValueTypes infer_clip(const NodeTypes& node) {
  expect_scalar(node, 1);
  expect_scalar(node, 2);
  return infer_unary(node);
}

ValueTypes infer_cast(const NodeTypes& node) {
  const std::int64_t number = required_integer(node, "to");
  const std::optional<DataType> type = from_onnx_number(number);
  if (!type) {
    throw InputError(fmt::format("attribute to: element type {} is not supported", number));
  }
  return {{*type, shape_of(node, 0)}};
}

ValueTypes infer_dropout(const NodeTypes& node) {
  expect_scalar(node, 1);
  expect_scalar(node, 2);
  if (optional_input(node, 2) != nullptr && known(node, 2).bytes()[0] != std::byte{0}) {
    throw InputError("input 2 (training_mode): training is not supported");
  }
  return {input(node, 0), {DataType::kBool, shape_of(node, 0)}};
}

ValueTypes infer_broadcast(const NodeTypes& node) {
  return {{input(node, 0).type, broadcast_inputs(node)}};
}

ValueTypes infer_mod(const NodeTypes& node) {
  if (is_float(input(node, 0).type) && node.attributes.integer("fmod", 0) == 0) {
    throw InputError("attribute fmod: must be 1 for floating-point numbers");
  }
  return infer_broadcast(node);
}

ValueTypes infer_truths(const NodeTypes& node) {
  return {{DataType::kBool, shape_of(node, 0)}};
}

ValueTypes infer_comparison(const NodeTypes& node) {
  return {{DataType::kBool, broadcast_inputs(node)}};
}

ValueTypes infer_where(const NodeTypes& node) {
  return {{input(node, 1).type, broadcast_inputs(node)}};
}

}  // namespace weft::graph
