#include "report/energy_report.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "report/machine_text.h"
#include "report/wrapped_text.h"

namespace weft::report {
namespace {

using runtime::NetworkEnergy;

/// How many results one run gives, and what they are called.
double results_per_run(const RunReport& report) {
  return report.is_product() ? 1 : static_cast<double>(report.network().batch);
}

std::string_view result_name(const RunReport& report) {
  return report.is_product() ? "run" : "inference";
}

/// Seconds for one result; host layers count if their time is known.
double seconds_per_result(const RunReport& report) {
  const double host = report.is_product() ? 0 : host_seconds(report).value_or(0);
  return (simulated_seconds(report) + host) / results_per_run(report);
}

double joules_per_result(const RunReport& report) {
  return report.cost.energy->figures.joules() / results_per_run(report);
}

double price_of_million(const RunReport& report) {
  return runtime::price_of_million(*report.cost.price_per_hour, seconds_per_result(report));
}

// --- Text ----------------------------------------------------------------------------------------

bool happens(const EnergyAccount& account, EnergyUnit unit) {
  for (std::size_t i = 0; i < kEnergyEvents.size(); ++i) {
    if (kEnergyEvents[i].unit == unit && account.counts[i] > 0) return true;
  }
  return false;
}

void add_unit(Table& table, const EnergyAccount& account, EnergyUnit unit) {
  const auto index = static_cast<std::size_t>(unit);
  const double all = account.joules();
  const auto share = [&](double joules) { return all > 0 ? percent(joules / all) : ""; };
  const double sum = account.joules_of(unit);
  table.add({std::string(kEnergyUnitNames[index]), "", "", si(sum, "J"), share(sum)});
  for (std::size_t i = 0; i < kEnergyEvents.size(); ++i) {
    if (kEnergyEvents[i].unit != unit || account.counts[i] == 0) continue;
    const double joules = account.joules_of(i);
    table.add({fmt::format("  {}", kEnergyEvents[i].name), grouped(account.counts[i]),
               si(account.pj_each[i] * 1e-12, "J"), si(joules, "J"), share(joules)});
  }
}

std::string event_table(const EnergyAccount& account) {
  Table table("lrrrr");
  table.add({"", "events", "each", "energy", "share"});
  for (std::size_t unit = 0; unit < kEnergyUnits; ++unit) {
    if (happens(account, static_cast<EnergyUnit>(unit))) {
      add_unit(table, account, static_cast<EnergyUnit>(unit));
    }
  }
  return table.text(2);
}

std::string energy_line(const EnergyPart& energy) {
  const EnergyAccount& account = energy.figures.account;
  const double fixed = account.static_joules();
  return fmt::format("{} = {} of events + {} static; energies of {}", si(account.joules(), "J"),
                     si(account.joules() - fixed, "J"), si(fixed, "J"), energy.table.name);
}

std::string power_line(const RunReport& report) {
  const NetworkEnergy& energy = report.cost.energy->figures;
  std::string line = si(energy.watts(), "W");
  if (energy.chip_watts() < energy.watts()) {
    line += fmt::format(", {} of it on the chip", si(energy.chip_watts(), "W"));
  }
  if (report.machine.static_milliwatts == 0) {
    return line + "; no static power: power.static_w is 0";
  }
  return line + fmt::format("; static power {}, as power.static_w says",
                            si(as_real(report.machine.static_milliwatts) / 1e3, "W"));
}

std::string efficiency_line(const RunReport& report) {
  const NetworkEnergy& energy = report.cost.energy->figures;
  std::string line =
      fmt::format("{} per {}", si(joules_per_result(report), "J"), result_name(report));
  const auto pj = energy.pj_per_mac();
  const auto tops = energy.tops_per_watt();
  if (pj && tops) {
    line += fmt::format(", {} per useful MAC, {:.3g} TOPS/W", si(*pj * 1e-12, "J"), *tops);
  }
  return line;
}

std::string area_line(const EnergyPart& energy) {
  if (!energy.figures.area_mm2) {
    return fmt::format("not known: {} gives no area of gates and flip-flops", energy.table.name);
  }
  return fmt::format("array {:.3g} mm2 of gates and flip-flops; for the rest there is no synthesis",
                     *energy.figures.area_mm2);
}

std::string price_line(const RunReport& report) {
  std::string line =
      fmt::format("{:.4g} for a million {}s at {:.6g} an hour", price_of_million(report),
                  result_name(report), *report.cost.price_per_hour);
  const bool all_counted = report.is_product() || host_seconds(report);
  return all_counted ? line : line + ", without the time of the host layers";
}

/// One row for each layer on the machine: what each unit took.
std::string layer_energy_table(const RunReport& report) {
  const NetworkEnergy& energy = report.cost.energy->figures;
  std::vector<EnergyUnit> units;
  Table table("lrrrrrrrrrrr");
  std::vector<std::string> heading = {"layer"};
  constexpr std::array<std::string_view, kEnergyUnits> kShort = {
      "array", "accum.", "buffer", "FIFO", "vector", "memory", "host", "static"};
  for (std::size_t unit = 0; unit < kEnergyUnits; ++unit) {
    if (!happens(energy.account, static_cast<EnergyUnit>(unit))) continue;
    units.push_back(static_cast<EnergyUnit>(unit));
    heading.emplace_back(kShort[unit]);
  }
  heading.insert(heading.end(), {"total", "per MAC"});
  table.add(std::move(heading));
  for (std::size_t i = 0; i < report.run.layers.size(); ++i) {
    const runtime::LayerRun& layer = report.run.layers[i];
    if (layer.on_host) continue;
    const EnergyAccount& account = energy.layers[i];
    std::vector<std::string> row = {layer.info.name};
    for (const EnergyUnit unit : units) row.push_back(si(account.joules_of(unit), "J"));
    row.push_back(si(account.joules(), "J"));
    row.push_back(layer.info.macs == 0 ? "" : si(account.joules() / as_real(layer.info.macs), "J"));
    table.add(std::move(row));
  }
  return table.text(2);
}

// --- JSON ----------------------------------------------------------------------------------------

Json units_json(const EnergyAccount& account) {
  Json units;
  for (std::size_t unit = 0; unit < kEnergyUnits; ++unit) {
    units[std::string(kEnergyUnitKeys[unit])] = account.joules_of(static_cast<EnergyUnit>(unit));
  }
  return units;
}

Json events_json(const EnergyAccount& account) {
  Json events = Json::array();
  for (std::size_t i = 0; i < kEnergyEvents.size(); ++i) {
    const EnergyEventEntry& entry = kEnergyEvents[i];
    events.push_back({{"event", entry.key},
                      {"unit", kEnergyUnitKeys[static_cast<std::size_t>(entry.unit)]},
                      {"count", account.counts[i]},
                      {"pj_each", account.pj_each[i]},
                      {"joules", account.joules_of(i)}});
  }
  return events;
}

Json layers_energy_json(const RunReport& report) {
  Json layers = Json::array();
  for (std::size_t i = 0; i < report.run.layers.size(); ++i) {
    const EnergyAccount& account = report.cost.energy->figures.layers[i];
    if (report.run.layers[i].on_host) continue;
    layers.push_back({{"name", report.run.layers[i].info.name},
                      {"joules", account.joules()},
                      {"units", units_json(account)}});
  }
  return layers;
}

}  // namespace

void add_cost(RunReport& report, const CostRequest& request) {
  report.cost.price_per_hour = request.price_per_hour;
  if (!request.table) return;
  report.cost.energy = {*request.table,
                        runtime::network_energy(report.run, report.machine, *request.table)};
}

std::string cost_text(const RunReport& report, const Style& style) {
  std::string text;
  if (const auto& energy = report.cost.energy) {
    text += labeled_line("energy", energy_line(*energy), style);
    text += event_table(energy->figures.account);
    text += labeled_line("power", power_line(report), style);
    text += labeled_line("efficiency", efficiency_line(report), style);
    text += labeled_line("area", area_line(*energy), style);
  }
  if (report.cost.price_per_hour) text += labeled_line("price", price_line(report), style);
  if (report.cost.energy && report.run.layers.size() > 1) {
    text += '\n' + layer_energy_table(report);
  }
  return text;
}

Json energy_json(const RunReport& report) {
  if (!report.cost.energy) return nullptr;
  const auto& [table, figures] = *report.cost.energy;
  return {{"table", table.name},
          {"joules", figures.joules()},
          {"static_joules", figures.account.static_joules()},
          {"chip_joules", figures.account.chip_joules()},
          {"joules_per_result", joules_per_result(report)},
          {"watts", figures.watts()},
          {"chip_watts", figures.chip_watts()},
          {"pj_per_mac", or_null(figures.pj_per_mac())},
          {"tops_per_watt", or_null(figures.tops_per_watt())},
          {"array_mm2", or_null(figures.area_mm2)},
          {"units", units_json(figures.account)},
          {"events", events_json(figures.account)},
          {"layers", layers_energy_json(report)}};
}

Json price_json(const RunReport& report) {
  if (!report.cost.price_per_hour) return nullptr;
  return {{"per_hour", *report.cost.price_per_hour},
          {"per_million", price_of_million(report)},
          {"of", result_name(report)}};
}

}  // namespace weft::report
