#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/figures.h"
#include "models/networks/count.h"
#include "runtime/job/one_layer.h"
#include "sim/config/config_keys.h"

namespace weft::report {
namespace {

/// False for a program that does not say what it computes.
bool is_known(const RunReport& report) {
  return !report.is_product() || report.product().spec;
}

/// True if other rows of the sheet stay.
bool is_part(const compiler::Spill& spill) {
  return spill.size.rows < spill.whole_rows;
}

}  // namespace

RunReport describe_product(std::string command, const Program& program,
                           const std::optional<TilingPlan>& plan, Result result) {
  RunReport report;
  report.command = std::move(command);
  report.part = ProductPart{program.computes, plan, result.array_span, result.span_ledger, {}};
  report.run = runtime::one_layer_run(program, plan, std::move(result));
  return report;
}

void show(RunReport& report, runtime::ShownRun& shown) {
  report.run.timelines = {std::move(shown.result.timeline)};
  if (!shown.note.empty()) report.notes.push_back(shown.note);
}

RunReport describe_network(std::string command, std::string name, std::int64_t batch,
                           const graph::Graph& graph) {
  RunReport report;
  report.command = std::move(command);
  NetworkPart& part = report.part.emplace<NetworkPart>();
  part.name = std::move(name);
  part.batch = batch;
  for (const graph::ValueId input : graph.inputs) part.inputs.push_back(graph.values[input]);
  part.parameters = networks::count_parameters(graph);
  part.macs = networks::count_macs(graph);
  return report;
}

std::string run_title(const RunReport& report) {
  std::string text = report.command;
  const ProductPart* product = std::get_if<ProductPart>(&report.part);
  if (product == nullptr) {
    text += fmt::format(" {}", report.network().name);
  } else if (product->spec) {
    text += fmt::format(" {} x {} x {}", product->spec->m, product->spec->k, product->spec->n);
  }
  return text + fmt::format(" on {}", machine_title(report.machine, report.machine_file));
}

double simulated_seconds(const RunReport& report) {
  return static_cast<double>(report.run.total) / as_real(report.machine.clock_hz);
}

std::optional<double> utilization(const MachineConfig& config, std::uint64_t useful_macs,
                                  Cycle cycles) {
  if (cycles == 0) return std::nullopt;
  return as_real(useful_macs) /
         (static_cast<double>(cycles) * as_real(config.array_rows) * as_real(config.array_cols));
}

std::optional<double> utilization(const RunReport& report) {
  if (!is_known(report)) return std::nullopt;
  return utilization(report.machine, report.run.useful_macs, report.run.total);
}

std::optional<double> tops(const RunReport& report) {
  if (!is_known(report) || report.run.total == 0) return std::nullopt;
  return 2 * as_real(report.run.useful_macs) / simulated_seconds(report) / 1e12;
}

std::optional<std::string> mismatch(const RunReport& report) {
  if (const ProductPart* product = std::get_if<ProductPart>(&report.part)) {
    const runtime::CheckReport& check = product->check;
    if (!check.mismatch) return std::nullopt;
    return fmt::format("result [{}][{}] differs from the {} reference: expected {}, got {}",
                       check.mismatch->row, check.mismatch->col, check.reference,
                       check.mismatch->expected, check.mismatch->actual);
  }
  const auto& check = report.network().check;
  return check ? check->mismatch : std::nullopt;
}

double worst_share(const runtime::NetworkCheck& check) {
  double worst = 0;
  for (const runtime::LayerCheck& layer : check.layers) worst = std::max(worst, layer.share);
  return worst;
}

std::string_view place_of(const runtime::LayerRun& layer) {
  if (layer.on_host) return "host";
  return layer.info.issued_macs > 0 ? "array" : "vector";
}

std::vector<std::string> notes_of(const runtime::LayerRun& layer) {
  std::vector<std::string> notes;
  if (!layer.info.note.empty()) {
    notes.push_back(layer.on_host ? "on the host: " + layer.info.note : layer.info.note);
  }
  notes.insert(notes.end(), layer.info.scheduled.begin(), layer.info.scheduled.end());
  for (const compiler::Spill& spill : layer.info.spilled) {
    notes.push_back(fmt::format("{} {} through the unified buffer block by block",
                                spill_text(spill),
                                is_part(spill) && spill.size.rows > 1 ? "pass" : "passes"));
  }
  return notes;
}

std::string spill_text(const compiler::Spill& spill) {
  std::string part;
  if (is_part(spill)) {
    part = counted(static_cast<std::uint64_t>(spill.size.rows), "row") + " of ";
  }
  return fmt::format("{}{} {} x {} ({})", part, spill.is_input ? "input" : "result",
                     spill.whole_rows, spill.size.channels, si(as_real(spill.bytes), "B"));
}

std::size_t host_layers(const RunReport& report) {
  return static_cast<std::size_t>(
      std::ranges::count(report.run.layers, true, &runtime::LayerRun::on_host));
}

std::optional<double> host_seconds(const RunReport& report) {
  if (host_layers(report) == 0) return 0;
  const auto& time = report.network().host_time;
  if (!time) return std::nullopt;
  if (time->seconds) return time->seconds;
  double sum = 0;
  for (const runtime::LayerRun& layer : report.run.layers) sum += layer.host_seconds;
  return sum;
}

}  // namespace weft::report
