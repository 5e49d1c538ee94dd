// What --lockstep leaves behind when it finds a difference.
#pragma once

#include "sim/machine/lockstep_error.h"

namespace weft::cli {

/// Writes the waveform of the cycles around the difference to kLockstepFile, where the command
/// runs, since a difference is nothing that was asked for. Throws CheckError that says so.
[[noreturn]] void report_difference(const LockstepError& error);

}  // namespace weft::cli
