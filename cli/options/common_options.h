// The flags that several commands share, each defined, explained and checked in one place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/options/arguments.h"
#include "report/machine_text.h"
#include "runtime/workload/run_options.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/simulate.h"

namespace weft::cli {

/// The files that a run writes, and its summary.
struct OutputFiles {
  std::optional<std::string> out;   // .npy
  std::optional<std::string> json;  // "-" is stdout
  std::optional<std::string> csv;   // likewise
  std::optional<std::string> vcd;
  CycleRange vcd_cycles;  // that the waveform shows
  std::optional<std::string> html;
  std::optional<std::string> trace;
  std::optional<std::string> machine;  // .ini
  bool quiet = false;

  bool json_to_stdout() const { return json == "-"; }
  bool csv_to_stdout() const { return csv == "-"; }
};

/// The flags of a command that simulates: how it runs, and what it writes.
using RunFlags = std::pair<runtime::RunOptions, OutputFiles>;

inline constexpr const char* kDefaultMachine = "tpu-v2";

/// Joins the options of `parts` into one group named "General".
po::options_description general_flags(std::initializer_list<po::options_description> parts);

/// --help, which every command has.
po::options_description help_option();
/// --machine, --machine-out and one option for each key of the machine. The help text says that
/// `otherwise` is the machine without --machine.
po::options_description machine_flags(std::string_view otherwise = kDefaultMachine);
/// The same without --machine-out, for commands that run many machines.
po::options_description machine_input_flags();
/// --with-bias and --activation.
po::options_description workload_flags();
/// --engine, --threads, --seed, --check, --lockstep, --vcd, --trace.
po::options_description simulation_flags();
/// simulation_flags() and --a, --b, --bias, --out.
po::options_description run_flags();
/// --sensitivity.
po::options_description sensitivity_flag();
/// --json.
po::options_description json_flag();
/// --csv. The help text says that it writes `what`, line by line.
po::options_description csv_flag(std::string_view what = "a line for each layer");
/// --html. The help text says that the page shows `what`.
po::options_description html_flag(std::string_view what = "tiles, array, timeline, cycles");
/// --machine-out.
po::options_description machine_out_flag();
/// --quiet.
po::options_description quiet_flag();

/// The machine that --machine names (default: kDefaultMachine), changed by the given keys. Throws
/// ConfigError.
MachineConfig read_machine(const Arguments& arguments);
/// The machine of --machine's INI file without the options; nullopt for a preset.
report::MachineFile read_machine_file(const Arguments& arguments);
/// The file of --machine-out. Throws InputError if it is stdout, cannot be written, or is also that
/// of --machine or of another output.
std::optional<std::string> machine_out(const Arguments& arguments);
/// Writes the machine to that file, if it is given: an INI file, with which --machine gives the
/// same machine. Throws InputError.
void write_machine_out(const Arguments& arguments, const MachineConfig& config);
/// --activation. Throws InputError for an unknown name.
Activation read_activation(const Arguments& arguments);
/// Throws InputError for unknown names, numbers out of range and flags that contradict each other.
RunFlags read_run_flags(const Arguments& arguments);

/// Throws InputError if one of the files cannot be written.
void check_files_writable(const OutputFiles& files);

/// The INI file that --machine names; nullopt if it names no file.
std::optional<std::string> machine_file(const Arguments& arguments);

/// Throws InputError if there are more positional arguments than `most`.
void check_positional_count(const Arguments& arguments, std::size_t most);

}  // namespace weft::cli
