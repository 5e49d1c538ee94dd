#include "tools/bench/peak_memory.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <stdexcept>

namespace weft::bench {
namespace {

int exit_code_of(const std::function<void()>& work) {
  try {
    work();
    return EXIT_SUCCESS;
  } catch (const std::exception&) {
    return EXIT_FAILURE;
  }
}

}  // namespace

double peak_resident_bytes(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(exit_code_of(work));
  int status = 0;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) != child || status != 0) {
    throw std::runtime_error("the process whose memory is measured failed");
  }
  return static_cast<double>(usage.ru_maxrss) * 1024;  // Linux counts KiB
}

}  // namespace weft::bench
