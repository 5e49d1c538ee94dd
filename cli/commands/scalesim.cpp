#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/input_path.h"
#include "base/output_file.h"
#include "base/printable.h"
#include "cli/commands/commands.h"
#include "cli/options/common_options.h"
#include "cli/report_targets.h"
#include "models/imports/scalesim_config.h"
#include "models/imports/scalesim_topology.h"
#include "report/progress.h"
#include "report/scalesim/scalesim_report.h"
#include "runtime/workload/network_outputs.h"
#include "sim/config/config_keys.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

po::options_description scalesim_options() {
  po::options_description own("SCALE-Sim");
  auto add = own.add_options();
  add("config,c", text_value("FILE"), "the configuration, .cfg");
  add("topology,t", text_value("FILE"),
      "the layers, .csv; the one that the configuration names if not given");
  add("input-type,i", text_value("KIND"), "conv (default) or gemm: what the rows of layers hold");
  add("output-dir,o", text_value("DIR"),
      "write COMPUTE_REPORT.csv and BANDWIDTH_REPORT.csv to DIR, which is created if missing");
  add("as-printed", "count as SCALE-Sim prints: one cycle less a layer");
  add("better",
      "compare the whole runs of serial folds with those of Weft's mapper and double-buffered "
      "weights");
  po::options_description all;
  all.add(own);
  return all.add(general_flags({machine_out_flag(), json_flag(), quiet_flag(), help_option()}));
}

void print_scalesim_help(const report::Streams& streams) {
  streams.out
      << "Usage: weft scalesim -c CONFIG.cfg -t TOPOLOGY.csv [-i gemm] [-o DIR] [OPTIONS]\n\n"
      << "Runs the layers of a SCALE-Sim topology as SCALE-Sim does, one fold after the\n"
      << "other: ws and is on the machine, os by its law. docs/scalesim.md tells what is\n"
      << "equal and what differs.\n\n"
      << help_text(scalesim_options());
}

std::string required(const Arguments& arguments, const char* name, const char* example) {
  if (const auto text = arguments.text(name)) return *text;
  throw InputError(fmt::format("--{} is missing; give {}", name, example));
}

imports::TopologyKind read_kind(const Arguments& arguments) {
  const std::string kind = arguments.text("input-type").value_or("conv");
  if (kind == "conv") return imports::TopologyKind::kConvolution;
  if (kind == "gemm") return imports::TopologyKind::kGemm;
  throw InputError(fmt::format("--input-type {}: unknown; must be conv or gemm", printable(kind)));
}

std::string topology_file(const Arguments& arguments, const imports::ScaleSimConfig& config) {
  if (!arguments.has("topology")) {
    if (config.topology) return *config.topology;
    if (config.stray_topology) {
      throw InputError(
          fmt::format("{}: has no effect, and --topology is missing; move the key to "
                      "[network_presets], or give -t TOPOLOGY.csv",
                      *config.stray_topology));
    }
  }
  return required(arguments, "topology", "-t TOPOLOGY.csv");
}

/// The files of -o DIR, --json and --machine-out.
struct ScaleSimFiles {
  std::optional<fs::path> folder;
  std::optional<std::string> json;
  std::optional<std::string> machine;

  fs::path compute() const { return *folder / "COMPUTE_REPORT.csv"; }
  fs::path bandwidth() const { return *folder / "BANDWIDTH_REPORT.csv"; }
};

/// Throws InputError if the folder cannot be made or a report in it cannot be written.
void check_folder(const ScaleSimFiles& files) {
  std::error_code error;
  if (fs::is_directory(*files.folder, error)) {
    check_writable(files.compute());
    check_writable(files.bandwidth());
    return;
  }
  if (fs::exists(*files.folder, error)) {
    throw InputError(
        fmt::format("--output-dir {}: is a file; name a folder", files.folder->string()));
  }
  fs::path missing = *files.folder;
  while (missing.has_parent_path() && !fs::exists(missing.parent_path(), error)) {
    missing = missing.parent_path();
  }
  check_writable(missing);
}

