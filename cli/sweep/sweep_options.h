// The command line of `weft sweep`, and its file: the same options, one a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/arguments.h"
#include "runtime/sweep/pareto.h"
#include "runtime/sweep/space/space.h"

namespace weft::cli {

/// --search, --goal and --seed.
struct SearchGoals {
  std::uint64_t points = 0;
  std::vector<std::string> goals;  // arithmetic over metrics
  std::uint64_t seed = 1;
};

/// What a sweep writes, and how it runs.
struct SweepFlags {
  std::optional<std::string> db;
  std::optional<std::string> csv;   // "-" is stdout
  std::optional<std::string> json;  // "-" is stdout
  std::optional<std::string> html = {};
  std::optional<std::size_t> jobs = {};  // all processors if not given
  std::optional<SearchGoals> search = {};
  bool dry_run = false;
  bool quiet = false;
  std::vector<sweep::Metric> front = {};  // that the Pareto front weighs

  bool table_to_stdout() const { return csv != "-" && json != "-" && !quiet; }
};

po::options_description sweep_options();

/// What --front can name.
std::vector<std::string> swept_figures();

/// The same with --machine-out, which read_sweep_request() refuses with the way to a point's
/// machine. A sweep has no one machine, so no help shows it.
po::options_description sweep_options_with_refused();

/// Throws InputError for a workload or an option that says how to run points: --report runs none.
void check_reports_only(const Arguments& arguments);

/// Adds the options of the file that is the only positional argument, if that ends in .ini. Those
/// of the command line come before those of the file. Throws InputError.
Arguments with_file(Arguments arguments);

/// Throws InputError for missing or malformed options, and for those that contradict each other.
sweep::Request read_sweep_request(const Arguments& arguments);
SweepFlags read_sweep_flags(const Arguments& arguments);

}  // namespace weft::cli
