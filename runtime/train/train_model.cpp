#include "runtime/train/train_model.h"

#include <optional>

#include "base/error.h"
#include "compiler/autodiff/training_graph.h"
#include "compiler/onnx/export.h"
#include "compiler/onnx/import.h"
#include "models/networks/networks.h"
#include "models/reference/cpu/evaluate.h"

namespace weft::runtime {
namespace {

using graph::Graph;

/// The network at this batch. nullopt: at the batch that an ONNX file fixes.
Graph network_at(const TrainRequest& request, std::optional<std::int64_t> batch) {
  if (request.is_file) {
    return onnx_io::import_onnx(request.model, {.evaluate = reference::evaluate, .batch = batch});
  }
  return networks::build_network(request.model, {.batch = batch.value_or(1), .seed = request.seed});
}

/// The network at this batch; nullopt if it cannot have this batch.
std::optional<Graph> possible_network_at(const TrainRequest& request, std::int64_t batch) {
  try {
    return network_at(request, batch);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

Graph load_train_network(const TrainRequest& request) {
  if (request.batch) return network_at(request, request.batch);
  if (auto network = possible_network_at(request, kDefaultBatch)) return *std::move(network);
  return network_at(request, std::nullopt);
}

std::string trained_onnx(const TrainRequest& request, const training::NamedTensors& values) {
  const auto bytes_of = [&](const Graph& network, bool open) {
    return onnx_io::to_onnx_bytes(autodiff::with_values(network, values), {.open_batch = open});
  };
  const auto one = possible_network_at(request, 1);
  const auto two = possible_network_at(request, 2);
  if (!one) return bytes_of(load_train_network(request), false);
  if (!two) return bytes_of(*one, false);
  std::string open = bytes_of(*one, true);
  return open == bytes_of(*two, true) ? open : bytes_of(*one, false);
}

}  // namespace weft::runtime
