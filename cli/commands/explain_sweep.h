// `weft explain ... --sweep`: ranges of sizes, of the machine's keys and of a network's batch.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "cli/commands/commands.h"
#include "cli/options/arguments.h"
#include "report/streams.h"
#include "runtime/analysis/sweep_workloads.h"

namespace weft::cli {

/// --steps.
po::options_description steps_flag();

/// --sweep of a product or a convolution.
po::options_description sweep_flag();

/// `options` and those of a product's explanation that `form`, such as "--layer", has no use for:
/// --steps and the ones of cost. `weft explain --help` lists them, so they are parsed and refused.
po::options_description with_unused(const po::options_description& options);
/// Throws InputError if one of these was given.
void refuse_unused(const Arguments& arguments, std::string_view form);

/// A size, or a key of the machine or the batch.
using SweepWish = std::variant<runtime::SweepRequest, runtime::ValueSweepRequest>;

/// Parses --sweep; nullopt if it is not given. Throws InputError.
std::optional<SweepWish> read_sweep(const Arguments& arguments);

/// Runs the sweep of a product or a convolution, with progress. Throws InputError, ConfigError.
template <class Spec, class SweptSizes>
runtime::Sweep run_sweep_of(const Spec& spec, const MachineConfig& machine, const SweepWish& wish,
                            SweptSizes swept_sizes, const std::function<void(double)>& progress) {
  if (const auto* values = std::get_if<runtime::ValueSweepRequest>(&wish)) {
    return runtime::run_value_sweep(runtime::swept_runs(spec), *values, machine, progress);
  }
  const auto& sizes = std::get<runtime::SweepRequest>(wish);
  return runtime::run_sweep(swept_sizes(spec, machine, sizes.dimension), sizes, progress);
}

/// True if the words after `explain` ask for the sweep of a network.
bool asks_about_network_sweep(const Words& words);

/// Like the functions of commands().
int run_explain_network_sweep(const Words& words, const report::Streams& streams);

}  // namespace weft::cli
