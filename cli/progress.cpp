#include "cli/progress.h"

namespace weft::cli {

Progress::~Progress() {
  if (shown_) streams_.err << "\r\033[K" << std::flush;
}

void Progress::update(double share) {
  if (!streams_.err_terminal) return;
  const auto wait = shown_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(1000);
  if (Clock::now() - shown_at_ < wait) return;
  streams_.err << "\r\033[K"
               << "weft: " << percent(share) << std::flush;
  shown_at_ = Clock::now();
  shown_ = true;
}

}  // namespace weft::cli
