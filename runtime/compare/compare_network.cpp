#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "compiler/onnx/located.h"
#include "models/networks/count.h"
#include "models/reference/cpu/run_graph.h"
#include "runtime/compare/compare_job.h"
#include "runtime/compare/device_names.h"
#include "runtime/compare/imported/imports.h"
#include "runtime/compare/measured_device.h"
#include "runtime/compare/modelled.h"
#include "runtime/compare/network_products.h"
#include "runtime/compare/simulated.h"
#include "runtime/compile.h"
#include "runtime/workload/network_inputs.h"
#include "runtime/workload/token_work.h"
#include "runtime/workload/values_memory.h"
#include "sim/config/config_keys.h"

namespace weft::runtime {
namespace {

/// Limit for computing the network in float64, which takes seconds at most.
constexpr std::uint64_t kMostMacsWithValues = std::uint64_t{1} << 36U;

bool needs_values(const DeviceRequest& request) {
  return request.kind == RowKind::kMeasured;
}

class NetworkComparison {
 public:
  NetworkComparison(const CompareJob& job, graph::Graph graph)
      : job_(job), graph_(std::move(graph)), macs_(networks::count_macs(graph_)) {
    if (macs_ == 0) {
      throw InputError("has no matrix products to compare devices by");
    }
    const bool measured = std::ranges::any_of(job.devices, needs_values);
    with_values_ = macs_ <= kMostMacsWithValues && weights_fit(graph_);
    if (measured && !with_values_) {
      throw InputError(
          "is too large to measure several times; choose a smaller batch, or leave the measured "
          "devices out");
    }
    quantized_ = is_quantized(graph_);
  }

  /// Throws InputError if the network does not fit a modelled device's memory.
  void check_fits(const DeviceRequest& request) const {
    if (request.modelled == nullptr) return;
    for_device(request, [&] { check_network_fits(with_format(request), graph_); });
  }

  CompareRow row(const DeviceRequest& request, const std::function<void(double)>& progress) {
    CompareRow row = for_device(request, [&] { return row_of(request, progress); });
    row.device = request.name;
    row.price_per_hour = request.price_per_hour;
    if (job_.energy) add_board_energy(row, request);
    return row;
  }

  double flop() const { return 2 * static_cast<double>(macs_); }
  const graph::Graph& graph() const { return graph_; }

 private:
  CompareRow row_of(const DeviceRequest& request, const std::function<void(double)>& progress) {
    if (request.modelled != nullptr) return modelled_row(request);
    if (request.kind == RowKind::kMeasured) {
      const MeasuredDevice device = open_measured_device(request.device);
      const auto format = request.format.value_or(device.formats.front());
      check_format(request.device, format, device.formats);
      return device.network(format, values());
    }
    return simulate_network(request, graph_, flop(), with_values_ ? &values() : nullptr, progress);
  }

  /// A quantized network uses int8 where the device has it, unless the user asked for another
  /// format.
  bool becomes_int8(const DeviceRequest& request) const {
    return quantized_ && !request.format &&
           request.modelled->multiplies(devices::NumberFormat::kInt8);
  }

  DeviceRequest with_format(DeviceRequest request) const {
    if (becomes_int8(request)) request.format = devices::NumberFormat::kInt8;
    return request;
  }

  CompareRow modelled_row(const DeviceRequest& request) {
    CompareRow row = model_network_row(with_format(request), prepared(), flop());
    if (becomes_int8(request)) row.basis += "; int8, as the network is quantized";
    return row;
  }

  const graph::Graph& prepared() {
    if (!prepared_) {
      MachineConfig config = load_preset("tpu-v2");
      config.dtype = quantized_ ? ElementType::kInt8 : ElementType::kBf16;
      prepared_ = prepare_network(graph_, config, nullptr).graph;
    }
    return *prepared_;
  }

