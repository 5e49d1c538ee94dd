#include "base/output_file.h"
#include "cli/commands/commands.h"
#include "cli/workload.h"
#include "compiler/emit/matmul.h"
#include "runtime/workload/memory_check.h"
#include "sim/isa/text.h"

namespace weft::cli {
namespace {

po::options_description compile_options() {
  po::options_description output;
  output.add_options()("output,o", po::value<std::string>()->value_name("FILE"),
                       "the program's file, .weft; stdout if - or not given");
  po::options_description all;
  all.add(workload_flags()).add(general_flags({output, help_option()}));
  return all.add(machine_flags());
}

void print_compile_help(const report::Streams& streams) {
  streams.out << "Usage: weft compile M K N [-o PROGRAM.weft] [OPTIONS]\n\n"
              << "Writes the program of activations [M,K] times weights [K,N].\n\n"
              << compile_options();
}

}  // namespace

int run_compile(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, compile_options());
  if (arguments.has("help")) return print_compile_help(streams), 0;
  const std::string output = arguments.text("output").value_or("-");
  const bool to_file = output != "-";
  if (to_file) check_writable(output);
  const MachineConfig config = read_machine(arguments);
  const TilingPlan plan = runtime::plan_workload(read_spec(arguments, {}), config);
  const Program program = lower_matmul(plan, config);
  if (to_file) {
    write_file(output, disassemble(program));
  } else {
    disassemble(program, streams.out);
  }
  return 0;
}

}  // namespace weft::cli
