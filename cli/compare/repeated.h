// Timing by repetition: a warm-up that is not counted, then as many runs as fit the time, and their
// median.
#pragma once

#include <functional>
#include <optional>

#include "cli/json.h"

namespace weft::cli {

struct Timing {
  double median = 0;  // seconds
  double fastest = 0;
  double slowest = 0;
  int repeats = 0;
  std::optional<double> clock_hz = {};  // median of what was read behind each repeat

  /// (slowest - fastest) / median.
  double spread() const { return (slowest - fastest) / median; }
};

/// What a comparison gives each measurement.
inline constexpr double kEnoughSeconds = 0.5;

/// Work of less than a millisecond is run several times a repeat. Three repeats at least, and until
/// `enough_seconds` have gone by, 50 at most. `clock` is read at once behind each repeat, on the
/// same thread.
Timing time_repeated(const std::function<void()>& work,
                     const std::function<std::optional<double>()>& clock, double enough_seconds);

/// "median of 7, 3 % between fastest and slowest".
std::string timing_text(const Timing& timing);
Json timing_json(const Timing& timing);

}  // namespace weft::cli
