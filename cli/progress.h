// A bar on stderr for work that takes longer than a second, on a terminal only; it erases itself.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cli/streams.h"

namespace weft::cli {

class Progress {
 public:
  explicit Progress(const Streams& streams) : streams_(streams), shown_at_(Clock::now()) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `share` from 0 to 1; `label` says what is under way.
  void update(double share, std::string_view label = {});

 private:
  using Clock = std::chrono::steady_clock;

  const Streams& streams_;
  Clock::time_point shown_at_;
  bool shown_ = false;
  std::optional<double> first_share_ = {};  // from which, and when, the time left is reckoned
  Clock::time_point first_at_ = {};
};

/// "weft: epoch 3 of 20 [####................] 20.0 %, 12 s left"; without a finite time none is
/// told.
std::string progress_line(double share, double seconds_left, std::string_view label);

}  // namespace weft::cli
