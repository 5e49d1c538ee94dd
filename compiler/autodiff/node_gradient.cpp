#include "compiler/autodiff/node_gradient.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "compiler/graph/printable.h"
#include "sim/config/error.h"

namespace weft::autodiff {

using graph::kNoValue;

NodeGradient::NodeGradient(graph::Builder& builder, const Step& step,
                           const std::vector<bool>& needed, std::vector<ValueId> output_gradients)
    : Emitter(builder, "gradient/" + step.node.name),
      node_(step.node),
      saved_(step.saved),
      needed_(needed),
      output_gradients_(std::move(output_gradients)),
      given_(step.node.inputs.size(), kNoValue) {}

bool NodeGradient::needs(std::size_t i) const {
  return input(i) != kNoValue && needed_[input(i)];
}

void NodeGradient::give(std::size_t i, ValueId gradient) {
  if (!needs(i)) return;
  assert(shape(gradient) == shape(input(i)));
  given_[i] = gradient;
}

void NodeGradient::refuse(const std::string& what) const {
  throw InputError(fmt::format("{}: training: {}", graph::node_label(node_), what));
}

Ints NodeGradient::known(std::size_t i) const {
  const std::optional<graph::Constant>& constant = builder().graph().values[input(i)].constant;
  const graph::Tensor* tensor = constant ? constant->ready() : nullptr;
  if (tensor == nullptr) refuse(fmt::format("input {} must be known before the run", i));
  return graph::to_int64(*tensor);
}

}  // namespace weft::autodiff
