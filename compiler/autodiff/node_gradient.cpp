#include "compiler/autodiff/node_gradient.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "compiler/graph/shapes/infer_outputs.h"
#include "compiler/passes/rewrite/constants.h"

namespace weft::autodiff {

using graph::kNoValue;

NodeGradient::NodeGradient(graph::Builder& builder, const ForwardNode& step,
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
  if (shape(gradient) != shape(input(i))) {
    refuse(fmt::format("the gradient of input {} has shape {} instead of {}; is an extent 0?", i,
                       graph::to_string(shape(gradient)), graph::to_string(shape(input(i)))));
  }
  given_[i] = gradient;
}

void NodeGradient::refuse(const std::string& what) const {
  throw InputError(fmt::format("{}: training: {}", graph::node_label(node_), what));
}

void NodeGradient::expect_unfused(std::size_t most_inputs) const {
  if (node_.inputs.size() <= most_inputs && !attributes().has("activation")) return;
  refuse("it is a fused node; give the network before the fusing passes");
}

const graph::Tensor* NodeGradient::ready(std::size_t i) const {
  const std::optional<graph::Constant>& constant = builder().graph().values[input(i)].constant;
  return constant ? constant->ready() : nullptr;
}

Ints NodeGradient::known(std::size_t i) const {
  const graph::Tensor* tensor = ready(i);
  if (tensor == nullptr) refuse(fmt::format("input {} must be known before the run", i));
  return graph::to_int64(*tensor);
}

std::optional<std::int64_t> NodeGradient::known_integer(std::size_t i) const {
  const graph::Tensor* tensor = ready(i);
  if (tensor == nullptr || tensor->size() != 1) return std::nullopt;
  return graph::to_int64(*tensor)[0];
}

std::optional<double> NodeGradient::known_number(std::size_t i) const {
  const graph::Tensor* tensor = ready(i);
  if (tensor == nullptr || tensor->size() != 1 || !graph::is_float(tensor->type())) {
    return std::nullopt;
  }
  return passes::real_scalar(*tensor);
}

std::vector<graph::ValueType> NodeGradient::output_types() const {
  return graph::output_types(builder().graph(), node_);
}

}  // namespace weft::autodiff
