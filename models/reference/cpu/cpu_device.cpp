#include "models/reference/cpu/cpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/infer_outputs.h"
#include "compiler/graph/shapes/signature.h"
#include "models/reference/cpu/evaluate.h"
#include "models/reference/cpu/tensor_ops/convert.h"

namespace weft::reference {

using graph::DataType;
using graph::kNoValue;
using graph::Node;
using graph::Tensor;
using graph::ValueId;
using graph::ValueType;

namespace {

// Whether the operator may have float64 as input `i`.
bool takes_float64(graph::Op op, std::size_t i) {
  const graph::InputRules& rules = graph::signature_of(op).inputs;
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

CpuDevice::CpuDevice(const graph::Graph& graph, CpuDeviceOptions options)
    : graph_(graph), options_(options), values_(graph.values.size()) {}

bool CpuDevice::keeps(ValueId id) const {
  return graph_.is_constant(id) ? options_.keep_constants : options_.keep_values;
}

DataType CpuDevice::held_type(DataType type) const {
  return options_.double_precision && graph::is_float(type) ? DataType::kFloat64 : type;
}

Tensor CpuDevice::in_held_type(const Tensor& tensor) const {
  return tensor_ops::convert_tensor(tensor, held_type(tensor.type()));
}

void CpuDevice::set(ValueId id, const Tensor& tensor) {
  values_[id] = in_held_type(tensor);
}

Tensor CpuDevice::get(ValueId id) {
  if (values_[id]) return *values_[id];
  return in_held_type(graph_.values[id].constant.value().tensor());
}

/// The value of an operand. Only a constant can be missing: it is made at its first use.
const Tensor& CpuDevice::value(ValueId id) {
  if (!values_[id]) values_[id] = get(id);
  return *values_[id];
}

std::map<ValueId, Tensor> CpuDevice::take_values() {
  std::map<ValueId, Tensor> taken;
  for (ValueId id = 0; id < values_.size(); ++id) {
    if (!values_[id] || graph_.is_constant(id)) continue;
    taken.emplace(id, *std::move(values_[id]));
    values_[id].reset();
  }
  return taken;
}

void CpuDevice::run(const Node& node, const execution::Observer& observer) {
  std::vector<Tensor> tensors = results(node);
  if (observer) observer(node, tensors);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (node.outputs[i] != kNoValue) values_[node.outputs[i]] = std::move(tensors[i]);
  }
}

/// Input `i` of the node, in a type that its operator takes.
Tensor CpuDevice::operand(const Node& node, std::size_t i) {
  const Tensor& tensor = value(node.inputs[i]);
  if (tensor.type() != DataType::kFloat64 || takes_float64(node.op, i)) return tensor;
  return tensor_ops::convert_tensor(tensor, graph_.type(node.inputs[i]).type);
}

std::vector<Tensor> CpuDevice::results(const Node& node) {
  std::vector<Tensor> operands;
  operands.reserve(node.inputs.size());  // the pointers stay valid
  std::vector<const Tensor*> inputs(node.inputs.size(), nullptr);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (node.inputs[i] != kNoValue) inputs[i] = &operands.emplace_back(operand(node, i));
  }
  std::vector<ValueType> types = graph::output_types(graph_, node);
  for (ValueType& type : types) type.type = held_type(type.type);
  std::vector<Tensor> tensors = evaluate({node.op, node.attributes, inputs, types});
  for (Tensor& tensor : tensors) tensor = in_held_type(tensor);
  check_results(tensors, types);
  return tensors;
}

}  // namespace weft::reference
