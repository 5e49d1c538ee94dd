// A progress bar on stderr that erases itself. It appears only on a terminal and only after one
// second of work.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "report/streams.h"

namespace weft::report {

class Progress {
 public:
  explicit Progress(const Streams& streams) : streams_(streams), shown_at_(Clock::now()) {}
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `share` is the finished part, 0 to 1, and the bar never goes back; `label` names the current
  /// work.
  void update(double share, std::string_view label = {});

 private:
  using Clock = std::chrono::steady_clock;

  const Streams& streams_;
  Clock::time_point shown_at_;
  bool shown_ = false;
  std::optional<double> first_share_ = {};  // with first_at_, start of the estimate
  Clock::time_point first_at_ = {};
  double most_ = 0;
};

/// "weft: epoch 3 of 20 [####................] 20.0 %, 12 s left"; leaves out a time that is not
/// finite.
std::string progress_line(double share, double seconds_left, std::string_view label);

}  // namespace weft::report
