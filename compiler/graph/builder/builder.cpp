#include "compiler/graph/builder/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "compiler/graph/one_line.h"
#include "compiler/graph/shapes/infer_outputs.h"
#include "compiler/graph/shapes/slice.h"

namespace weft::graph {
namespace {

// The builder does not compute a node with more output elements than this. Folding here is meant
// for shapes; it must not duplicate a network's weights.
constexpr std::int64_t kMostFoldedElements = 65'536;

bool is_small(const std::vector<ValueType>& types) {
  std::int64_t room = kMostFoldedElements;
  for (const ValueType& type : types) {
    const std::int64_t count = element_count(type.shape);
    if (count > room) return false;
    room -= count;
  }
  return true;
}

[[noreturn]] void refuse(std::string_view what, const std::string& name, std::string_view why) {
  throw InputError(fmt::format("{} '{}': {}", what, one_line(name), why));
}

void expect_shape_of(std::string_view what, const std::string& name, const ValueType& type) {
  try {
    element_count(type.shape);
  } catch (const InputError& error) {
    refuse(what, name, error.what());
  }
}

std::string first_name(const std::vector<std::string>& names) {
  const auto name = std::ranges::find_if(names, [](const auto& each) { return !each.empty(); });
  return name == names.end() ? std::string() : *name;
}

Tensor shape_tensor(const Attributes& attributes, const Shape& shape) {
  const auto [begin, end] = shape_range(attributes, static_cast<std::int64_t>(shape.size()));
  return Tensor::vector(Shape(shape.begin() + begin, shape.begin() + end));
}

void expect_types(const std::vector<Tensor>& tensors, const std::vector<ValueType>& types) {
  if (tensors.size() != types.size()) {
    throw InputError(
        fmt::format("computed {} outputs where {} are expected", tensors.size(), types.size()));
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (tensors[i].value_type() == types[i]) continue;
    throw InputError(fmt::format("computed output {} as {} where {} is expected", i,
                                 to_string(tensors[i].value_type()), to_string(types[i])));
  }
}

}  // namespace

Builder::Builder(std::string name, Evaluator evaluate) : evaluate_(std::move(evaluate)) {
  graph_.name = std::move(name);
}

ValueId Builder::input(std::string name, ValueType type) {
  if (name.empty()) throw InputError("an input of the graph has no name");
  if (names_.contains(name)) refuse("input", name, "the name is taken");
  expect_shape_of("input", name, type);
  graph_.inputs.push_back(new_value(std::move(name), std::move(type)));
  return graph_.inputs.back();
}

ValueId Builder::constant(Constant constant, std::string name) {
  name = unique(name.empty() ? "constant" : name);
  expect_shape_of("constant", name, constant.type());
  const ValueId id = new_value(std::move(name), constant.type());
  graph_.values[id].constant = std::move(constant);
  return id;
}

ValueId Builder::add(Op op, std::vector<ValueId> inputs, Attributes attributes, std::string name) {
  if (name.empty()) name = unique(to_string(op));
  std::vector<std::string> output_names = {name};
  return add(op, std::move(inputs), std::move(attributes), std::move(name), output_names).front();
}

std::vector<ValueId> Builder::add(Op op, std::vector<ValueId> inputs, Attributes attributes,
                                  std::string name, const std::vector<std::string>& output_names) {
  if (name.empty()) name = first_name(output_names);
  if (name.empty()) name = unique(to_string(op));
  Node node{op, std::move(name), std::move(inputs), {}, std::move(attributes)};
  node.outputs.assign(output_names.size(), kNoValue);
  try {
    const std::vector<ValueType> types = infer(node);
    std::vector<ValueId> results;
    if (fold(node, types, output_names, results)) return results;
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (!output_names[i].empty()) node.outputs[i] = new_value(unique(output_names[i]), types[i]);
    }
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", node_label(node), error.what()));
  }
  graph_.nodes.push_back(std::move(node));
  return graph_.nodes.back().outputs;
}

void Builder::output(ValueId value, std::string name) {
  if (value >= graph_.values.size()) refuse("output", name, "is not a value of the graph");
  if (!output_names_.insert(name).second) refuse("output", name, "the name is taken");
  graph_.outputs.push_back({std::move(name), value});
}

void Builder::rename(ValueId value, const std::string& name) {
  std::string& own = graph_.values[value].name;
  names_.erase(own);
  own = unique(name);
  names_.insert(own);
}

Graph Builder::finish() {
  return std::move(graph_);
}

std::vector<ValueType> Builder::infer(const Node& node) const {
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] != kNoValue && node.inputs[i] >= graph_.values.size()) {
      throw InputError(fmt::format("input {} is not a value of the graph", i));
    }
  }
  return infer_outputs(graph_, node);
}

bool Builder::fold(const Node& node, const std::vector<ValueType>& types,
                   const std::vector<std::string>& names, std::vector<ValueId>& results) {
  std::vector<Tensor> tensors;
  if (node.op == Op::kShape) {
    tensors = {shape_tensor(node.attributes, graph_.type(node.inputs[0]).shape)};
  } else {
    std::vector<const Tensor*> inputs;
    // passes::fuse_qdq needs DequantizeLinear nodes to find the integer weights.
    if (node.op == Op::kDequantizeLinear) return false;
    if (!evaluate_ || !ready_inputs(node, inputs) || !is_small(types)) return false;
    tensors = evaluate_({node.op, node.attributes, inputs, types});
    expect_types(tensors, types);
  }
  results.assign(names.size(), kNoValue);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!names[i].empty()) results[i] = constant(std::move(tensors[i]), names[i]);
  }
  return true;
}

bool Builder::ready_inputs(const Node& node, std::vector<const Tensor*>& inputs) const {
  for (const ValueId id : node.inputs) {
    const bool left_out = id == kNoValue;
    if (!left_out && !graph_.is_constant(id)) return false;
    inputs.push_back(left_out ? nullptr : graph_.values[id].constant->ready());
    if (!left_out && inputs.back() == nullptr) return false;
  }
  return true;
}

ValueId Builder::new_value(std::string name, ValueType type) {
  names_.insert(name);
  graph_.values.push_back({std::move(name), std::move(type)});
  return static_cast<ValueId>(graph_.values.size() - 1);
}

// Does not reserve the name; new_value() does.
std::string Builder::unique(std::string_view stem) {
  std::string name(stem);
  while (names_.contains(name)) name = fmt::format("{}_{}", stem, ++made_up_);
  return name;
}

}  // namespace weft::graph
