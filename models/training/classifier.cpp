#include "models/training/classifier.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/printable.h"
#include "models/data/fingerprint.h"

namespace weft::training {
namespace {

using graph::Graph;
using graph::ValueId;

bool is_float_batch(const graph::ValueType& type) {
  return type.type == graph::DataType::kFloat32 && type.shape.size() >= 2;
}

/// The input of the Softmax that makes the output; the output itself if there is no Softmax.
ValueId logits_of(const Graph& network) {
  const ValueId output = network.outputs.front().value;
  const std::size_t producer = graph::producers(network)[output];
  if (producer == graph::kNoProducer) return output;
  const graph::Node& node = network.nodes[producer];
  return node.op == graph::Op::kSoftmax ? node.inputs.front() : output;
}

void add(data::Fingerprint& sum, const graph::ValueType& type) {
  sum.add(to_string(type.type));
  sum.add(std::as_bytes(std::span(type.shape)));
}

}  // namespace

ClassifierShape classifier_shape(const Graph& network) {
  if (network.inputs.size() != 1 || network.outputs.size() != 1) {
    throw InputError(fmt::format("has {} inputs and {} outputs; a network to train has one of each",
                                 network.inputs.size(), network.outputs.size()));
  }
  const graph::Value& input = network.values[network.inputs.front()];
  const graph::ValueType& output = network.type(network.outputs.front().value);
  if (!is_float_batch(input.type)) {
    throw InputError(fmt::format("input {} is {}; images are float32 [batch, ...]",
                                 printable(input.name), to_string(input.type)));
  }
  if (!is_float_batch(output) || output.shape.size() != 2 ||
      output.shape.front() != input.type.shape.front()) {
    throw InputError(fmt::format("output {} is {}; a classifier gives float32 {}x[classes]",
                                 printable(network.outputs.front().name), to_string(output),
                                 input.type.shape.front()));
  }
  return {input.name, input.type.shape, network.outputs.front().name, output.shape[0],
          output.shape[1]};
}

PassGraph evaluation_graph(Graph network, const std::vector<std::string>& learnt) {
  network.outputs.front().value = logits_of(network);
  for (ValueId id = 0; id < network.values.size(); ++id) {
    graph::Value& value = network.values[id];
    if (!value.constant || std::ranges::find(learnt, value.name) == learnt.end()) continue;
    value.constant.reset();
    network.inputs.push_back(id);
  }
  return {PassKind::kEvaluation, std::move(network), learnt};
}

std::uint64_t fingerprint(const Graph& network) {
  data::Fingerprint sum;
  sum.add(to_text(network));
  for (const graph::Node& node : network.nodes) {
    sum.add(std::as_bytes(std::span(node.inputs)));
    sum.add(std::as_bytes(std::span(node.outputs)));
  }
  for (const graph::Value& value : network.values) {
    add(sum, value.type);
    if (value.constant) sum.add(value.constant->tensor().bytes());
  }
  return sum.value();
}

}  // namespace weft::training
