#include "report/csv/layer_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/csv/csv.h"
#include "report/report_text.h"
#include "sim/analysis/result.h"

namespace weft::report {
namespace {

using Fields = std::vector<std::string>;

constexpr const char* kBefore[] = {"layer",   "operator", "where",  "type",   "shape",
                                   "k_tiles", "n_tiles",  "chunks", "fetches"};
constexpr const char* kAfter[] = {"critical_path", "bound_cycles", "useful_macs", "issued_macs",
                                  "utilization",   "weight_bytes", "input_bytes", "output_bytes"};

std::string header(const RunReport& report) {
  Fields names(std::begin(kBefore), std::end(kBefore));
  names.emplace_back("cycles");
  for (const LedgerClass& entry : kLedgerClasses) names.emplace_back(entry.name);
  names.insert(names.end(), std::begin(kAfter), std::end(kAfter));
  if (report.cost.energy) names.emplace_back("energy_j");
  return csv_line(names);
}

template <class T>
std::string field(const std::optional<T>& value) {
  return value ? fmt::to_string(*value) : std::string();
}

void add_name(const RunReport& report, const runtime::LayerRun& layer, Fields& fields) {
  const compiler::LayerInfo& info = layer.info;
  fields = {info.name, info.op, std::string(place_of(layer))};
  if (!report.is_product()) {
    fields.insert(fields.end(), {std::string(to_string(info.result.type)),
                                 fmt::format("{}", fmt::join(info.result.shape, "x"))});
    return;
  }
  const std::optional<MatmulSpec>& spec = report.product().spec;
  if (!spec) {
    fields.insert(fields.end(), 2, "");
    return;
  }
  fields.insert(fields.end(), {std::string(to_string(accumulator_type(report.machine.dtype))),
                               fmt::format("{}x{}", spec->m, spec->n)});
}

void add_tiles(const compiler::LayerInfo& info, Fields& fields) {
  for (const std::uint64_t count : {info.k_tiles, info.n_tiles, info.chunks, info.fetches}) {
    fields.push_back(info.k_tiles == 0 ? "" : fmt::to_string(count));
  }
}

void add_cycles(const runtime::LayerRun& layer, Fields& fields) {
  const auto cell = [&](Cycle cycles) {
    return layer.on_host ? std::string() : fmt::to_string(cycles);
  };
  fields.push_back(cell(layer.cycles));
  for (const LedgerClass& entry : kLedgerClasses)
    fields.push_back(cell(layer.ledger.*entry.cycles));
  fields.push_back(cell(layer.path.sum()));
}

/// The bound of the run is that of a product; the work of its nodes bounds any other layer.
std::optional<Cycle> bound_of(const RunReport& report, const runtime::LayerRun& layer) {
  if (report.is_product() && report.run.bound) return report.run.bound->cycles;
  if (layer.bound.cycles == 0) return std::nullopt;
  return layer.bound.cycles;
}

/// Layer `index` of the run; empty for a layer of the host, whose energy is not known.
std::string joules_of(const RunReport& report, std::size_t index) {
  if (report.run.layers[index].on_host) return "";
  return fmt::to_string(report.cost.energy->figures.layers[index].joules());
}

std::string line(const RunReport& report, std::size_t index) {
  const runtime::LayerRun& layer = report.run.layers[index];
  const compiler::LayerInfo& info = layer.info;
  // A program that does not say what it computes.
  const bool is_unknown = report.is_product() && !report.product().spec;
  const std::uint64_t issued = report.is_product() ? report.run.issued_macs : info.issued_macs;
  Fields fields;
  add_name(report, layer, fields);
  add_tiles(info, fields);
  add_cycles(layer, fields);
  fields.push_back(field(bound_of(report, layer)));
  fields.push_back(is_unknown ? "" : fmt::to_string(info.macs));
  fields.push_back(fmt::to_string(issued));
  fields.push_back(
      issued == 0 || is_unknown ? "" : field(utilization(report.machine, info.macs, layer.cycles)));
  for (const std::uint64_t bytes : {info.weight_bytes, info.input_bytes, info.output_bytes}) {
    fields.push_back(fmt::to_string(bytes));
  }
  if (report.cost.energy) fields.push_back(joules_of(report, index));
  return csv_line(fields);
}

}  // namespace

std::string layers_csv(const RunReport& report) {
  std::string text = header(report);
  for (std::size_t i = 0; i < report.run.layers.size(); ++i) text += line(report, i);
  return text;
}

}  // namespace weft::report
