#include "cli/options/common_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/input_path.h"
#include "base/output_file.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "cli/options/cost_options.h"
#include "report/trace/waveform.h"
#include "runtime/job/lockstep_difference.h"
#include "sim/config/config_keys.h"

namespace weft::cli {
namespace {

Engine read_engine(const Arguments& arguments) {
  const std::string name = arguments.text("engine").value_or("fast");
  if (const auto engine = engine_from_string(name)) return *engine;
  throw InputError(
      fmt::format("--engine {}: unknown; must be {}", printable(name), engine_names()));
}

runtime::CheckMode read_check(const Arguments& arguments, Engine engine) {
  const auto name = arguments.text("check");
  if (!name)
    return engine == Engine::kAnalytic ? runtime::CheckMode::kNone : runtime::CheckMode::kCpu;
  if (*name == "none") return runtime::CheckMode::kNone;
  if (*name == "cuda") {
    throw InputError(
        "--check cuda: only the CPU reference adds in the machine's order; use --check cpu");
  }
  if (*name == "cpu") return runtime::CheckMode::kCpu;
  throw InputError(fmt::format("--check {}: unknown; must be cpu or none", printable(*name)));
}

unsigned read_threads(const Arguments& arguments) {
  const auto text = arguments.text("threads");
  if (!text) return std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>(parse_number(*text, "--threads", 1, 1024));
}

/// Checks that no output replaces the waveform of a lock-step difference, and that only --json or
/// --csv goes to stdout.
void check_files(const RunFlags& flags) {
  const auto& [options, files] = flags;
  const std::pair<const char*, const std::optional<std::string>&> outputs[] = {
      {"--out", files.out}, {"--json", files.json},   {"--csv", files.csv},
      {"--vcd", files.vcd}, {"--trace", files.trace}, {"--html", files.html}};
  for (const auto& [option, file] : outputs) {
    if (!file) continue;
    if (file->empty()) throw InputError(fmt::format("{}: the name is empty; give one", option));
    if (file == "-" && &file != &files.json && &file != &files.csv) {
      throw InputError(
          fmt::format("{} -: only --json and --csv can go to stdout; name a file", option));
    }
    if (options.lockstep && same_file(*file, runtime::kLockstepFile)) {
      throw InputError(fmt::format("{}: named by both --lockstep and {}; choose two files",
                                   printable(*file), option));
    }
  }
}

void check_contradictions(const Arguments& arguments, const RunFlags& flags) {
  const auto& [options, files] = flags;
  if (options.lockstep && options.engine != Engine::kRtl) {
    throw InputError(
        fmt::format("--lockstep compares rtl with stepped; give --engine rtl instead of {}",
                    to_string(options.engine)));
  }
  if (files.vcd && options.engine != Engine::kRtl && options.engine != Engine::kStepped) {
    throw InputError(
        fmt::format("--vcd: the {} engine has no registers to show; give --engine stepped or rtl",
                    to_string(options.engine)));
  }
  const bool silent = files.quiet || files.csv_to_stdout();
  const std::string_view silencer = files.csv_to_stdout() ? "--csv -" : "--quiet";
  if (arguments.has("sensitivity") && silent && !files.json) {
    throw InputError(fmt::format(
        "--sensitivity: {0} prints no table; drop {0} or name a --json file", silencer));
  }
  const bool has_report = !silent || files.json || files.html;
  if (arguments.has("energy") && !has_report && !files.csv) {
    throw InputError("--energy: --quiet prints no summary; drop it or name a --json or --csv file");
  }
  if (arguments.has("price-per-hour") && !has_report) {
    throw InputError(fmt::format(
        "--price-per-hour: {0} prints no summary; drop {0} or name a --json file", silencer));
  }
  if (options.with_values()) return;
  if (options.check != runtime::CheckMode::kNone) {
    throw InputError("--engine analytic computes no values to check; drop --check or use fast");
  }
  if (files.out) {
    throw InputError("--engine analytic computes no values for --out; use --engine fast");
  }
  if (arguments.has("threads")) {
    throw InputError("--engine analytic runs on one thread; drop --threads or use --engine fast");
  }
  if (options.seed) {
    throw InputError("--engine analytic draws no values for --seed; drop it or use --engine fast");
  }
}

/// Joins the options of `parts` into one group.
po::options_description group(const char* name,
                              std::initializer_list<po::options_description> parts) {
  po::options_description options(name);
  for (const po::options_description& part : parts) {
    for (const auto& option : part.options()) options.add(option);
  }
  return options;
}

po::options_description machine_name_flag(std::string_view otherwise) {
  po::options_description options;
  const std::string help =
      fmt::format("preset (see `weft machines`) or INI file; {} if not given", otherwise);
  options.add_options()("machine", text_value("NAME"), help.c_str());
  return options;
}

}  // namespace

std::optional<std::string> machine_file(const Arguments& arguments) {
  std::error_code error;
  const auto name = arguments.text("machine");
  return name && std::filesystem::is_regular_file(*name, error) ? name : std::nullopt;
}

po::options_description general_flags(std::initializer_list<po::options_description> parts) {
  return group("General", parts);
}

po::options_description help_option() {
  po::options_description options;
  options.add_options()("help,h", "show this text");
  return options;
}

po::options_description machine_flags(std::string_view otherwise) {
  return group("Machine", {machine_name_flag(otherwise), machine_out_flag(), machine_options()});
}

po::options_description machine_input_flags() {
  return group("Machine", {machine_name_flag(kDefaultMachine), machine_options()});
}

po::options_description workload_flags() {
  po::options_description options("Workload");
  options.add_options()("with-bias", "add a bias to each column of the result");
  options.add_options()("activation", text_value("NAME"),
                        "none, relu or relu6, applied last; none if not given");
  return options;
}

po::options_description simulation_flags() {
  po::options_description options("Run");
  auto add = options.add_options();
  add("engine", text_value("NAME"),
      "analytic: cycles only; fast (default): the same cycles, and values; timed: cycles "
      "from SystemC units; stepped: every register of the array; rtl: the array in SystemVerilog");
  add("threads", text_value("N"), "threads for kernels and check; all cores if not given");
  add("seed", text_value("N"), "seed of the random values; 1 if not given");
  add("check", text_value("NAME"), "cpu: compare with a reference (default); none");
  add("lockstep", "with --engine rtl: run stepped beside it and compare every register each cycle");
  add("vcd", text_value("FILE"), "with stepped or rtl: write a waveform of the array");
  add("vcd-cycles", text_value("A..B"), "with --vcd: show cycles A to B only");
  add("trace", text_value("FILE"), "write a trace of each unit's work, for ui.perfetto.dev");
  return options;
}

po::options_description run_flags() {
  po::options_description options = simulation_flags();
  auto add = options.add_options();
  add("a", text_value("FILE"), "activations [M,K], .npy; random if not given");
  add("b", text_value("FILE"), "weights [K,N], .npy; random if not given");
  add("bias", text_value("FILE"), "bias [N], .npy");
  add("out", text_value("FILE"), "write the result [M,N] as .npy");
  return options;
}

po::options_description sensitivity_flag() {
  po::options_description options;
  options.add_options()(
      "sensitivity", "list the cycles of a run with each key of the machine 10 % faster or larger");
  return options;
}

po::options_description json_flag() {
  po::options_description options;
  options.add_options()("json", text_value("FILE"), "write the figures as JSON; - is stdout");
  return options;
}

po::options_description csv_flag(std::string_view what) {
  po::options_description options;
  const std::string help = fmt::format("write {} as CSV; - is stdout", what);
  options.add_options()("csv", text_value("FILE"), help.c_str());
  return options;
}

po::options_description html_flag(std::string_view what) {
  po::options_description options;
  const std::string help = fmt::format("write an HTML page: {}", what);
  options.add_options()("html", text_value("FILE"), help.c_str());
  return options;
}

po::options_description machine_out_flag() {
  po::options_description options;
  options.add_options()("machine-out", text_value("FILE"),
                        "write the machine as an INI file, for --machine");
  return options;
}

po::options_description quiet_flag() {
  po::options_description options;
  options.add_options()("quiet", "print no summary");
  return options;
}

MachineConfig read_machine(const Arguments& arguments) {
  MachineConfig config = load_machine(arguments.text("machine").value_or(kDefaultMachine));
  apply_options(config, arguments.values);
  return config;
}

report::MachineFile read_machine_file(const Arguments& arguments) {
  const auto file = machine_file(arguments);
  return file ? report::MachineFile(load_machine(*file)) : std::nullopt;
}

std::optional<std::string> machine_out(const Arguments& arguments) {
  auto file = arguments.text("machine-out");
  if (!file) return std::nullopt;
  if (file->empty()) throw InputError("--machine-out: the name is empty; give one");
  if (*file == "-") {
    throw InputError("--machine-out -: the machine cannot go to stdout; name a file");
  }
  check_writable(*file);
  return file;
}

void write_machine_out(const Arguments& arguments, const MachineConfig& config) {
  if (const auto file = machine_out(arguments)) write_file(*file, to_ini(config));
}

Activation read_activation(const Arguments& arguments) {
  return parse_activation(arguments.text("activation").value_or("none"), "--activation");
}

RunFlags read_run_flags(const Arguments& arguments) {
  RunFlags flags;
  auto& [options, files] = flags;
  options.engine = read_engine(arguments);
  options.threads = read_threads(arguments);
  options.check = read_check(arguments, options.engine);
  if (const auto seed = arguments.text("seed")) {
    options.seed = parse_number(*seed, "--seed", 0, UINT64_MAX);
  }
  options.a = arguments.text("a");
  options.b = arguments.text("b");
  options.bias = arguments.text("bias");
  options.lockstep = arguments.has("lockstep");
  files.out = arguments.text("out");
  files.json = arguments.text("json");
  files.csv = arguments.text("csv");
  files.vcd = arguments.text("vcd");
  if (const auto cycles = arguments.text("vcd-cycles")) {
    if (!files.vcd) throw InputError("--vcd-cycles: is for --vcd, which is not given");
    files.vcd_cycles = report::parse_vcd_cycles(*cycles);
  }
  files.html = arguments.text("html");
  files.trace = arguments.text("trace");
  files.machine = machine_out(arguments);
  files.quiet = arguments.has("quiet");
  check_files(flags);
  check_contradictions(arguments, flags);
  return flags;
}

void check_files_writable(const OutputFiles& files) {
  if (files.out) check_writable(*files.out);
  if (files.json && !files.json_to_stdout()) check_writable(*files.json);
  if (files.csv && !files.csv_to_stdout()) check_writable(*files.csv);
  if (files.vcd) check_writable(*files.vcd);
  if (files.html) check_writable(*files.html);
  if (files.trace) check_writable(*files.trace);
}

void check_positional_count(const Arguments& arguments, std::size_t most) {
  if (arguments.positionals.size() <= most) return;
  throw InputError(
      fmt::format("{}: one argument too many; see --help", printable(arguments.positionals[most])));
}

}  // namespace weft::cli
