// A percentage on stderr for work that takes longer than a second, on a terminal only; it erases
// itself.
#pragma once

#include <chrono>

#include "cli/streams.h"

namespace weft::cli {

class Progress {
 public:
  explicit Progress(const Streams& streams) : streams_(streams), shown_at_(Clock::now()) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `share` from 0 to 1.
  void update(double share);

 private:
  using Clock = std::chrono::steady_clock;

  const Streams& streams_;
  Clock::time_point shown_at_;
  bool shown_ = false;
};

}  // namespace weft::cli
