// A sweep over one size as a table and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/report.h"
#include "report/streams.h"
#include "runtime/analysis/sweep.h"

namespace weft::report {

/// docs/json.md explains each key.
nlohmann::ordered_json sweep_json(const runtime::Sweep& sweep);
/// A heading, then one row per point.
std::string sweep_text(const runtime::Sweep& sweep);
/// A header, then a line for each point.
std::string sweep_csv(const runtime::Sweep& sweep);

/// A network over a range of its batch, or of a key of the machine.
struct NetworkSweep {
  RunReport report;  // machine and workload; nothing ran but the sweep
  runtime::Sweep sweep;
};

nlohmann::ordered_json network_sweep_json(const NetworkSweep& network);
/// The page's data (docs/page.md).
nlohmann::ordered_json network_sweep_page_data(const NetworkSweep& network,
                                               const std::string& command_line);
void print_network_sweep(const NetworkSweep& network, const Streams& streams);

}  // namespace weft::report
