#include "report/explain/why.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "base/error.h"
#include "compiler/onnx/located.h"
#include "report/csv/csv.h"
#include "report/json.h"
#include "report/machine_json.h"
#include "report/machine_text.h"
#include "report/report_json.h"
#include "report/report_text.h"
#include "report/wrapped_text.h"
#include "runtime/analysis/span_excess.h"

namespace weft::report {
namespace {

/// Repeats the run. If its cycles differ from the report, the run followed a plan, another version
/// wrote the report, or a person changed it.
WhyRun run_again(const RecordedRun& run) {
  return onnx_io::located(run.file, [&]() -> WhyRun {
    SetupOutcome outcome = simulate_setup(run.setup);
    if (outcome.cycles == run.cycles) {
      return {run.file, workload_text(run.setup.workload), images_of(run.setup.workload),
              run.setup.machine, std::move(outcome)};
    }
    if (run.followed_plan) {
      throw InputError(fmt::format(
          "is of a run that followed a plan in {} cycles, and --why can only search, which finds "
          "{}; run without --plan to write a new report",
          run.cycles, outcome.cycles));
    }
    throw InputError(
        fmt::format("says {} cycles, but this weft counts {}; run again to write a new report",
                    run.cycles, outcome.cycles));
  });
}

/// Simulates a setup; nullopt if the machine is impossible or cannot run the workload.
std::optional<SetupOutcome> try_setup(const Setup& setup) {
  try {
    return simulate_setup(setup);
  } catch (const ConfigError&) {
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::vector<WhyStep> walk(Setup setup, const Setup& goal, const SetupOutcome& start,
                          const SetupOutcome& end, const std::function<void(double)>& progress) {
  std::vector<Switch> all = switches(setup, goal);
  std::vector<WhyStep> steps;
  WhyStep step;
  SetupOutcome before = start;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool last = i + 1 == all.size();
    all[i].apply(setup);
    step.switches.push_back(std::move(all[i]));
    const std::optional<SetupOutcome> outcome = last ? end : try_setup(setup);
    progress(static_cast<double>(i + 1) / static_cast<double>(all.size()));
    if (!outcome) continue;
    step.outcome = *outcome;
    step.images = images_of(setup.workload);
    step.change = outcome->cycles - before.cycles;
    step.ledger_change = outcome->ledger - before.ledger;
    before = *outcome;
    steps.push_back(std::exchange(step, WhyStep()));
  }
  return steps;
}

std::string cycles_text(Cycle cycles) {
  return grouped(static_cast<std::uint64_t>(cycles));
}

std::string title(const Why& why) {
  const auto size = static_cast<std::uint64_t>(std::abs(why.difference()));
  if (size == 0) return fmt::format("{}: A and B take the same cycles", why.workload);
  return fmt::format("{}: B takes {} {} than A", why.workload, counted(size, "cycle"),
                     why.difference() > 0 ? "more" : "less");
}

/// Cycles of one image; with a decimal below a thousand, where it matters.
std::string image_text(double cycles) {
  return cycles < 1000 ? fmt::format("{:.1f}", cycles)
                       : grouped(static_cast<std::uint64_t>(std::llround(cycles)));
}

std::string run_line(const char* name, const WhyRun& run) {
  const auto cycles = static_cast<std::uint64_t>(run.outcome.cycles);
  const double seconds = static_cast<double>(cycles) / static_cast<double>(run.machine.clock_hz);
  return fmt::format("{}: {}: {}, {} in {}", name, run.file, machine_line(run.machine),
                     counted(cycles, "cycle"), si(seconds, "s"));
}

/// "per image: A 9,224 cycles in 18.4 us, B 4,512 cycles in 9.02 us: B takes 51.1 % less time".
std::string image_line(const Why& why) {
  const auto seconds = [](const WhyRun& run) {
    return *run.cycles_per_image() / static_cast<double>(run.machine.clock_hz);
  };
  const auto side = [&](const char* name, const WhyRun& run) {
    return fmt::format("{} {} cycles in {} (batch {})", name, image_text(*run.cycles_per_image()),
                       si(seconds(run), "s"), *run.images);
  };
  const double change = seconds(why.b) / seconds(why.a) - 1;
  return fmt::format("per image: {}, {}: B takes {} {} time", side("A", why.a), side("B", why.b),
                     percent(std::abs(change)), change < 0 ? "less" : "more");
}

std::optional<double> step_per_image(const WhyStep& step) {
  if (!step.images) return std::nullopt;
  return static_cast<double>(step.outcome.cycles) / static_cast<double>(*step.images);
}

std::string step_table(const Why& why) {
  const bool per_image = why.per_image();
  Table table(per_image ? "lllrrr" : "lllrr");
  const auto add = [&](std::vector<std::string> row, const std::optional<double>& image) {
    if (per_image) row.push_back(image ? image_text(*image) : "");
    table.add(std::move(row));
  };
  std::vector<std::string> headings = {"switched", "from A's", "to B's", "cycles", "change"};
  if (per_image) headings.emplace_back("per image");
  table.add(std::move(headings));
  add({"nothing", "", "", cycles_text(why.a.outcome.cycles), ""}, why.a.cycles_per_image());
  for (const WhyStep& step : why.steps) {
    for (const Switch& one : step.switches) {
      const bool last = &one == &step.switches.back();
      add({one.name, one.from, one.to, last ? cycles_text(step.outcome.cycles) : "and",
           last ? signed_text(step.change) : ""},
          last ? step_per_image(step) : std::nullopt);
    }
  }
  add({"sum", "", "", "", signed_text(why.difference())}, std::nullopt);
  return table.text(2);
}

std::string names_of(const WhyStep& step) {
  std::vector<std::string> names;
  for (const Switch& one : step.switches) names.push_back(one.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// What the critical paths of both runs are spent on.
std::string path_notes(const Why& why) {
  std::string text;
  for (const auto& [name, run] : {std::pair("A", &why.a), std::pair("B", &why.b)}) {
    if (run->outcome.cycles == 0) continue;
    text += wrapped(fmt::format("{}: {}", name, critical_path_text(run->outcome.path)));
  }
  return text;
}

/// How far both runs are from their bounds.
std::string bound_notes(const Why& why) {
  std::string text;
  for (const auto& [name, run] : {std::pair("A", &why.a), std::pair("B", &why.b)}) {
    const SetupOutcome& outcome = run->outcome;
    if (!outcome.bound || outcome.bound->cycles == 0) continue;
    text += wrapped(fmt::format("{}: {}", name, bound_line(*outcome.bound, outcome.cycles)));
  }
  return text;
}

/// Lists for each step the changed classes of the ledger and a changed plan.
std::string step_notes(const Why& why) {
  std::string text;
  std::string plan = why.a.outcome.plan;
  for (const WhyStep& step : why.steps) {
    std::vector<std::string> parts;
    if (const std::string changes = runtime::excess_text(step.ledger_change); !changes.empty()) {
      parts.push_back(changes);
    }
    // Networks have no plan of one line.
    if (!step.outcome.plan.empty() && step.outcome.plan != plan) {
      parts.push_back(fmt::format("plan {}", step.outcome.plan));
    }
    plan = step.outcome.plan;
    if (parts.empty()) continue;
    text += wrapped(fmt::format("{}: {}", names_of(step), fmt::join(parts, "; ")));
  }
  return text;
}

Json run_json(const WhyRun& run) {
  return {{"file", run.file},
          {"workload", run.workload},
          {"cycles_per_image", or_null(run.cycles_per_image())},
          {"machine", described_machine_json(run.machine)},
          {"cycles", cycles_json(run.outcome.cycles, run.outcome.ledger)},
          {"critical_path", critical_path_json(run.outcome.path)},
          {"bound", bound_json(run.outcome.bound, run.outcome.cycles)}};
}

Json step_json(const WhyStep& step) {
  Json switched = Json::array();
  for (const Switch& one : step.switches) {
    switched.push_back({{"name", one.name}, {"from", one.from}, {"to", one.to}});
  }
  return {{"switches", std::move(switched)},
          {"cycles", step.outcome.cycles},
          {"change", step.change},
          {"cycles_per_image", or_null(step_per_image(step))},
          {"ledger_change", ledger_json(step.ledger_change)},
          {"critical_path", critical_path_json(step.outcome.path)},
          {"plan", step.outcome.plan.empty() ? Json(nullptr) : Json(step.outcome.plan)}};
}

}  // namespace

std::optional<double> WhyRun::cycles_per_image() const {
  if (!images) return std::nullopt;
  return static_cast<double>(outcome.cycles) / static_cast<double>(*images);
}

std::string why_csv(const Why& why) {
  std::string text = "switched,from,to,cycles,change,cycles_per_image\n";
  const auto add = [&](std::vector<std::string> fields, const std::optional<double>& image) {
    fields.push_back(image ? fmt::to_string(*image) : "");
    text += csv_line(fields);
  };
  add({"nothing", "", "", fmt::to_string(why.a.outcome.cycles), ""}, why.a.cycles_per_image());
  for (const WhyStep& step : why.steps) {
    const auto joined = [&](const std::string Switch::*member) {
      std::vector<std::string> all;
      for (const Switch& one : step.switches) all.push_back(one.*member);
      return fmt::format("{}", fmt::join(all, "; "));
    };
    add({joined(&Switch::name), joined(&Switch::from), joined(&Switch::to),
         fmt::to_string(step.outcome.cycles), fmt::to_string(step.change)},
        step_per_image(step));
  }
  return text;
}

Why explain_why(const RecordedRun& a, const RecordedRun& b,
                const std::function<void(double)>& progress) {
  Why why;
  const std::string of_a = workload_text(a.setup.workload);
  const std::string of_b = workload_text(b.setup.workload);
  why.workload = of_a == of_b ? of_a : fmt::format("A {}; B {}", of_a, of_b);
  why.a = run_again(a);
  why.b = run_again(b);
  why.steps = walk(a.setup, b.setup, why.a.outcome, why.b.outcome, progress);
  return why;
}

Json why_json(const Why& why) {
  Json steps = Json::array();
  for (const WhyStep& step : why.steps) steps.push_back(step_json(step));
  return {{"schema", 1},
          {"command", "explain"},
          {"why",
           {{"workload", why.workload},
            {"a", run_json(why.a)},
            {"b", run_json(why.b)},
            {"difference", why.difference()},
            {"steps", std::move(steps)}}}};
}

Json why_page_data(const Why& why, const std::string& command_line) {
  Json lines = {run_line("A", why.a), run_line("B", why.b)};
  if (why.per_image()) lines.push_back(image_line(why));
  return {{"title", title(why)},
          {"command", command_line},
          {"lines", std::move(lines)},
          {"why", why_json(why).at("why")}};
}

void print_why(const Why& why, const Streams& streams) {
  const Style& style = streams.style;
  streams.out << style.bold(title(why)) << '\n'
              << wrapped(run_line("A", why.a)) << wrapped(run_line("B", why.b));
  if (why.per_image()) streams.out << wrapped(image_line(why));
  if (why.steps.empty()) {
    streams.out << wrapped("The runs differ in nothing that affects cycles.");
    return;
  }
  streams.out << '\n'
              << step_table(why)
              << wrapped(
                     "Switched from A to B in this order, each in addition to those above it, and "
                     "simulated; another order can divide the sum differently.");
  if (const std::string notes = step_notes(why); !notes.empty()) {
    streams.out << '\n' << style.bold("in which cycles") << '\n' << notes;
  }
  streams.out << '\n' << style.bold("critical path") << '\n' << path_notes(why);
  if (const std::string notes = bound_notes(why); !notes.empty()) {
    streams.out << '\n' << style.bold("bound") << '\n' << notes;
  }
}

}  // namespace weft::report
