#include "runtime/workload/network_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

#include "base/error.h"
#include "base/printable.h"
#include "compiler/onnx/import.h"
#include "models/networks/networks.h"
#include "models/reference/cpu/evaluate.h"

namespace weft::runtime {
namespace {

namespace fs = std::filesystem;

}  // namespace

bool names_file(const std::string& model) {
  std::error_code error;
  return model.ends_with(".onnx") || (fs::exists(model, error) && !fs::is_directory(model, error));
}

graph::Graph load_network(const NetworkRequest& request, const NamedTensors& values) {
  if (!request.is_file) {
    return networks::build_network(request.model, {.batch = request.batch.value_or(1),
                                                   .sequence = request.sequence,
                                                   .kv_cache = request.kv_cache});
  }
  return onnx_io::import_onnx(request.model, {.shapes = request.shapes,
                                              .values = values,
                                              .evaluate = reference::evaluate,
                                              .batch = request.batch});
}

void require_computation(const NetworkRequest& request, const graph::Graph& graph) {
  if (!graph.nodes.empty()) return;
  throw InputError(request.model +
                   ": has no node that computes anything: its outputs are inputs or constants");
}

std::int64_t batch_of(const NetworkRequest& request, const graph::Graph& graph) {
  if (request.batch) return *request.batch;
  if (!request.is_file || graph.inputs.empty()) return 1;
  const graph::Shape& shape = graph.type(graph.inputs.front()).shape;
  return shape.size() > 1 ? std::max<std::int64_t>(shape.front(), 1) : 1;
}

}  // namespace weft::runtime
