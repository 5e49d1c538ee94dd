// The `weft` command. Here every error becomes one line on stderr and an exit code: 0 done, 1 a
// check found a mismatch, 2 bad input, 3 the simulated machine failed.
#include <unistd.h>

#include <boost/program_options/errors.hpp>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/interrupt.h"
#include "cli/commands/commands.h"
#include "cli/terminal_output.h"
#include "runtime/sweep/mpi/ranks.h"

namespace {

constexpr int kMismatch = 1;
constexpr int kBadInput = 2;
constexpr int kSimulationFailed = 3;

/// Replaces control characters, so that quoted text neither breaks the line nor controls the
/// terminal.
std::string one_line(std::string_view message) {
  std::string line(message);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return line;
}

int fail(std::string_view message, int code) {
  // In one write, so that no other rank's line gets into this one.
  std::cerr << "weft: " + one_line(message) + '\n';
  return code;
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// True for a terminal that understands escape sequences. mpirun gives its ranks a terminal and
/// copies what they write to wherever its own output goes, so a rank does not know.
bool is_terminal(int descriptor) {
  if (weft::sweep::is_rank()) return false;
  const std::string_view kind = environment("TERM");
  return ::isatty(descriptor) != 0 && !kind.empty() && kind != "dumb";
}

bool wants_color() {
  return is_terminal(STDOUT_FILENO) && environment("NO_COLOR").empty();
}

int run(const weft::cli::Words& words) {
  weft::cli::TerminalOutput out(*std::cout.rdbuf());
  const weft::report::Streams streams{out, std::cerr, weft::report::Style(wants_color()),
                                      is_terminal(STDERR_FILENO)};
  const int code = weft::cli::run_command(words, streams);
  if (!out.flush()) throw weft::InputError("stdout: cannot write; free some space");
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  weft::end_with_a_word_on_interrupt();
  // Beyond `ulimit -f` a write then fails, and its error becomes a line. The signal would kill.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run({argv + 1, argv + argc});
  } catch (const weft::CheckError& error) {
    return fail(error.what(), kMismatch);
  } catch (const weft::SimulationError& error) {
    return fail(error.what(), kSimulationFailed);
  } catch (const weft::Error& error) {
    return fail(error.what(), kBadInput);
  } catch (const boost::program_options::error& error) {
    return fail(error.what(), kBadInput);
  } catch (const std::bad_alloc&) {
    return fail("not enough memory; choose smaller sizes", kBadInput);
  } catch (const std::system_error& error) {  // a thread that the system's limits do not allow
    return fail(std::string(error.what()) + "; choose smaller sizes or --threads 1", kBadInput);
  } catch (const std::exception& error) {
    return fail(std::string("unexpected: ") + error.what(), kSimulationFailed);
  }
}
