#include "runtime/job/lockstep_difference.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "base/output_file.h"

namespace weft::runtime {

void report_difference(const LockstepError& error) {
  std::string message = error.what();
  try {
    write_file(kLockstepFile, error.waveform());
    message += fmt::format("; the cycles around it are in {}", kLockstepFile);
  } catch (const InputError& unwritten) {
    message += fmt::format("; no waveform: {}", unwritten.what());
  }
  throw CheckError(message);
}

}  // namespace weft::runtime
