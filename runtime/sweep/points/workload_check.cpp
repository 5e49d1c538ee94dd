#include "runtime/sweep/points/workload_check.h"

#include <algorithm>

#include "base/parse_number.h"
#include "runtime/workload/run_options.h"

namespace weft::sweep {
namespace {

std::optional<std::int64_t> first_batch(const Request& request) {
  const auto batch = std::ranges::find(request.axes, "batch", &Axis::name);
  if (batch == request.axes.end() || batch->values.empty()) return std::nullopt;
  return static_cast<std::int64_t>(parse_number(batch->values.front(), "--batch", 1, 65536));
}

void check_network(Workload& workload, const std::optional<std::int64_t>& batch) {
  runtime::NetworkRequest network = std::get<runtime::NetworkRequest>(workload.shape);
  if (batch) network.batch = batch;
  const graph::Graph graph = runtime::load_network(network);
  runtime::require_computation(network, graph);
  if (network.is_file && !network.batch) workload.batch = runtime::batch_of(network, graph);
}

}  // namespace

void check_workloads(Request& request) {
  const std::optional<std::int64_t> batch = first_batch(request);
  for (Workload& workload : request.workloads) {
    if (const auto* conv = std::get_if<runtime::ConvSpec>(&workload.shape)) {
      // Only the sizes can be wrong, which are the same in every format.
      runtime::conv_graph(*conv, ElementType::kInt8, runtime::kDefaultSeed);
    } else if (std::holds_alternative<runtime::NetworkRequest>(workload.shape)) {
      check_network(workload, batch);
    }
  }
}

}  // namespace weft::sweep
