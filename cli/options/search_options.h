// How the compiler finds a schedule: --optimize and --plan.
#pragma once

#include <optional>
#include <string>

#include "cli/options/arguments.h"
#include "compiler/graph/graph.h"
#include "compiler/program/network_program.h"
#include "report/streams.h"
#include "runtime/compile.h"

namespace weft::cli {

struct SearchFlags {
  compiler::SearchEffort effort = compiler::SearchEffort::kNormal;
  std::optional<std::string> plan;  // a file
  bool follows = false;             // the plan's file exists, so nothing is searched
};

/// --optimize and --plan.
po::options_description search_flags();
/// --optimize for commands that search for several schedules.
po::options_description effort_flag();

/// Throws InputError for another level than 0, 1 or 2, and for a plan that can be neither read nor
/// written.
SearchFlags read_search(const Arguments& arguments);

/// A network on its way to a schedule. `inputs` as in runtime::prepare_network().
struct ScheduleRequest {
  std::string network;  // its name
  graph::Graph graph;
  MachineConfig machine;
  const runtime::NamedTensors* inputs = nullptr;
  compiler::MappingOptions mapping;  // what the user fixed
  SearchFlags search;
};

/// Follows the plan's file if there is one. Otherwise searches, and writes that file if the user
/// named one. A note says which. Throws InputError, and as runtime::schedule() does.
runtime::NetworkSchedule find_schedule(ScheduleRequest request, const report::Streams& streams);

}  // namespace weft::cli
