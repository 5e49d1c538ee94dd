// Reports a difference that --lockstep finds.
#pragma once

#include "sim/machine/datapaths/lockstep_error.h"

namespace weft::runtime {

/// Receives the waveform of a difference that --lockstep finds.
inline constexpr const char* kLockstepFile = "weft-lockstep.vcd";

/// Writes the waveform of the cycles around the difference to kLockstepFile in the current folder:
/// the user did not name a file, because no difference was expected. Throws CheckError naming the
/// file.
[[noreturn]] void report_difference(const LockstepError& error);

}  // namespace weft::runtime
