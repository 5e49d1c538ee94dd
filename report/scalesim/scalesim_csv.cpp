#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "compiler/mapping/checked_math.h"
#include "report/scalesim/scalesim_report.h"

namespace weft::report {
namespace {

constexpr std::string_view kComputeHeader =
    "LayerID, Total Cycles (incl. prefetch), Total Cycles, Stall Cycles, Overall Util %, "
    "Mapping Efficiency %, Compute Util %,\n";
constexpr std::string_view kBandwidthHeader =
    "LayerID, Avg IFMAP SRAM BW, Avg FILTER SRAM BW, Avg OFMAP SRAM BW, Avg IFMAP DRAM BW, "
    "Avg FILTER DRAM BW, Avg OFMAP DRAM BW,\n";

/// The shortest text that reads back as the same number, with a point, as Python prints it.
std::string decimal(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

/// Calls `add` with the number and the figures of each layer; a depthwise one is as many as it has
/// channels.
template <class Add>
void for_each_layer(const ScaleSimReport& report, Add&& add) {
  std::size_t number = 0;
  for (const runtime::ScaleSimLayerRun& layer : report.run.layers) {
    const ScaleSimFigures figures = scalesim_figures(layer, report.run.config, report.as_printed);
    for (std::uint64_t copy = 0; copy < layer.copies; ++copy) add(number++, figures);
  }
}

double per_cycle(std::uint64_t words, std::uint64_t cycles) {
  return static_cast<double>(words) / static_cast<double>(cycles);
}

}  // namespace

ScaleSimFigures scalesim_figures(const runtime::ScaleSimLayerRun& layer,
                                 const imports::ScaleSimConfig& config, bool as_printed) {
  const double macs = static_cast<double>(layer.law.macs);
  const double units = static_cast<double>(config.rows) * static_cast<double>(config.cols);
  const std::uint64_t fold =
      as_printed ? runtime::printed_fold_cycles(layer.law, config) : layer.law.fold_cycles;
  ScaleSimFigures figures;
  // A layer of one cycle ends in cycle 0, by which nothing can be divided.
  figures.cycles = std::max<std::uint64_t>(1, layer.cycles - (as_printed ? 1 : 0));
  figures.with_transfers = layer.with_transfers;
  figures.stalls = layer.stalls;
  figures.overall_util = macs * 100 / (static_cast<double>(figures.cycles) * units);
  figures.mapping_efficiency = layer.law.mapping_efficiency * 100;
  figures.compute_util =
      macs * 100 / (static_cast<double>(layer.law.folds) * static_cast<double>(fold) * units);
  figures.sram = layer.sram;
  if (as_printed && config.dataflow == imports::Dataflow::kOutputStationary) {
    figures.sram.ofmap += layer.law.folds * (config.rows + config.cols);
  }
  figures.sram_ifmap = per_cycle(figures.sram.ifmap, figures.cycles);
  figures.sram_filter = per_cycle(figures.sram.filter, figures.cycles);
  figures.sram_ofmap = per_cycle(figures.sram.ofmap, figures.cycles);
  figures.dram_ifmap = per_cycle(layer.dram.ifmap, figures.cycles);
  figures.dram_filter = per_cycle(layer.dram.filter, figures.cycles);
  figures.dram_ofmap = per_cycle(layer.dram.ofmap, figures.cycles);
  return figures;
}

ScaleSimTotals scalesim_totals(const ScaleSimReport& report) {
  ScaleSimTotals totals;
  if (report.run.layers.front().better) totals.better = runtime::BetterRun{.serial = 0};
  for (const runtime::ScaleSimLayerRun& layer : report.run.layers) {
    const auto add = [&](std::uint64_t& sum, std::uint64_t count) {
      sum = checked_add(sum, checked_mul(layer.copies, count));
    };
    const ScaleSimFigures figures = scalesim_figures(layer, report.run.config, report.as_printed);
    add(totals.layers, 1);
    if (!layer.by_law.empty()) add(totals.layers_by_law, 1);
    add(totals.macs, layer.law.macs);
    add(totals.cycles, figures.cycles);
    add(totals.stalls, figures.stalls);
    if (!layer.better) continue;
    add(totals.better->cycles, layer.better->cycles);
    add(totals.better->span, layer.better->span);
    std::optional<std::uint64_t>& serial = totals.better->serial;
    if (!layer.better->serial) serial.reset();
    if (serial) add(*serial, *layer.better->serial);
  }
  return totals;
}

std::string compute_report_csv(const ScaleSimReport& report) {
  std::string text(kComputeHeader);
  for_each_layer(report, [&](std::size_t number, const ScaleSimFigures& figures) {
    text += fmt::format("{}, {}, {}, {}, {}, {}, {},\n", number, figures.with_transfers,
                        figures.cycles, figures.stalls, decimal(figures.overall_util),
                        decimal(figures.mapping_efficiency), decimal(figures.compute_util));
  });
  return text;
}

std::string bandwidth_report_csv(const ScaleSimReport& report) {
  std::string text(kBandwidthHeader);
  for_each_layer(report, [&](std::size_t number, const ScaleSimFigures& figures) {
    text += fmt::format("{}, {}, {}, {}, {}, {}, {},\n", number, decimal(figures.sram_ifmap),
                        decimal(figures.sram_filter), decimal(figures.sram_ofmap),
                        decimal(figures.dram_ifmap), decimal(figures.dram_filter),
                        decimal(figures.dram_ofmap));
  });
  return text;
}

}  // namespace weft::report
