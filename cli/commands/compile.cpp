#include "runtime/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/figures.h"
#include "base/output_file.h"
#include "base/printable.h"
#include "cli/commands/commands.h"
#include "cli/commands/mapping_table.h"
#include "cli/options/network_options.h"
#include "cli/options/search_options.h"
#include "cli/workload.h"
#include "compiler/onnx/located.h"
#include "compiler/schedule/product/product_graph.h"
#include "report/progress.h"
#include "report/text.h"
#include "runtime/workload/memory_check.h"
#include "runtime/workload/network_outputs.h"
#include "runtime/workload/network_source.h"
#include "sim/isa/text/text.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

po::options_description compile_options() {
  po::options_description output;
  output.add_options()(
      "output,o", po::value<std::string>()->value_name("FILE"),
      "the program's file, .weft; stdout if - or not given. A network that becomes several "
      "programs takes FILE-1.weft, FILE-2.weft and so on")(
      "mapping", "print how each layer is mapped to the array, not the program");
  po::options_description all;
  all.add(workload_flags()).add(network_flags()).add(search_flags());
  all.add(general_flags({output, quiet_flag(), help_option()}));
  return all.add(machine_flags());
}

void print_compile_help(const report::Streams& streams) {
  streams.out << "Usage: weft compile M K N|MODEL.onnx|NAME [-o PROGRAM.weft] [OPTIONS]\n\n"
              << "Writes the program of activations [M,K] times weights [K,N], or those of a\n"
              << "network. `weft exec` runs them.\n\n"
              << help_text(compile_options());
}

void check_flags(const Arguments& arguments, bool network) {
  po::options_description foreign = network ? workload_flags() : network_flags();
  if (!network) foreign.add(search_flags());
  for (const auto& option : foreign.options()) {
    if (!arguments.has(option->long_name())) continue;
    throw InputError(fmt::format("--{}: is for {}; drop it", option->long_name(),
                                 network ? "products M K N" : "networks"));
  }
}

/// What is to be compiled, and how a message calls it.
struct CompiledSource {
  graph::Graph graph;
  std::string name;
};

CompiledSource read_source(const Arguments& arguments, const MachineConfig& config) {
  if (arguments.positionals.empty()) {
    throw InputError("nothing to compile; give M K N, an .onnx file or a network's name");
  }
  if (!names_network(arguments)) {
    check_flags(arguments, false);
    const MatmulSpec spec = read_spec(arguments, {});
    const TilingPlan plan = plan_matmul(spec, config);  // throws what concerns sizes and buffers
    if (!arguments.has("mapping")) {
      runtime::check_memory(runtime::program_bytes(plan), "the program", runtime::kPlanAdvice);
    }
    return {compiler::product_graph(spec, config.dtype), ""};
  }
  check_flags(arguments, true);
  const runtime::NetworkRequest request = read_network_request(arguments);
  graph::Graph graph = runtime::load_network(request);
  runtime::require_computation(request, graph);
  return {std::move(graph), request.model};
}

/// Calls `function` with errors that name the network.
template <class Function>
auto located(const CompiledSource& source, Function&& function) {
  return source.name.empty() ? function() : onnx_io::located(source.name, function);
}

std::vector<const compiler::MachineStep*> programs_of(const compiler::NetworkProgram& network) {
  std::vector<const compiler::MachineStep*> programs;
  for (const auto& step : network.steps) {
    if (const auto* program = std::get_if<compiler::MachineStep>(&step))
      programs.push_back(program);
  }
  return programs;
}

/// "net.weft" for the only program, else "net-1.weft", "net-2.weft".
std::string file_of(const std::string& output, std::size_t index, std::size_t count) {
  if (count == 1) return output;
  const fs::path path(output);
  const std::string name =
      fmt::format("{}-{}{}", path.stem().string(), index + 1, path.extension().string());
  return (path.parent_path() / name).string();
}

/// One line for each program and for each node that the host computes.
std::string step_table(const compiler::NetworkProgram& network, const std::string& output,
                       std::size_t programs) {
  report::Table table("ll");
  std::size_t index = 0;
  for (const auto& step : network.steps) {
    if (const auto* host = std::get_if<compiler::HostStep>(&step)) {
      const graph::Node& node = network.graph.nodes[host->node];
      table.add({"host", fmt::format("{}: {}", printable(node.name), host->reason)});
      continue;
    }
    const auto& program = std::get<compiler::MachineStep>(step);
    const std::string& first = program.layers.front().name;
    const std::string& last = program.layers.back().name;
    table.add({file_of(output, index++, programs),
               fmt::format("{}, {}: {}", counted(program.program.code.size(), "instruction"),
                           counted(program.layers.size(), "layer"),
                           first == last ? printable(first)
                                         : printable(first) + " to " + printable(last))});
  }
  return table.text(0);
}

[[noreturn]] void refuse_host_only(const std::string& name) {
  throw InputError(
      fmt::format("{}: no part of it runs on this machine; `weft run` says why", name));
}

void write_programs(const compiler::NetworkProgram& network, const std::string& output) {
  const auto programs = programs_of(network);
  std::vector<runtime::FileContent> files;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    files.push_back({file_of(output, i, programs.size()), disassemble(programs[i]->program)});
  }
  runtime::write_files_together(files);
}

}  // namespace

int run_compile(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, compile_options());
  if (arguments.has("help")) return print_compile_help(streams), 0;
  const std::string output = arguments.text("output").value_or("-");
  const bool to_file = output != "-";
  if (to_file && arguments.has("mapping")) {
    throw InputError("--mapping: prints no program; drop it or --output");
  }
  if (to_file) check_writable(output);
  const MachineConfig config = read_machine(arguments);
  machine_out(arguments);  // throws before the work
  CompiledSource source = read_source(arguments, config);
  const SearchFlags flags = read_search(arguments);
  const auto search = [&] {
    return find_schedule({source.name, std::move(source.graph), config, nullptr, {}, flags},
                         streams);
  };
  if (arguments.has("mapping")) {
    const std::string text = mapping_table(located(source, search).network);
    if (text.empty()) refuse_host_only(source.name);
    write_machine_out(arguments, config);
    streams.out << text;
    return 0;
  }
  const compiler::NetworkProgram network =
      located(source, [&] { return runtime::compile(search(), config).program; });
  const auto programs = programs_of(network);
  if (programs.empty()) refuse_host_only(source.name);
  if (!to_file && programs.size() > 1) {
    throw InputError(fmt::format("{}: becomes {} programs; name a file with --output",
                                 arguments.positionals.front(), programs.size()));
  }
  write_machine_out(arguments, config);
  if (to_file) {
    write_programs(network, output);
    if (!arguments.has("quiet") && network.steps.size() > 1) {
      streams.out << step_table(network, output, programs.size());
    }
  } else {
    disassemble(programs.front()->program, streams.out);
  }
  return 0;
}

}  // namespace weft::cli
