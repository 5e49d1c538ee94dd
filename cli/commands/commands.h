// The subcommands of `weft`: each has a file, and this table lists them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/streams.h"

namespace weft::cli {

using Words = std::vector<std::string>;

/// Each takes the words after its name and returns the exit code: 0, or 1 for a failed check.
/// Throws Error or boost::program_options::error.
int run_matmul(const Words& words, const report::Streams& streams);
int run_explain(const Words& words, const report::Streams& streams);
int run_compile(const Words& words, const report::Streams& streams);
int run_exec(const Words& words, const report::Streams& streams);
int run_machines(const Words& words, const report::Streams& streams);
int run_networks(const Words& words, const report::Streams& streams);
int run_run(const Words& words, const report::Streams& streams);
int run_conv(const Words& words, const report::Streams& streams);
int run_quantize(const Words& words, const report::Streams& streams);
int run_compare(const Words& words, const report::Streams& streams);
int run_sweep(const Words& words, const report::Streams& streams);
int run_scalesim(const Words& words, const report::Streams& streams);
int run_train(const Words& words, const report::Streams& streams);
int run_help(const Words& words, const report::Streams& streams);
int run_completion(const Words& words, const report::Streams& streams);

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Words& words, const report::Streams& streams);
  /// Words after which --help explains another form of the command: "conv", "--layer NAME".
  std::span<const std::string_view> forms = {};
};

std::span<const Command> commands();

/// What `weft compare --with` can name besides files, for completion.
std::vector<std::string> compared_devices();

/// Runs `words` (without the program's name): a command, --help or --version. Throws what the
/// commands throw, and InputError for an unknown command.
int run_command(const Words& words, const report::Streams& streams);

}  // namespace weft::cli
