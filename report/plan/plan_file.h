// The file of a plan (compiler/schedule/plan/network_plan.h): JSON, made to be edited
// (docs/compiler.md, "A plan of your own").
#pragma once

#include <string>

#include "compiler/graph/graph.h"
#include "compiler/schedule/plan/network_plan.h"
#include "sim/config/machine_config.h"

namespace weft::report {

/// What a plan is for. A plan says so itself, and is refused for anything else.
struct PlannedWorkload {
  std::string network;  // its name
  std::string inputs;   // their names, types and shapes
  /// Of the nodes with their attributes, and of the types and shapes of all values.
  std::string fingerprint;
  MachineConfig machine;
};

/// `graph` as it was imported or built.
PlannedWorkload planned_workload(std::string network, const graph::Graph& graph,
                                 const MachineConfig& machine);

/// 16 hexadecimal digits, which differ for plans that differ.
std::string plan_hash(const compiler::NetworkPlan& plan);

std::string plan_file_text(const compiler::NetworkPlan& plan, const PlannedWorkload& workload);

/// Throws InputError, without the file's name, for what is no plan of this version of Weft for this
/// workload. Whether the plan suits the layers is for schedule_as_planned() to find.
compiler::NetworkPlan read_plan_file(const std::string& file, const PlannedWorkload& workload);

}  // namespace weft::report
