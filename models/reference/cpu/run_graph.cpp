#include "models/reference/cpu/run_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/error.h"
#include "compiler/graph/operator_table.h"
#include "models/reference/cpu/evaluate.h"
#include "models/reference/cpu/tensor_ops/convert.h"

namespace weft::reference {
namespace {

using graph::DataType;
using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Tensor;
using graph::ValueId;
using graph::ValueType;
using tensor_ops::convert_tensor;

// Whether the operator may have float64 as input `i`.
bool takes_float64(graph::Op op, std::size_t i) {
  const graph::InputRules& rules = graph::operator_of(op).inputs;
  const graph::InputRule* rule = &rules[std::min(i, rules.size() - 1)];
  while (rule->like != graph::InputRule::kOwnType) rule = &rules[rule->like];
  return (rule->types & graph::types_of(DataType::kFloat64)) != 0;
}

void check_results(const std::vector<Tensor>& results, const std::vector<ValueType>& types) {
  if (results.size() != types.size()) {
    throw InputError(fmt::format("gave {} outputs, not {}", results.size(), types.size()));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].value_type() == types[i]) continue;
    throw InputError(fmt::format("output {} is {}, not {}", i, to_string(results[i].value_type()),
                                 to_string(types[i])));
  }
}

}  // namespace

// The values of one run.
class GraphRunner::Run {
 public:
  explicit Run(GraphRunner& runner)
      : graph_(runner.graph_),
        options_(runner.options_),
        kept_(runner.constants_),
        uses_left_(runner.use_counts_),
        values_(runner.graph_.values.size()) {}

  NamedTensors operator()(const NamedTensors& inputs) {
    take_inputs(inputs);
    for (const Node& node : graph_.nodes) run(node);
    NamedTensors outputs;
    for (const graph::Output& output : graph_.outputs) {
      outputs.insert_or_assign(output.name, value(output.value));
    }
    return outputs;
  }

 private:
  void take_inputs(const NamedTensors& inputs) {
    check_names(graph_, inputs);
    for (const ValueId id : graph_.inputs) {
      const graph::Value& value = graph_.values[id];
      const Tensor& given = given_input(graph_, value, inputs);
      if (given.value_type() != value.type && given.value_type() != own_type(value.type)) {
        throw_wrong_input(graph_, value, given);
      }
      values_[id] = in_own_type(given);
    }
  }

  // The type that a value has in this run.
  DataType own_type(DataType type) const {
    return options_.double_precision && graph::is_float(type) ? DataType::kFloat64 : type;
  }
  ValueType own_type(const ValueType& type) const { return {own_type(type.type), type.shape}; }
  Tensor in_own_type(const Tensor& tensor) const {
    return convert_tensor(tensor, own_type(tensor.type()));
  }

  const Tensor& value(ValueId id) {
    std::optional<Tensor>& tensor =
        options_.keep_constants && graph_.is_constant(id) ? kept_[id] : values_[id];
    // Only a constant can be missing: it is made at its first use.
    if (!tensor) tensor = in_own_type(graph_.values[id].constant.value().tensor());
    return *tensor;
  }

  void run(const Node& node) {
    std::vector<Tensor> tensors = named_results(node);
    if (options_.observer) options_.observer(node, tensors);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const ValueId id = node.outputs[i];
      if (id != kNoValue && uses_left_[id] > 0) values_[id] = std::move(tensors[i]);
    }
    for (const ValueId id : node.inputs) {
      if (id != kNoValue && --uses_left_[id] == 0) values_[id].reset();
    }
  }

  std::vector<Tensor> named_results(const Node& node) {
    try {
      return results(node);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", node_label(node), error.what()));
    } catch (const std::bad_alloc&) {
      throw InputError(node_label(node) + ": not enough memory for its result");
    }
  }

  // Input `i` of the node, in a type that its operator takes.
  Tensor operand(const Node& node, std::size_t i) {
    const Tensor& tensor = value(node.inputs[i]);
    if (tensor.type() != DataType::kFloat64 || takes_float64(node.op, i)) return tensor;
    return convert_tensor(tensor, graph_.type(node.inputs[i]).type);
  }

  std::vector<Tensor> results(const Node& node) {
    std::vector<Tensor> operands;
    operands.reserve(node.inputs.size());  // the pointers stay valid
    std::vector<const Tensor*> inputs(node.inputs.size(), nullptr);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (node.inputs[i] != kNoValue) inputs[i] = &operands.emplace_back(operand(node, i));
    }
    const std::vector<ValueType> types = output_types(node);
    std::vector<Tensor> tensors = evaluate({node.op, node.attributes, inputs, types});
    for (Tensor& tensor : tensors) tensor = in_own_type(tensor);
    check_results(tensors, types);
    return tensors;
  }

  std::vector<ValueType> output_types(const Node& node) const {
    std::vector<ValueType> types = graph::output_types(graph_, node);
    for (ValueType& type : types) type = own_type(type);
    return types;
  }

  const Graph& graph_;
  const RunGraphOptions& options_;
  std::vector<std::optional<Tensor>>& kept_;
  std::vector<std::size_t> uses_left_;
  std::vector<std::optional<Tensor>> values_;
};

GraphRunner::GraphRunner(const graph::Graph& graph, RunGraphOptions options)
    : graph_(graph),
      options_(std::move(options)),
      use_counts_(graph::use_counts(graph)),
      constants_(graph.values.size()) {}

NamedTensors GraphRunner::run(const NamedTensors& inputs) {
  return Run(*this)(inputs);
}

NamedTensors run_graph(const graph::Graph& graph, const NamedTensors& inputs,
                       RunGraphOptions options) {
  return GraphRunner(graph, std::move(options)).run(inputs);
}

}  // namespace weft::reference
