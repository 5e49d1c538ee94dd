#include "compiler/graph/shapes/inference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"
#include "compiler/graph/one_line.h"

namespace weft::graph {
namespace {

[[noreturn]] void refuse_shape(const NodeTypes& node, std::size_t i, std::string_view expected) {
  throw InputError(fmt::format("{}: the shape is {}, not {}", input_label(node, i),
                               to_string(shape_of(node, i)), expected));
}

}  // namespace

std::string input_label(const NodeTypes& node, std::size_t i) {
  const auto& rules = signature_of(node.op).inputs;
  return fmt::format("input {} ({})", i, rules[std::min(i, rules.size() - 1)].name);
}

const ValueType& input(const NodeTypes& node, std::size_t i) {
  const ValueType* type = optional_input(node, i);
  if (type == nullptr) throw InputError(fmt::format("{} is missing", input_label(node, i)));
  return *type;
}

const Tensor& known(const NodeTypes& node, std::size_t i) {
  const Tensor* tensor = i < node.constants.size() ? node.constants[i] : nullptr;
  if (tensor == nullptr) {
    throw InputError(
        fmt::format("{} must be known before the network runs; if it depends on inputs, give "
                    "them with --input NAME=FILE",
                    input_label(node, i)));
  }
  return *tensor;
}

std::vector<double> known_reals(const NodeTypes& node, std::size_t i) {
  const Tensor& tensor = known(node, i);
  std::vector<double> result;
  with_type(tensor.type(), [&]<class T>(T) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      for (const T element : tensor.data<T>()) result.push_back(static_cast<double>(element));
    } else {
      throw InputError(fmt::format("{}: {} is not supported here", input_label(node, i),
                                   to_string(tensor.type())));
    }
  });
  return result;
}

std::vector<std::int64_t> known_list(const NodeTypes& node, std::size_t i) {
  expect_rank(node, i, 1, 1);
  return to_int64(known(node, i));
}

void expect_shape(const NodeTypes& node, std::size_t i, const Shape& shape) {
  const ValueType* type = optional_input(node, i);
  if (type != nullptr && type->shape != shape) refuse_shape(node, i, to_string(shape));
}

void expect_rank(const NodeTypes& node, std::size_t i, std::size_t least, std::size_t most) {
  const ValueType* type = optional_input(node, i);
  if (type == nullptr || (type->shape.size() >= least && type->shape.size() <= most)) return;
  if (least == most) refuse_shape(node, i, fmt::format("of rank {}", least));
  if (most == kAnyNumber) refuse_shape(node, i, fmt::format("of rank {} or more", least));
  refuse_shape(node, i, fmt::format("of rank {} to {}", least, most));
}

void expect_scalar(const NodeTypes& node, std::size_t i) {
  const ValueType* type = optional_input(node, i);
  if (type == nullptr || type->shape.empty() || type->shape == Shape{1}) return;
  refuse_shape(node, i, "scalar");
}

void expect_scalar_or_list(const NodeTypes& node, std::size_t i, std::int64_t channels) {
  const ValueType* type = optional_input(node, i);
  if (type == nullptr || type->shape.empty() || type->shape == Shape{1}) return;
  if (type->shape != Shape{channels}) {
    refuse_shape(node, i, fmt::format("scalar or {}", channels));
  }
}

void expect_broadcastable_to(const NodeTypes& node, std::size_t i, const Shape& shape) {
  const ValueType* type = optional_input(node, i);
  if (type != nullptr && broadcast(type->shape, shape) != shape) {
    refuse_shape(node, i, fmt::format("one that broadcasts to {}", to_string(shape)));
  }
}

std::int64_t required_integer(const NodeTypes& node, std::string_view name) {
  if (!node.attributes.has(name)) throw InputError(fmt::format("attribute {} is missing", name));
  return node.attributes.integer(name, 0);
}

void expect_one_of(const Attributes& attributes, std::string_view name, std::string_view otherwise,
                   std::initializer_list<std::string_view> known) {
  const std::string value = attributes.text(name, otherwise);
  if (std::ranges::find(known, value) != known.end()) return;
  throw InputError(fmt::format("attribute {}: '{}' is not supported; known are {}", name,
                               one_line(value), fmt::join(known, ", ")));
}

}  // namespace weft::graph
