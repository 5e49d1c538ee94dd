#include "rtl/cosim/rtl_builder.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.h"

namespace weft {
namespace {

/// Waits for the child to end. Returns its exit status as a shell would give it.
int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) != child) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Starts the program with its output on standard error, because standard output belongs to the
/// report. Returns an errno value, 0 for success.
int spawn(const char* program, char* const* words, pid_t& child) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  const int error = ::posix_spawn(&child, program, &actions, nullptr, words, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

void build_rtl_array(const char* program, const RtlArray& array) {
  std::string name = program;
  std::string size = fmt::format("{}x{}", array.rows, array.cols);
  std::string type(to_string(array.type));
  std::string accumulator_rows = std::to_string(array.accumulator_rows);
  char* const words[] = {name.data(), size.data(), type.data(), accumulator_rows.data(), nullptr};
  pid_t child = 0;
  if (const int error = spawn(program, words, child); error != 0) {
    throw MissingError(fmt::format("--engine rtl: WEFT_RTL_BUILDER: cannot run {}: {}", program,
                                   std::strerror(error)));
  }
  if (const int code = wait_for(child); code != 0) {
    throw MissingError(
        fmt::format("--engine rtl: the {} {} array was not built: {} ended with exit "
                    "code {}; see above, or use --engine stepped",
                    size, type, program, code));
  }
}

}  // namespace weft
