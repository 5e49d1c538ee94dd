#include "compiler/mapping/bound/vector_demand.h"

#include "compiler/graph/operator_table.h"
#include "compiler/mapping/bound/demand.h"

namespace weft::compiler {

using graph::Node;
using graph::Trait;
using graph::ValueId;

double VectorDemand::lanes(const Node& node) {
  const double all = elements_of(graph_, node.outputs.front());
  const auto [lanes, pass] = written(node, all);
  for (const ValueId output : node.outputs) {
    if (output != graph::kNoValue) passes_[output] = pass;
  }
  return lanes;
}

PassLeft VectorDemand::pass_of(ValueId value) const {
  const auto found = passes_.find(value);
  return found == passes_.end() ? PassLeft::kNone : found->second;
}

PassLeft VectorDemand::pass_of_first(const Node& node) const {
  return node.inputs.empty() ? PassLeft::kNone : pass_of(node.inputs.front());
}

/// The pass of an operand that has an element for each of the result's; free if one is.
PassLeft VectorDemand::pass_of_operands(const Node& node, double all) const {
  PassLeft best = PassLeft::kNone;
  for (const ValueId input : node.inputs) {
    if (input == graph::kNoValue || elements_of(graph_, input) != all) continue;
    const PassLeft pass = pass_of(input);
    if (pass == PassLeft::kFunctionFree) return pass;
    if (pass == PassLeft::kFunctionUsed) best = pass;
  }
  return best;
}

VectorDemand::Written VectorDemand::written(const Node& node, double all) const {
  const graph::Traits traits = graph::operator_of(node.op).traits;
  if (traits.has(Trait::kContraction)) {
    const bool function = node.attributes.has("activation");
    return {0, function ? PassLeft::kFunctionUsed : PassLeft::kFunctionFree};
  }
  if (traits.has(Trait::kFunction)) {
    return {pass_of_first(node) == PassLeft::kFunctionFree ? 0 : all, PassLeft::kFunctionUsed};
  }
  if (traits.has(Trait::kBinary)) {
    const PassLeft pass = pass_of_operands(node, all);
    if (pass == PassLeft::kNone) return {all, PassLeft::kFunctionFree};
    return {0, pass};
  }
  // The exponentials and their quotients cannot be one pass: every sum lies between them.
  if (traits.has(Trait::kSoftmaxLike)) {
    return {pass_of_first(node) == PassLeft::kFunctionFree ? all : 2 * all,
            PassLeft::kFunctionFree};
  }
  // What is normalized must be known whole before the first result.
  if (traits.has(Trait::kNormalization)) return {all, PassLeft::kFunctionFree};
  if (traits.has(Trait::kView) || traits.has(Trait::kMovesNothing)) return {0, pass_of_first(node)};
  return {0, PassLeft::kFunctionFree};
}

}  // namespace weft::compiler