ScaleSimFiles read_files(const Arguments& arguments) {
  ScaleSimFiles files;
  if (const auto folder = arguments.text("output-dir")) {
    if (folder->empty()) throw InputError("--output-dir: the name is empty; give one");
    files.folder = fs::path(*folder).lexically_normal();
    if (!files.folder->has_filename()) files.folder = files.folder->parent_path();
    check_folder(files);
  }
  files.json = json_target(arguments);
  files.machine = machine_out(arguments);
  return files;
}

/// Throws InputError if an output would replace an input.
void check_not_read(const ScaleSimFiles& files, const std::string& input) {
  std::vector<std::pair<const char*, fs::path>> outputs;
  if (files.folder) {
    outputs.emplace_back("--output-dir", files.compute());
    outputs.emplace_back("--output-dir", files.bandwidth());
  }
  if (files.json && *files.json != "-") outputs.emplace_back("--json", *files.json);
  if (files.machine) outputs.emplace_back("--machine-out", *files.machine);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [option, output] = outputs[i];
    if (same_file(output, input)) {
      throw InputError(fmt::format("{}: {} would replace it; choose another file", input, option));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!same_file(output, outputs[j].second)) continue;
      throw InputError(fmt::format("{}: named by both {} and {}; choose two files",
                                   printable(output.string()), outputs[j].first, option));
    }
  }
}

/// What the other commands make of the machine.
std::string machine_comment(imports::Dataflow dataflow) {
  std::string text =
      "# The machine of weft scalesim, which runs one fold after the other, all rows in one "
      "chunk.\n"
      "# Other commands may cut the rows into chunks, so their cycles may differ.\n";
  switch (dataflow) {
    case imports::Dataflow::kWeightStationary:
      return text;
    case imports::Dataflow::kInputStationary:
      return text + "# With Dataflow is the operands are exchanged: for M x K x N run N K M.\n";
    case imports::Dataflow::kOutputStationary:
      return text + "# It keeps weights. The cycles of Dataflow os come from a law, not from it.\n";
  }
  return text;
}

void write_files(const ScaleSimFiles& files, const report::ScaleSimReport& report,
                 const report::Json& json) {
  std::vector<runtime::FileContent> contents;
  if (files.folder) {
    std::error_code error;
    fs::create_directories(*files.folder, error);
    if (error) {
      throw InputError(fmt::format("--output-dir {}: cannot be created: {}", files.folder->string(),
                                   error.message()));
    }
    contents.push_back({files.compute(), report::compute_report_csv(report)});
    contents.push_back({files.bandwidth(), report::bandwidth_report_csv(report)});
  }
  if (files.json && *files.json != "-") {
    contents.push_back({*files.json, report::json_file_text(json)});
  }
  if (files.machine)
    contents.push_back(
        {*files.machine, machine_comment(report.run.config.dataflow) + to_ini(report.run.machine)});
  runtime::write_files_together(contents);
}

}  // namespace

int run_scalesim(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, scalesim_options());
  if (arguments.has("help")) return print_scalesim_help(streams), 0;
  check_positional_count(arguments, 0);
  const ScaleSimFiles files = read_files(arguments);
  const imports::TopologyKind kind = read_kind(arguments);
  const std::string config_file = required(arguments, "config", "-c CONFIG.cfg");
  check_not_read(files, config_file);
  imports::ScaleSimConfig config = imports::read_scalesim_config(config_file);
  const std::string topology = topology_file(arguments, config);
  check_not_read(files, topology);
  report::ScaleSimReport report;
  report.as_printed = arguments.has("as-printed");
  {
    report::Progress progress(streams);
    report.run = runtime::run_scalesim(
        std::move(config), imports::read_scalesim_topology(topology, kind),
        {.better = arguments.has("better")}, [&](double share) { progress.update(share); });
  }
  const report::Json json = report::scalesim_json(report);
  const std::string text = report::scalesim_text(report, streams.style);
  write_files(files, report, json);
  if (files.json == "-") {
    streams.out << report::json_file_text(json);
  } else if (!arguments.has("quiet")) {
    streams.out << text;
  }
  return 0;
}

}  // namespace weft::cli
