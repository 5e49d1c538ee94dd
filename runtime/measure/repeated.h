// Timing by repetition: an uncounted warm-up, then as many repeats as fit the time, and their
// median.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

namespace weft::runtime {

struct Timing {
  double median = 0;  // seconds
  double fastest = 0;
  double slowest = 0;
  int repeats = 0;
  std::optional<double> clock_hz = {};  // median of the readings after each repeat

  /// (slowest - fastest) / median.
  double spread() const { return (slowest - fastest) / median; }
};

/// Time for each measurement of a comparison.
inline constexpr double kEnoughSeconds = 0.5;

/// Repeats the work until `enough_seconds` have passed: at least 3 and at most 50 times. Work
/// shorter than a millisecond runs several times per repeat. `clock` is read right after each
/// repeat, on the same thread.
Timing time_repeated(const std::function<void()>& work,
                     const std::function<std::optional<double>()>& clock, double enough_seconds);

/// "median of 7, 3 % between fastest and slowest".
std::string timing_text(const Timing& timing);
nlohmann::ordered_json timing_json(const Timing& timing);

}  // namespace weft::runtime