  const MeasuredNetwork& values() {
    if (values_) return *values_;
    inputs_ = network_inputs(graph_, {}, job_.seed, false);
    exact_ = reference::run_graph(graph_, inputs_, {.double_precision = true});
    return values_.emplace(MeasuredNetwork{graph_, inputs_, exact_, flop()});
  }

  const CompareJob& job_;
  graph::Graph graph_;
  std::uint64_t macs_ = 0;
  bool with_values_ = false;
  bool quantized_ = false;
  NamedTensors inputs_;
  NamedTensors exact_;
  std::optional<graph::Graph> prepared_;
  std::optional<MeasuredNetwork> values_;
};

/// Checks everything that can be checked before the first run.
void check_devices(const CompareJob& job) {
  for (const DeviceRequest& request : job.devices) {
    if (request.kind != RowKind::kMeasured) continue;
    const MeasuredDevice device = open_measured_device(request.device);
    if (request.format) check_format(request.device, *request.format, device.formats);
  }
}

/// What the memory's rate allows; nullopt if it is not known or transfers take no time.
std::optional<double> least_seconds(const TokenWork& work, const DeviceRequest& request) {
  if (request.machine) return work.memory_seconds(*request.machine);
  if (request.modelled == nullptr) return std::nullopt;
  const devices::DeviceModel& device = *request.modelled;
  const auto elements = static_cast<double>(work.weights + work.cached);
  return elements * devices::operand_bytes(request.format.value_or(device.usual)) /
         (device.memory_gb_per_s * 1e9);
}

/// Tokens a second, of prompts or decoded. Layers on the host take more time than the row has.
void add_tokens(CompareRow& row, const TokenWork& work, const DeviceRequest& request) {
  if (!row.seconds || *row.seconds == 0) return;
  const auto tokens = static_cast<double>(work.tokens);
  row.details["tokens_per_second"] = tokens / *row.seconds;
  const bool on_host = row.details.value("host_layers", 0) > 0;
  row.basis += fmt::format("; {}{}", on_host ? "at most " : "", token_rate(tokens / *row.seconds));
  if (const auto least = least_seconds(work, request)) {
    row.details["memory_tokens_per_second"] = tokens / *least;
    row.basis += fmt::format("; the memory allows {}", token_rate(tokens / *least));
  }
}

}  // namespace

CompareReport compare_network(const CompareJob& job, const std::function<void(double)>& progress) {
  check_devices(job);
  const NetworkRequest& request = *job.network;
  graph::Graph graph = load_network(request);
  require_computation(request, graph);
  check_inputs_fit(request.model, graph);
  Imports imports(job.measured, job.in_order);
  CompareReport report;
  report.energy = job.energy;
  report.price = job.price;
  report.network = {
      request.model, batch_of(request, graph), request.sequence, request.kv_cache, {}};
  onnx_io::located(request.model, [&] {
    const std::optional<TokenWork> tokens = token_work(request, graph);
    NetworkComparison comparison(job, std::move(graph));
    for (const DeviceRequest& device : job.devices) comparison.check_fits(device);
    report.flop = comparison.flop();
    report.network->products = network_products(comparison.graph());
    std::vector<CompareRow> imported =
        imports.network(*report.network, comparison.graph(), report.flop);
    for (const DeviceRequest& device : job.devices) {
      const auto done = static_cast<double>(report.rows.size());
      const auto all = static_cast<double>(job.devices.size());
      const auto part = [&](double share) { progress((done + share) / all); };
      report.rows.push_back(comparison.row(device, part));
      report.rows.back().results = static_cast<double>(report.network->batch);
      if (tokens) add_tokens(report.rows.back(), *tokens, device);
      part(1);
    }
    for (CompareRow& row : imported) {
      row.price_per_hour = job.price_of_all;
      report.rows.push_back(std::move(row));
    }
  });
  tell_apart(report);
  report.imports = imports.summaries();
  return report;
}

}  // namespace weft::runtime
