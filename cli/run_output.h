// What a run leaves behind, the same for products and networks: its files and its summary.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "base/output_stream.h"
#include "cli/options/common_options.h"
#include "compiler/program/network_program.h"
#include "report/json.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/streams.h"
#include "runtime/job/run_observers.h"
#include "runtime/workload/network_outputs.h"

namespace weft::cli {

/// Writes the files aside and gives them their names at the end, all of them or none.
class RunOutput {
 public:
  /// Both must outlive this object.
  RunOutput(const OutputFiles& files, const report::Streams& streams)
      : files_(files), streams_(streams) {}

  /// Opens the file of --vcd. Throws InputError as report::open_waveform() does.
  void open_waveform(const MachineConfig& machine, const Program& program);
  /// Observes a run on `machine` for these files. Both arguments must outlive the run.
  runtime::RunObservers observers(const MachineConfig& machine, report::Progress& progress);

  /// True if write() has something to write.
  bool needs_program() const { return files_.trace || files_.html; }
  /// Writes the files of --trace and --html. `program` is what ran. Throws InputError.
  void write(const report::RunReport& report, const compiler::NetworkProgram& program,
             const std::string& command_line);

  /// Writes the files of --json and --csv and `others`, names all files, and prints the summary.
  /// Returns the exit code: 1 if the check found a mismatch, else 0. Throws InputError.
  int finish(const report::RunReport& report, std::vector<runtime::FileContent> others);

 private:
  const OutputFiles& files_;
  const report::Streams& streams_;
  std::optional<OutputStream> vcd_ = {};
  std::optional<OutputStream> trace_ = {};
  std::optional<OutputFile> html_ = {};
};

/// What a run says in its formats. `csv` is empty for a run that has no such file.
struct Summary {
  report::Json json;
  std::string csv;
  std::string text;
};

/// Writes the files of --json, --csv and --machine-out and `others`: all of them or none. Throws
/// InputError.
void write_summary_files(const OutputFiles& files, const Summary& summary,
                         const MachineConfig& machine, std::vector<runtime::FileContent> others);
/// Prints the JSON or the CSV if it goes to stdout, else the text unless --quiet.
void print_summary(const OutputFiles& files, const Summary& summary,
                   const report::Streams& streams);

}  // namespace weft::cli
