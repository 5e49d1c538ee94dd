// What a run costs: energy, power, area and money, as text and JSON (docs/energy.md).
#pragma once

#include <optional>
#include <string>

#include "report/json.h"
#include "report/report.h"
#include "report/text.h"

namespace weft::report {

/// What the user asked for besides cycles.
struct CostRequest {
  std::optional<EnergyTable> table = {};  // set: the energies of the events
  std::optional<double> price_per_hour = {};
};

/// Adds what was asked for to the report, whose run and machine must be set. Throws SimulationError
/// if the run has too many events to count.
void add_cost(RunReport& report, const CostRequest& request);

/// Events and units, power, efficiency, layers and price; empty if nothing was asked for.
std::string cost_text(const RunReport& report, const Style& style);

/// The object `energy`, and `price`; null if it was not asked for (docs/json.md).
Json energy_json(const RunReport& report);
Json price_json(const RunReport& report);

}  // namespace weft::report
