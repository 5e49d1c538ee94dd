#include "compiler/graph/shapes/infer_outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "compiler/graph/one_line.h"
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/inference.h"

namespace weft::graph {
namespace {

enum class AttributeKind : std::uint8_t {
  kInteger,
  kReal,
  kText,
  kIntegers,
  kReals,
  kTexts,
  kTensor
};

constexpr std::array<std::string_view, 7> kKinds = {
    "an integer",        "a number",          "a string", "a list of integers",
    "a list of numbers", "a list of strings", "a tensor"};

// The table lists every attribute that is not an integer. The kind does not depend on the operator,
// except that activation_alpha and activation_beta are lists in recurrent operators.
AttributeKind kind_of(Op op, std::string_view name) {
  struct KindOfAttribute {
    std::string_view name;
    AttributeKind kind;
  };
  constexpr auto kEntries = std::to_array<KindOfAttribute>({
      {"activation", AttributeKind::kText},
      {"activation_alpha", AttributeKind::kReal},
      {"activation_beta", AttributeKind::kReal},
      {"activations", AttributeKind::kTexts},
      {"alpha", AttributeKind::kReal},
      {"auto_pad", AttributeKind::kText},
      {"axes", AttributeKind::kIntegers},
      {"beta", AttributeKind::kReal},
      {"bias", AttributeKind::kReal},
      {"clip", AttributeKind::kReal},
      {"coordinate_transformation_mode", AttributeKind::kText},
      {"cubic_coeff_a", AttributeKind::kReal},
      {"dilations", AttributeKind::kIntegers},
      {"direction", AttributeKind::kText},
      {"epsilon", AttributeKind::kReal},
      {"extrapolation_value", AttributeKind::kReal},
      {"gamma", AttributeKind::kReal},
      {"kernel_shape", AttributeKind::kIntegers},
      {"mode", AttributeKind::kText},
      {"momentum", AttributeKind::kReal},
      {"nearest_mode", AttributeKind::kText},
      {"output_padding", AttributeKind::kIntegers},
      {"output_shape", AttributeKind::kIntegers},
      {"padding_mode", AttributeKind::kText},
      {"pads", AttributeKind::kIntegers},
      {"perm", AttributeKind::kIntegers},
      {"reduction", AttributeKind::kText},
      {"strides", AttributeKind::kIntegers},
      {"value", AttributeKind::kTensor},
  });
  if (has(op, Trait::kRecurrent) && name.starts_with("activation_")) return AttributeKind::kReals;
  const auto entry = std::ranges::find(kEntries, name, &KindOfAttribute::name);
  return entry == kEntries.end() ? AttributeKind::kInteger : entry->kind;
}

std::string range_text(std::size_t least, std::size_t most) {
  if (most == kAnyNumber) return fmt::format("{} or more", least);
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

void expect_count(std::string_view what, std::size_t count, std::size_t least, std::size_t most) {
  if (count >= least && count <= most) return;
  throw InputError(fmt::format("{} {}, not {}", count, what, range_text(least, most)));
}

void check_attributes(const NodeTypes& node, const Signature& rule) {
  for (const auto& [name, value] : node.attributes.entries()) {
    if (std::ranges::find(rule.attributes, name) == rule.attributes.end()) {
      throw InputError(
          fmt::format("attribute {}: the operator has no such attribute", one_line(name)));
    }
    const auto kind = static_cast<std::size_t>(kind_of(node.op, name));
    if (value.index() != kind) {
      throw InputError(fmt::format("attribute {}: must be {}", name, kKinds[kind]));
    }
  }
}

std::string names_of(TypeSet types) {
  std::vector<std::string_view> names;
  for (unsigned i = 0; i <= static_cast<unsigned>(DataType::kBool); ++i) {
    const auto type = static_cast<DataType>(i);
    if ((types & types_of(type)) != 0) names.push_back(to_string(type));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void check_type(const NodeTypes& node, std::size_t i, const InputRule& rule) {
  const DataType type = input(node, i).type;
  if (rule.like == InputRule::kOwnType) {
    if ((rule.types & types_of(type)) != 0) return;
    throw InputError(fmt::format("{}: type {} is not one of {}", input_label(node, i),
                                 to_string(type), names_of(rule.types)));
  }
  if (const DataType other = input(node, rule.like).type; type != other) {
    throw InputError(fmt::format("{}: {}, but {} is {}", input_label(node, i), to_string(type),
                                 input_label(node, rule.like), to_string(other)));
  }
}

void check_inputs(const NodeTypes& node, const Signature& rule) {
  expect_count("inputs", node.inputs.size(), rule.min_inputs, rule.max_inputs);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const bool needed = i < rule.min_inputs || rule.max_inputs == kAnyNumber;
    if (!needed && node.inputs[i] == nullptr) continue;
    check_type(node, i, rule.inputs[std::min(i, rule.inputs.size() - 1)]);
  }
}

}  // namespace

std::vector<ValueType> infer_outputs(const NodeTypes& node) {
  const Signature& rule = signature_of(node.op);
  check_inputs(node, rule);
  expect_count("outputs", node.outputs, 1, rule.max_outputs);
  check_attributes(node, rule);
  std::vector<ValueType> types = rule.infer(node);
  for (const ValueType& type : types) element_count(type.shape);
  types.resize(node.outputs);
  return types;
}

std::vector<ValueType> infer_outputs(const Graph& graph, const Node& node) {
  std::vector<const ValueType*> inputs;
  std::vector<const Tensor*> constants;
  for (const ValueId id : node.inputs) {
    const Value* value = id == kNoValue ? nullptr : &graph.values[id];
    inputs.push_back(value == nullptr ? nullptr : &value->type);
    const bool known = value != nullptr && value->constant.has_value();
    constants.push_back(known ? value->constant->ready() : nullptr);
  }
  return infer_outputs({node.op, node.attributes, inputs, constants, node.outputs.size()});
}

std::vector<ValueType> output_types(const Graph& graph, const Node& node) {
  // The graph has no value, and so no type, for an unused output.
  if (std::ranges::find(node.outputs, kNoValue) != node.outputs.end()) {
    return infer_outputs(graph, node);
  }
  std::vector<ValueType> types;
  for (const ValueId id : node.outputs) types.push_back(graph.type(id));
  return types;
}

}  // namespace weft::graph
