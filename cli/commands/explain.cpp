#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/measured_advice.h"
#include "cli/output_file.h"
#include "cli/report.h"
#include "cli/span_excess.h"
#include "cli/tile_drawing.h"
#include "cli/workload.h"
#include "compiler/lowering/matmul.h"

namespace weft::cli {
namespace {

constexpr std::size_t kTextWidth = 100;

/// The run, and what was found out about it.
struct Explanation {
  RunReport report;
  std::string excess;  // what the array span has more than the formula; empty if they are equal
  std::vector<std::string> advice;
};

po::options_description options() {
  po::options_description all;
  all.add(workload_flags()).add(general_flags({json_flag(), help_option()}));
  return all.add(machine_flags());
}

void print_help(const Streams& streams) {
  streams.out << "Usage: weft explain M K N [OPTIONS]\n\n"
              << "Shows how activations [M,K] times weights [K,N] are cut into tiles, what the\n"
              << "padding costs, and the formula for the cycles beside the simulated count.\n\n"
              << options();
}

std::string tiles(std::uint64_t length, std::uint64_t tile) {
  return fmt::format("{} x {}", grouped((length + tile - 1) / tile), grouped(tile));
}

/// One row for each dimension.
std::string dimension_table(const TilingPlan& plan, const MachineConfig& config) {
  const MatmulSpec& spec = plan.spec;
  Table table("lrrrr");
  table.add({"", "size", "cut into", "padded", "waste"});
  const auto add = [&](const char* name, std::uint64_t size, std::uint64_t tile,
                       std::uint64_t padded) {
    table.add({name, grouped(size), tiles(size, tile), grouped(padded),
               percent(1 - static_cast<double>(size) / static_cast<double>(padded))});
  };
  add("M", spec.m, std::min<std::uint64_t>(plan.chunk_rows, spec.m), plan.padded_m);
  add("K", spec.k, config.array_rows, plan.padded_k);
  add("N", spec.n, config.array_cols, plan.padded_n);
  return table.text(2);
}

std::string plan_table(const TilingPlan& plan) {
  Table table("lr");
  const auto add = [&](const char* name, std::uint64_t value) {
    table.add({name, grouped(value)});
  };
  add("folds (tiles swapped in)", plan.folds);
  add("useful MACs", plan.macs.useful);
  add("issued MACs", plan.macs.issued);
  add("  of them padding along K", plan.macs.padded_k);
  add("  of them padding along N", plan.macs.padded_n);
  add("accumulator regions", plan.accumulator_regions);
  add("activation slots in the unified buffer", plan.activation_slots);
  add("bias slots", plan.bias_slots);
  add("output slots", plan.output_slots);
  return table.text(2);
}

std::string order_line(const TilingPlan& plan) {
  return plan.order == LoopOrder::kChunkOutermost
             ? "for each chunk, each n tile, each k tile: tiles are fetched anew for each chunk"
             : "for each n tile, each chunk: a tile is fetched once and kept";
}

std::string cycle_table(const RunReport& report) {
  const FormulaTerms& formula = report.plan->formula;
  Table table("lrl");
  const auto add = [&](const char* name, std::uint64_t value, const char* meaning) {
    table.add({name, grouped(value), meaning});
  };
  add("load", formula.weight_load, "R: the first tile's pushes");
  add("steps", formula.steps, "from the first fold's first row to the last fold's");
  add("last fold", formula.last_fold, "its rows, and R+C-2 to drain");
  add("formula", report.plan->formula_cycles(), "the sum: no stalls");
  add("array span", static_cast<std::uint64_t>(report.result.array_span),
      "simulated, first push to last product");
  add("total", static_cast<std::uint64_t>(report.result.total),
      "simulated, with loads, vector unit and stores");
  return table.text(2);
}

/// `sentence` in lines of at most kTextWidth, the first indented by two, the others by four.
std::string wrapped(const std::string& sentence) {
  std::string text;
  std::string line = " ";
  std::istringstream words(sentence);
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > kTextWidth) {
      text += line + '\n';
      line = "   ";
    }
    line += ' ' + word;
  }
  return text + line + '\n';
}

std::string excess_line(const Explanation& explanation) {
  if (explanation.excess.empty()) return "";
  const RunReport& report = explanation.report;
  const auto span = static_cast<std::uint64_t>(report.result.array_span);
  return wrapped(fmt::format("array span {} is {} more than the formula: {}", grouped(span),
                             grouped(span - report.plan->formula_cycles()), explanation.excess));
}

nlohmann::ordered_json explain_json(const Explanation& explanation) {
  const RunReport& report = explanation.report;
  nlohmann::ordered_json json = report_json(report);
  const FormulaTerms& formula = report.plan->formula;
  json["plan"]["chunk_rows"] = report.plan->chunk_rows;
  json["plan"]["formula_terms"] = {{"weight_load", formula.weight_load},
                                   {"steps", formula.steps},
                                   {"last_fold", formula.last_fold}};
  json["advice"] = fmt::format("{}", fmt::join(explanation.advice, " "));
  return json;
}

void print_text(const Explanation& explanation, const Streams& streams) {
  const RunReport& report = explanation.report;
  const TilingPlan& plan = *report.plan;
  const Style& style = streams.style;
  streams.out << style.bold(machine_line(report.machine)) << "\n\n"
              << dimension_table(plan, report.machine) << '\n'
              << draw_tiles(plan, report.machine) << '\n'
              << plan_table(plan) << "  " << order_line(plan) << "\n\n"
              << style.bold("cycles") << '\n'
              << cycle_table(report) << excess_line(explanation) << '\n'
              << style.bold("advice") << '\n';
  for (const std::string& sentence : explanation.advice) streams.out << wrapped(sentence);
}

Explanation analyse(const MatmulSpec& spec, const MachineConfig& config) {
  Explanation explanation;
  RunReport& report = explanation.report;
  report.command = "explain";
  report.engine = Engine::kAnalytic;
  report.machine = config;
  report.workload = spec;
  report.plan = plan_workload(spec, config);
  SimulateOptions options;
  options.engine = Engine::kAnalytic;
  const Program program = lower_matmul(*report.plan, config);
  const auto start = std::chrono::steady_clock::now();
  report.result = simulate(config, program, nullptr, options);
  report.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (static_cast<std::uint64_t>(report.result.array_span) > report.plan->formula_cycles()) {
    explanation.excess = excess_text(span_excess(report, program));
  }
  explanation.advice = measured_advice(report);
  return explanation;
}

}  // namespace

int run_explain(const Words& words, const Streams& streams) {
  const Arguments arguments = parse_arguments(words, options());
  if (arguments.has("help")) return print_help(streams), 0;
  const auto json = arguments.text("json");
  if (json && *json != "-") check_writable(*json);
  const MachineConfig config = read_machine(arguments);
  const Explanation explanation = analyse(read_spec(arguments, {}), config);
  if (!json) {
    print_text(explanation, streams);
    return 0;
  }
  const std::string text = explain_json(explanation).dump(2) + "\n";
  if (*json == "-") {
    streams.out << text;
  } else {
    write_file(*json, text);
    print_text(explanation, streams);
  }
  return 0;
}

}  // namespace weft::cli
