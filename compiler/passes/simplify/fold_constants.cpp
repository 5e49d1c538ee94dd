#include "compiler/passes/simplify/fold_constants.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/graph/operator_table.h"
#include "compiler/passes/rewrite/constants.h"
#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {

using graph::kNoValue;
using graph::Node;
using graph::Tensor;
using graph::ValueId;
using graph::ValueType;

namespace {

/// The elements of the inputs; nullopt if those of one input are not in memory.
std::optional<std::vector<const Tensor*>> ready_inputs(const Rewriter& rewriter, const Node& node) {
  std::vector<const Tensor*> inputs;
  for (const ValueId input : node.inputs) {
    inputs.push_back(rewriter.ready(input));
    if (input != kNoValue && inputs.back() == nullptr) return std::nullopt;
  }
  return inputs;
}

std::optional<std::vector<ValueType>> small_outputs(const Rewriter& rewriter, const Node& node) {
  std::vector<ValueType> types;
  for (const ValueId output : node.outputs) {
    if (output == kNoValue) return std::nullopt;  // the graph has no type for it
    types.push_back(rewriter.type(output));
    if (graph::element_count(types.back().shape) > kLargestFolded) return std::nullopt;
  }
  return types;
}

std::vector<Tensor> evaluated(const graph::Evaluator& evaluate, const Node& node,
                              std::span<const Tensor* const> inputs,
                              std::span<const ValueType> outputs) {
  try {
    return evaluate({node.op, node.attributes, inputs, outputs});
  } catch (const InputError& error) {
    throw InputError(graph::node_label(node) + ": " + error.what());
  }
}

bool fold(Rewriter& rewriter, const Node& node, const graph::Evaluator& evaluate) {
  const auto inputs = ready_inputs(rewriter, node);
  const auto types = small_outputs(rewriter, node);
  if (!inputs || !types) return false;
  std::vector<Tensor> results = evaluated(evaluate, node, *inputs, *types);
  for (std::size_t i = 0; i < results.size(); ++i) {
    rewriter.become(node.outputs[i], std::move(results[i]));
  }
  return true;
}

/// True for operators that rearrange elements. Identity disappears without a copy.
bool moves_elements(graph::Op op) {
  return has(op, graph::Trait::kView) && op != graph::Op::kIdentity;
}

/// Makes the node's output a constant made on demand, if the node only rearranges constants.
bool defer(Rewriter& rewriter, const Node& node, const graph::Evaluator& evaluate) {
  if (!moves_elements(node.op) || node.outputs.size() != 1) return false;
  std::vector<graph::Constant> sources;
  for (const ValueId input : node.inputs) {
    const graph::Constant* constant = rewriter.constant(input);
    if (constant == nullptr) return false;
    sources.push_back(*constant);
  }
  const ValueType type = rewriter.type(node.outputs[0]);
  rewriter.become(
      node.outputs[0],
      derive(type, std::move(sources), [node, type, evaluate](std::span<const Tensor> made) {
        std::vector<const Tensor*> inputs;
        for (const Tensor& each : made) {
          inputs.push_back(&each);
        }
        return evaluated(evaluate, node, inputs, {&type, 1}).front();
      }));
  return true;
}

}  // namespace

graph::Graph fold_constants(graph::Graph graph, const graph::Evaluator& evaluate,
                            FoldDequantize dequantize) {
  return rewrite(std::move(graph), [&](Rewriter& rewriter, const Node& node) {
    const bool kept = node.op == graph::Op::kDequantizeLinear && dequantize == FoldDequantize::kNo;
    return !kept && (fold(rewriter, node, evaluate) || defer(rewriter, node, evaluate));
  });
}

}  // namespace weft::passes
