#include "report/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::report {
namespace {

std::string progress_bar(double share) {
  constexpr std::size_t kWidth = 20;
  const auto done = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * kWidth);
  return std::string(done, '#') + std::string(kWidth - done, '.');
}

/// "75 s", "3 min", "2 h".
std::string time_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 100 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} h", seconds / 3600);
}

}  // namespace

std::string progress_line(double share, double seconds_left, std::string_view label) {
  std::string line = fmt::format("weft: {}{}[{}] {}", label, label.empty() ? "" : " ",
                                 progress_bar(share), percent(share));
  if (std::isfinite(seconds_left)) line += fmt::format(", {} left", time_text(seconds_left));
  return line;
}

Progress::~Progress() {
  if (shown_) streams_.err << "\r\033[K" << std::flush;
}

void Progress::update(double share, std::string_view label) {
  if (!streams_.err_terminal) return;
  const Clock::time_point now = Clock::now();
  if (!first_share_) {
    first_share_ = share;
    first_at_ = now;
  }
  const auto wait = shown_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(1000);
  if (now - shown_at_ < wait) return;
  const double passed = std::chrono::duration<double>(now - first_at_).count();
  // Of several searches one after the other each begins at 0.
  most_ = std::max(most_, share);
  const double since = most_ - *first_share_;
  constexpr double kLeast = 0.05;  // of the work, for an estimate
  const double left =
      since < kLeast ? std::numeric_limits<double>::infinity() : passed * (1 - most_) / since;
  share = most_;
  streams_.err << "\r\033[K" << progress_line(share, left, label) << std::flush;
  shown_at_ = now;
  shown_ = true;
}

}  // namespace weft::report
