// The error of a run in which RTL and C++ disagree.
#pragma once

#include <string>
#include <utility>

#include "base/error.h"

namespace weft {

/// Lock-step checking found a difference; what() names the first one.
class LockstepError : public CheckError {
 public:
  LockstepError(const std::string& what, std::string waveform)
      : CheckError("lock-step: " + what), waveform_(std::move(waveform)) {}

  /// A VCD file of the cycles around the difference, `stepped` and `rtl` side by side.
  const std::string& waveform() const { return waveform_; }

 private:
  std::string waveform_;
};

}  // namespace weft
