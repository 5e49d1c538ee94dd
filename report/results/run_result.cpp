#include "report/results/run_result.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/error.h"
#include "base/figures.h"
#include "compiler/onnx/located.h"
#include "report/explain/json_fields.h"
#include "report/explain/report_file.h"
#include "report/machine_json.h"

namespace weft::report {
namespace {

// Sums of a few of these fit 64 bits.
constexpr std::int64_t kMostResultCycles = std::int64_t{1} << 53U;
constexpr std::int64_t kMostCounted = std::int64_t{1} << 60U;

std::uint64_t count_at(const JsonFields& fields, const char* name) {
  return static_cast<std::uint64_t>(fields.number(name, 0, kMostCounted));
}

// --- What ran ------------------------------------------------------------------------------------

ResultKind kind_of(const JsonFields& report) {
  if (report.is_null("workload")) return ResultKind::kProgram;
  const JsonFields workload = report.object("workload");
  if (workload.has("conv")) return ResultKind::kConvolution;
  return workload.has("network") ? ResultKind::kNetwork : ResultKind::kProduct;
}

std::string product_text(const JsonFields& workload) {
  std::string text =
      fmt::format("{} x {} x {}", grouped(count_at(workload, "m")),
                  grouped(count_at(workload, "k")), grouped(count_at(workload, "n")));
  if (workload.boolean("bias")) text += ", bias";
  const std::string activation = workload.text("activation");
  return activation == "none" ? text : fmt::format("{}, {}", text, activation);
}

std::string network_text(const JsonFields& workload) {
  std::string text =
      fmt::format("{}, batch {}", workload.text("network"), grouped(count_at(workload, "batch")));
  if (!workload.is_null("sequence")) {
    text += fmt::format(", sequence {}", grouped(count_at(workload, "sequence")));
  }
  if (!workload.is_null("kv_cache")) {
    text += fmt::format(", cache {}", grouped(count_at(workload, "kv_cache")));
  }
  return text;
}

std::string workload_of(const JsonFields& report, ResultKind kind) {
  if (kind == ResultKind::kProgram) return "a program that does not say what it computes";
  const JsonFields workload = report.object("workload");
  if (kind == ResultKind::kProduct) return product_text(workload);
  return kind == ResultKind::kNetwork ? network_text(workload) : workload.text("network");
}

// --- What it cost --------------------------------------------------------------------------------

/// Throws InputError unless the classes sum to the total.
CycleLedger read_ledger(const JsonFields& cycles, Cycle total) {
  CycleLedger ledger;
  for (const LedgerClass& entry : kLedgerClasses) {
    ledger.*entry.cycles = cycles.number(std::string(entry.name), 0, kMostResultCycles);
  }
  if (ledger.sum() == total) return ledger;
  cycles.fail("total", fmt::format("is {}, but the classes sum to {}", total, ledger.sum()));
}

Traffic read_traffic(const JsonFields& traffic) {
  return {count_at(traffic, "weight_bytes"), count_at(traffic, "input_bytes"),
          count_at(traffic, "output_bytes")};
}

ResultLayer read_layer(const JsonFields& fields) {
  ResultLayer layer;
  layer.name = fields.text("name");
  layer.op = fields.text("op");
  layer.where = fields.text("where");
  layer.useful_macs = count_at(fields.object("macs"), "useful");
  if (fields.is_null("cycles")) return layer;
  const JsonFields cycles = fields.object("cycles");
  layer.cycles = cycles.number("total", 0, kMostResultCycles);
  layer.ledger = read_ledger(cycles, *layer.cycles);
  return layer;
}

std::vector<ResultLayer> read_layers(const JsonFields& report) {
  if (!report.at("layers").is_array()) report.fail("layers", "is not a list");
  std::vector<ResultLayer> layers;
  for (const Json& layer : report.at("layers")) {
    layers.push_back(read_layer(JsonFields(layer, fmt::format("layers[{}]", layers.size()))));
  }
  return layers;
}

/// A quantity that a report may leave out.
std::optional<double> real_at(const JsonFields& fields, const char* name) {
  constexpr double kMost = 1e30;
  if (fields.is_null(name)) return std::nullopt;
  const Json& value = fields.at(name);
  const double real = value.is_number() ? value.get<double>() : -1;
  if (real < 0 || real > kMost) {
    fields.fail(name, fmt::format("must be a number from 0 to {}", kMost));
  }
  return real;
}

RunCost read_cost(const JsonFields& report) {
  RunCost cost;
  if (!report.is_null("energy")) {
    const JsonFields energy = report.object("energy");
    cost.table = energy.text("table");
    cost.joules = real_at(energy, "joules");
    cost.watts = real_at(energy, "watts");
    cost.pj_per_mac = real_at(energy, "pj_per_mac");
    cost.array_mm2 = real_at(energy, "array_mm2");
  }
  if (!report.is_null("price")) {
    const JsonFields price = report.object("price");
    cost.per_hour = real_at(price, "per_hour");
    cost.per_million = real_at(price, "per_million");
  }
  return cost;
}

RunResult read_result(const Json& json) {
  const JsonFields report(json, "");
  check_is_run(json);
  RunResult result;
  result.kind = kind_of(report);
  result.workload = workload_of(report, result.kind);
  result.engine = report.text("engine");
  result.machine = machine_of(report.at("machine"));
  result.machine_title = report.object("machine").text("title");
  const JsonFields cycles = report.object("cycles");
  result.cycles = cycles.number("total", 0, kMostResultCycles);
  result.ledger = read_ledger(cycles, result.cycles);
  const JsonFields macs = report.object("macs");
  if (!macs.is_null("useful")) result.useful_macs = count_at(macs, "useful");
  result.issued_macs = count_at(macs, "issued");
  if (report.has("bound") && !report.is_null("bound")) {
    result.bound = report.object("bound").number("cycles", 1, kMostResultCycles);
  }
  result.traffic = read_traffic(report.object("traffic"));
  result.cost = read_cost(report);
  const bool layered =
      result.kind == ResultKind::kNetwork || result.kind == ResultKind::kConvolution;
  if (layered) result.layers = read_layers(report);
  return result;
}

}  // namespace

std::string_view to_string(ResultKind kind) {
  switch (kind) {
    case ResultKind::kProduct:
      return "product";
    case ResultKind::kConvolution:
      return "convolution";
    case ResultKind::kNetwork:
      return "network";
    case ResultKind::kProgram:
      return "program";
  }
  throw std::logic_error("a kind of result without a name");
}

double RunResult::seconds() const {
  return static_cast<double>(cycles) / static_cast<double>(machine.clock_hz);
}

RunResult read_run_result(const std::string& file) {
  return onnx_io::located_in_file(file, [&] {
    try {
      RunResult result = read_result(read_report_file(file));
      result.file = file;
      return result;
    } catch (const ConfigError& error) {
      throw InputError(error.what());
    }
  });
}

}  // namespace weft::report
