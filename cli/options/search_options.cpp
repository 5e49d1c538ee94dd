#include "cli/options/search_options.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/output_file.h"
#include "base/printable.h"
#include "report/plan/plan_file.h"
#include "report/progress.h"

namespace weft::cli {
namespace {

compiler::SearchEffort read_effort(const Arguments& arguments) {
  using enum compiler::SearchEffort;
  const std::string level = arguments.text("optimize").value_or("1");
  if (level == "0") return kNone;
  if (level == "1") return kNormal;
  if (level == "2") return kThorough;
  throw InputError(fmt::format("--optimize {}: must be 0, 1 or 2", printable(level)));
}

bool exists(const std::string& file) {
  std::error_code error;
  return std::filesystem::exists(file, error);
}

bool fixes_anything(const compiler::MappingOptions& mapping) {
  return mapping.packed_taps || mapping.joined_lines || mapping.line_borders ||
         mapping.line_slices || mapping.turned_results || mapping.turned_values ||
         mapping.depthwise_on_vector_unit;
}

runtime::NetworkSchedule follow_plan(ScheduleRequest request,
                                     const report::PlannedWorkload& workload) {
  const std::string& file = *request.search.plan;
  if (fixes_anything(request.mapping)) {
    throw InputError(fmt::format("--plan {}: says how the taps lie; drop --taps", file));
  }
  try {
    const compiler::NetworkPlan plan = report::read_plan_file(file, workload);
    runtime::NetworkSchedule followed = runtime::schedule_as_planned(
        std::move(request.graph), request.machine, request.inputs, plan);
    followed.notes.push_back(fmt::format("followed the plan in {}", file));
    return followed;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

runtime::NetworkSchedule search(ScheduleRequest& request, const report::Streams& streams) {
  report::Progress progress(streams);
  compiler::MappingOptions mapping = request.mapping;
  mapping.effort = request.search.effort;
  mapping.progress = [&](double share) { progress.update(share, "search for a schedule"); };
  return runtime::schedule(std::move(request.graph), request.machine, request.inputs, mapping);
}

}  // namespace

po::options_description search_flags() {
  po::options_description flags("Compiler");
  auto add = flags.add_options();
  add("optimize", po::value<std::string>()->value_name("LEVEL"),
      "search for a schedule: 0: none, estimates only; 1 (default): about a second; 2: up to a "
      "minute or so");
  add("plan", po::value<std::string>()->value_name("FILE"),
      "follow the plan in FILE, without a search; if there is no such file, search and write the "
      "plan there, to edit and to use again");
  return flags;
}

po::options_description effort_flag() {
  po::options_description flag("Compiler");
  flag.add_options()("optimize", text_value("LEVEL"),
                     "how long to search for each schedule: 0: not at all; 1 (default); 2: long");
  return flag;
}

SearchFlags read_search(const Arguments& arguments) {
  SearchFlags flags{read_effort(arguments), arguments.text("plan"), false};
  if (!flags.plan) return flags;
  if (flags.plan->empty()) throw InputError("--plan: the name is empty; give one");
  if (*flags.plan == "-") throw InputError("--plan -: must be a file");
  flags.follows = exists(*flags.plan);
  if (!flags.follows) check_writable(*flags.plan);
  if (flags.follows && arguments.has("optimize")) {
    throw InputError(fmt::format(
        "--plan {}: exists, so nothing is searched; drop --optimize, or delete the plan",
        *flags.plan));
  }
  if (arguments.has("sensitivity")) {
    throw InputError("--sensitivity: searches on other machines; drop --plan");
  }
  return flags;
}

runtime::NetworkSchedule find_schedule(ScheduleRequest request, const report::Streams& streams) {
  const auto& plan = request.search.plan;
  if (!plan) return search(request, streams);
  const report::PlannedWorkload workload =
      report::planned_workload(request.network, request.graph, request.machine);
  if (request.search.follows) return follow_plan(std::move(request), workload);
  runtime::NetworkSchedule found = search(request, streams);
  write_file(*plan, report::plan_file_text(compiler::network_plan(found.network), workload));
  found.notes.push_back(fmt::format("wrote the plan to {}", *plan));
  return found;
}

}  // namespace weft::cli
