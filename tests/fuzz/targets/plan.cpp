// Plans of a network: what is accepted gives the network's schedule, or is refused with a reason.
#include "compiler/passes/optimize.h"
#include "models/networks/networks.h"
#include "report/explain/report_file.h"
#include "report/plan/plan_file.h"
#include "sim/config/config_keys.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {
namespace {

struct Planned {
  MachineConfig machine = load_preset("tiny");
  graph::Graph graph = networks::build_network("digits-mlp");
  report::PlannedWorkload workload = report::planned_workload("digits-mlp", graph, machine);
};

}  // namespace

bool plan(std::string_view bytes) {
  static const Planned planned;
  const BytesFile file(bytes);
  return accepts([&] {
    const compiler::NetworkPlan read = report::read_plan_file(file.path(), planned.workload);
    const BytesFile written(report::plan_file_text(read, planned.workload));
    require(report::read_plan_file(written.path(), planned.workload) == read,
            "a written plan is read as it was");
    accepts([&] { compiler::schedule_as_planned(planned.graph, planned.machine, read); });
  });
}

}  // namespace weft::fuzz
