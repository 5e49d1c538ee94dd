#include "cli/sweep/sweep_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/input_path.h"
#include "base/output_file.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "base/similar.h"
#include "cli/options/common_options.h"
#include "cli/options/conv_options.h"
#include "cli/options/named_files.h"
#include "cli/options/network_options.h"
#include "cli/options/search_options.h"
#include "cli/report_targets.h"
#include "cli/sweep/sweep_workloads.h"
#include "runtime/analysis/axis_values.h"
#include "runtime/sweep/mpi/ranks.h"
#include "sim/config/config_keys.h"
#include "sim/config/ini_file.h"

namespace weft::cli {
namespace {

po::options_description run_part() {
  po::options_description options("Run");
  auto add = options.add_options();
  add("engine", text_value("NAME"), "as for run; analytic if not given");
  add("energy", text_value("TABLE"),
      "prices the events: own (default: the table of the machine's power.node), 45nm, 28nm, 16nm, "
      "7nm or an INI file");
  add("jobs", text_value("N"), "processes that run points side by side; all cores if not given");
  return options;
}

po::options_description space_part() {
  po::options_description options("Space");
  const auto texts = [](const char* name) {
    return po::value<std::vector<std::string>>()->composing()->value_name(name);
  };
  auto add = options.add_options();
  add("link", texts("KEY=EXPR"),
      "a key that follows from other numbers, such as array.rows=array.cols; repeat for others");
  add("where", texts("COND"),
      "run only points for which this holds, such as 'rows*cols <= 65536'; repeat for others");
  add("search", text_value("N"),
      "run N points instead of all: first spread over the space, then near the best");
  add("goal", texts("EXPR"),
      "what a search makes small, such as energy*time, of the figures of --front; repeat for a "
      "front "
      "of several goals");
  add("seed", text_value("N"), "seed of a search; 1 if not given");
  add("dry-run", "print the number of points and the time that they may take; run none");
  return options;
}

po::options_description output_part() {
  po::options_description options("Output");
  auto add = options.add_options();
  add("db", text_value("FILE"),
      "SQLite database of the points; those that it holds already are not computed again");
  add("report", text_value("DB"), "run nothing; show the points of this database");
  add("csv", text_value("FILE"), "write the points as CSV; - is stdout");
  add("json", text_value("FILE"), "write the points as JSON; - is stdout");
  add("html", text_value("FILE"), "with --report: write an HTML page of the points");
  add("front", text_value("X,Y"),
      "the figures that the Pareto front weighs: two of cycles, time, energy, area, bandwidth, "
      "buffer, macs, share; time,energy if not given");
  return options;
}

/// The workload as a line of a file has it: `workload = matmul 512 512 512`.
po::options_description file_options() {
  po::options_description options;
  options.add(sweep_options_with_refused());
  options.add_options()("workload", po::value<std::string>());
  options.add_options()("machine.clock_mhz", po::value<std::string>());
  return options;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

[[noreturn]] void fail_unknown(const std::string& place, const std::string& key,
                               const po::options_description& options) {
  std::vector<std::string> names;
  for (const auto& known : options.options()) names.push_back(known->long_name());
  const std::string meant = most_similar(key, names);
  throw InputError(
      fmt::format("{}: unknown option; {}", place,
                  meant.empty() ? "see weft sweep --help" : "did you mean " + meant + "?"));
}

/// A line of the file as the command line would have it: `quiet = on` is --quiet, and nothing is
/// left of `quiet = off`. `place` names the line in errors.
std::optional<po::option> option_of(const IniEntry& entry, const std::string& place,
                                    const po::option_description& option) {
  for (const char* only_typed : {"help", "report"}) {
    if (entry.key == only_typed) {
      throw InputError(fmt::format("{}: has no place in a file; give --{}", place, only_typed));
    }
  }
  if (option.semantic()->max_tokens() > 0) return po::option(entry.key, {entry.value});
  if (entry.value == "on") return po::option(entry.key, {});
  if (entry.value == "off") return std::nullopt;
  throw InputError(fmt::format("{} = {}: must be on or off", place, printable(entry.value)));
}

void read_lines(const std::string& file, po::variables_map& values) {
  if (const char* problem = input_path_problem(file)) {
    throw InputError(fmt::format("{}: {}", file, problem));
  }
  std::ifstream in(file);
  const po::options_description options = file_options();
  po::parsed_options lines(&options);
  std::set<std::string> seen;
  for (IniEntry& entry : read_ini(in, file, "a sweep")) {
    const std::string place = fmt::format("{}:{}: {}", file, entry.line, printable(entry.key));
    // Not find_nothrow(), which takes an empty key for the absent short name of every option.
    const auto option = std::ranges::find(options.options(), entry.key,
                                          [](const auto& known) { return known->long_name(); });
    if (option == options.options().end()) fail_unknown(place, entry.key, options);
    // A machine's file may have its clock in [machine], although the option has no section.
    if (entry.key == "machine.clock_mhz") entry.key = "clock_mhz";
    if (!seen.insert(entry.key).second && !(*option)->semantic()->is_composing()) {
      throw InputError(place + ": given more than once; keep one line");
    }
    if (auto line = option_of(entry, place, **option)) lines.options.push_back(std::move(*line));
  }
  try {
    po::store(lines, values);
  } catch (const po::error& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

std::vector<std::string> texts_of(const Arguments& arguments, const std::string& name) {
  if (!arguments.has(name)) return {};
  return arguments.values[name].as<std::vector<std::string>>();
}

std::vector<sweep::Metric> read_front(const Arguments& arguments) {
  std::vector<sweep::Metric> front;
  const std::string names = arguments.text("front").value_or("time,energy");
  for (const std::string& name : runtime::parse_values(names, "--front")) {
    front.push_back(sweep::find_metric(name));
  }
  if (front.size() == 2) return front;
  throw InputError(fmt::format("--front {}: must name two different figures", printable(names)));
}

std::optional<SearchGoals> read_goals(const Arguments& arguments) {
  const auto points = arguments.text("search");
  if (!points) {
    for (const char* name : {"goal", "seed"}) {
      if (arguments.has(name)) {
        throw InputError(fmt::format("--{}: is for --search, which is not given", name));
      }
    }
    return std::nullopt;
  }
  SearchGoals search;
  search.points = parse_number(*points, "--search", 1, runtime::kMostValues);
  search.goals = texts_of(arguments, "goal");
  if (search.goals.empty()) {
    throw InputError("--search: needs a --goal, such as time or energy*time");
  }
  if (const auto seed = arguments.text("seed")) {
    search.seed = parse_number(*seed, "--seed", 0, std::numeric_limits<std::uint64_t>::max());
  }
  return search;
}

std::optional<std::size_t> read_jobs(const Arguments& arguments) {
  const auto jobs = arguments.text("jobs");
  if (!jobs) return std::nullopt;
  if (sweep::is_rank()) {
    throw InputError("--jobs: mpirun says how many processes there are; drop it");
  }
  return parse_number(*jobs, "--jobs", 1, 1024);
}

Engine read_sweep_engine(const Arguments& arguments) {
  const std::string name = arguments.text("engine").value_or("analytic");
  if (const auto engine = engine_from_string(name)) return *engine;
  throw InputError(
      fmt::format("--engine {}: unknown; must be {}", printable(name), engine_names()));
}

}  // namespace

std::vector<std::string> swept_figures() {
  std::vector<std::string> names;
  for (const sweep::Metric& metric : sweep::metrics()) names.emplace_back(metric.name);
  return names;
}

po::options_description sweep_options() {
  po::options_description all;
  po::options_description network = network_flags();
  all.add(network)
      .add(conv_flags())
      .add(space_part())
      .add(run_part())
      .add(effort_flag())
      .add(output_part());
  all.add(general_flags({quiet_flag(), help_option()}));
  return all.add(machine_input_flags());
}

po::options_description sweep_options_with_refused() {
  po::options_description all = sweep_options();
  return all.add(machine_out_flag());
}

void check_reports_only(const Arguments& arguments) {
  if (!arguments.positionals.empty()) {
    throw InputError(fmt::format("{}: --report shows what is there and runs nothing; drop one",
                                 printable(arguments.positionals.front())));
  }
  for (const char* name : {"db", "dry-run"}) {
    if (arguments.has(name))
      throw InputError(fmt::format("--{}: has no effect with --report", name));
  }
  for (const po::options_description& part :
       {network_flags(), conv_flags(), space_part(), run_part(), effort_flag(), machine_flags()}) {
    refuse_options(arguments, part, "has no effect with --report");
  }
}

Arguments with_file(Arguments arguments) {
  const auto is_file = [](const std::string& word) { return word.ends_with(".ini"); };
  const auto found = std::ranges::find_if(arguments.positionals, is_file);
  if (found == arguments.positionals.end()) return arguments;
  const std::string file = *found;
  if (arguments.positionals.size() > 1) {
    throw InputError(fmt::format(
        "{}: a file has the whole sweep, so nothing stands beside it but options; run it alone",
        printable(file)));
  }
  read_lines(file, arguments.values);
  check_files_apart(arguments);
  arguments.positionals.clear();
  const auto workload = arguments.text("workload");
  if (!workload && arguments.has("problem")) return arguments;
  if (!workload) {
    throw InputError(
        fmt::format("{}: has no workload; add a line such as workload = matmul 512 512 512", file));
  }
  arguments.positionals = words_of(*workload);
  check_files_apart(arguments);
  return arguments;
}

sweep::Request read_sweep_request(const Arguments& arguments) {
  if (arguments.has("machine-out")) {
    throw InputError(
        "--machine-out: writes one machine; give it to the command of a point (column command)");
  }
  sweep::Request request;
  read_workloads(arguments, request);
  if (const auto machines = arguments.text("machine")) {
    request.axes.push_back(make_axis("machine", *machines, "--machine"));
  }
  for (const ConfigKey& key : config_keys()) {
    if (const auto text = arguments.text(key.name)) {
      request.axes.push_back(make_axis(key.name, *text, "--" + key.name));
    }
  }
  for (const std::string& text : texts_of(arguments, "link")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError(
          fmt::format("--link {}: must look like array.rows=array.cols", printable(text)));
    }
    const std::string_view key = std::string_view(text).substr(0, equals);
    request.links.push_back({std::string(trimmed(key)), text.substr(equals + 1)});
  }
  request.conditions = texts_of(arguments, "where");
  request.engine = read_sweep_engine(arguments);
  request.effort = read_search(arguments).effort;
  request.energy_name = arguments.text("energy").value_or(request.energy_name);
  if (request.energy_name != "own") request.energy = load_energy_table(request.energy_name);
  return request;
}

SweepFlags read_sweep_flags(const Arguments& arguments) {
  SweepFlags flags;
  flags.db = arguments.text("db");
  flags.csv = arguments.text("csv");
  flags.json = arguments.text("json");
  flags.jobs = read_jobs(arguments);
  flags.search = read_goals(arguments);
  flags.dry_run = arguments.has("dry-run");
  flags.quiet = arguments.has("quiet");
  flags.front = read_front(arguments);
  flags.html = html_target(arguments);
  if (flags.html && !arguments.has("report")) {
    throw InputError("--html: shows a database; run the sweep with --db, then use --report");
  }
  for (const auto& file : {flags.csv, flags.json}) {
    if (!file || *file == "-") continue;
    if (file->empty()) throw InputError("--csv and --json: the name is empty; give one");
    check_writable(*file);
  }
  return flags;
}

}  // namespace weft::cli
