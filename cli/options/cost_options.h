// --energy and --price-per-hour: what a run costs besides cycles.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "report/energy_report.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

/// --energy.
po::options_description energy_flag();
/// --energy and --price-per-hour.
po::options_description cost_flags();

/// What the flags ask for on this machine: `--energy own` is the table of its power.node. Throws
/// ConfigError for a table that is wrong and a machine without power.node, InputError for a wrong
/// price.
report::CostRequest read_cost(const Arguments& arguments, const MachineConfig& machine);

/// --price-per-hour. Throws InputError.
std::optional<double> read_price(const Arguments& arguments);

/// --price-per-hour with one price for all of `count` devices, or one for each with commas between
/// them: a price for each. Empty without the option. Throws InputError.
std::vector<double> read_prices(const Arguments& arguments, std::size_t count);

}  // namespace weft::cli
