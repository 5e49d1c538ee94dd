#include "runtime/measure/repeated.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace weft::runtime {
namespace {

constexpr double kShortest = 1e-3;
constexpr int kLeastRepeats = 3;
constexpr int kMostRepeats = 50;

double seconds_of(const std::function<void()>& work, int runs) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return took.count() / runs;
}

/// Warms up. Returns how many runs of the work make a repeat that is long enough for the clock.
int runs_in_a_repeat(const std::function<void()>& work) {
  work();
  const double once = seconds_of(work, 1);
  if (once >= kShortest) return 1;
  return static_cast<int>(std::min(1e6, std::ceil(kShortest / std::max(once, 1e-9))));
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

Timing time_repeated(const std::function<void()>& work,
                     const std::function<std::optional<double>()>& clock, double enough_seconds) {
  const int runs = runs_in_a_repeat(work);
  std::vector<double> seconds;
  std::vector<double> clocks;
  double total = 0;
  while (std::ssize(seconds) < kLeastRepeats ||
         (total < enough_seconds && std::ssize(seconds) < kMostRepeats)) {
    seconds.push_back(seconds_of(work, runs));
    total += seconds.back() * runs;
    if (const auto hz = clock()) clocks.push_back(*hz);
  }
  Timing timing;
  timing.repeats = static_cast<int>(seconds.size());
  timing.fastest = std::ranges::min(seconds);
  timing.slowest = std::ranges::max(seconds);
  timing.median = median_of(std::move(seconds));
  if (!clocks.empty()) timing.clock_hz = median_of(std::move(clocks));
  return timing;
}

std::string timing_text(const Timing& timing) {
  return fmt::format("median of {}, {:.0f} % between fastest and slowest", timing.repeats,
                     100 * timing.spread());
}

nlohmann::ordered_json timing_json(const Timing& timing) {
  return {{"repeats", timing.repeats},
          {"fastest_seconds", timing.fastest},
          {"slowest_seconds", timing.slowest}};
}

}  // namespace weft::runtime
