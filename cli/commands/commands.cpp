#include "cli/commands/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/printable.h"
#include "base/version.h"

namespace weft::cli {
namespace {

constexpr std::array<std::string_view, 4> kExplainForms = {"conv", "--layer NAME",
                                                           "NAME --sweep batch=1..2", "--why"};

constexpr std::array<Command, 15> kCommands = {
    {{"run", "run a whole network, from an ONNX file or one that comes with weft", run_run},
     {"conv", "simulate one convolution and check its values", run_conv},
     {"matmul", "simulate a matrix product and check its values", run_matmul},
     {"explain", "show how a product or convolution is tiled and runs, and why two runs differ",
      run_explain, kExplainForms},
     {"compare",
      "one product or network on TPUs, this CPU, and modelled GPUs, or two results, side by side",
      run_compare},
     {"sweep", "run a workload on many machines; keep the figures in a database", run_sweep},
     {"scalesim", "run a SCALE-Sim configuration and topology, fold by fold as it does",
      run_scalesim},
     {"train",
      "train a network on labeled images: on the CPU, a CUDA device or the simulated machine",
      run_train},
     {"quantize", "turn a float network into one that computes in int8", run_quantize},
     {"compile", "write the program of a product, or the programs of a network, as text",
      run_compile},
     {"exec", "run a program", run_exec},
     {"machines", "list the machines that come with weft, or print one", run_machines},
     {"networks", "list the networks that come with weft, or print one", run_networks},
     {"completion", "print a script that completes commands in bash, zsh or fish", run_completion},
     {"help", "show the help of a command, or its manual page", run_help}}};

void print_help(const report::Streams& streams) {
  report::Table table("ll");
  for (const Command& command : kCommands) {
    table.add({std::string(command.name), std::string(command.summary)});
  }
  streams.out << "weft: a cycle-exact simulator of TPU-like machines\n\n"
              << "Usage: weft COMMAND [ARGUMENTS]\n\n"
              << table.text(2) << "\nweft COMMAND --help explains each, weft --version names the "
              << "version.\n";
}

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

int run_command(const Words& words, const report::Streams& streams) {
  if (words.empty()) throw InputError("no command; see weft --help");
  const std::string& name = words.front();
  if (name == "--help" || name == "-h") return print_help(streams), 0;
  if (name == "--version") return streams.out << "weft " << version() << '\n', 0;
  const auto found = std::ranges::find(kCommands, name, &Command::name);
  if (found == kCommands.end()) {
    throw InputError(fmt::format("{}: unknown command; see weft --help", printable(name)));
  }
  return found->run({words.begin() + 1, words.end()}, streams);
}

}  // namespace weft::cli
