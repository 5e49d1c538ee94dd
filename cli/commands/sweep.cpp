#include "base/error.h"
#include "base/interrupt.h"
#include "cli/commands/commands.h"
#include "cli/sweep/sweep_run.h"
#include "runtime/sweep/mpi/ranks.h"

namespace weft::cli {
namespace {

constexpr int kBadInput = 2;

void print_sweep_help(const report::Streams& streams) {
  streams.out
      << "Usage: weft sweep matmul M K N [OPTIONS]\n"
      << "       weft sweep conv --input N,C,H,W --filters F --kernel Y,X [OPTIONS]\n"
      << "       weft sweep --problem FILE.yaml [OPTIONS]\n"
      << "       weft sweep NETWORK... [OPTIONS]\n"
      << "       weft sweep FILE.ini [OPTIONS]\n"
      << "       weft sweep --report DB [OPTIONS]\n\n"
      << "Runs a workload on many machines. Each key of the machine, --machine, --batch and the\n"
      << "sizes of a product take a list of values and ranges: 64,128,256 or 16..128*2 (each is\n"
      << "twice the last) or 1024..16384+1024 (each is 1024 more). The sweep is every "
         "combination.\n"
      << "A file has the same options, one a line, and workload = matmul 512 512 512.\n\n"
      << help_text(sweep_options());
}

int run_as_typed(const Words& words, const report::Streams& streams) {
  Arguments arguments = parse_arguments(words, sweep_options_with_refused());
  if (arguments.has("help")) return print_sweep_help(streams), 0;
  if (const auto db = arguments.text("report")) {
    check_reports_only(arguments);
    report_sweep(*db, read_sweep_flags(arguments), command_line("sweep", words), streams);
    return 0;
  }
  arguments = with_file(std::move(arguments));
  const SweepFlags flags = read_sweep_flags(arguments);
  run_sweep_job(read_sweep_request(arguments), flags, streams);
  return 0;
}

}  // namespace

int run_sweep(const Words& words, const report::Streams& streams) {
  if (sweep::is_first_rank()) return run_as_typed(words, streams);
  set_interrupt_message("");  // the first rank says it
  try {
    return run_as_typed(words, streams);
  } catch (const Error&) {
    return kBadInput;  // the first rank finds the same and says it
  }
}

}  // namespace weft::cli
