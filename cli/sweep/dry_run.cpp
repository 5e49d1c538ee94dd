#include "cli/sweep/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <random>
#include <system_error>
#include <thread>

#include "base/stopwatch.h"
#include "report/progress.h"
#include "report/sweep/sweep_text.h"
#include "runtime/sweep/enumeration.h"
#include "runtime/sweep/points/point_runner.h"
#include "runtime/sweep/store.h"

namespace weft::cli {
namespace {

/// A dry run may try points for this long.
constexpr double kTrialSeconds = 2;
constexpr std::uint64_t kTrialPoints = 8;

/// Of larger spaces, an even share of the combinations is counted.
constexpr std::uint64_t kCountedCombinations = 1'000'000;

struct PointCount {
  std::uint64_t points = 0;  // that the conditions allow
  std::uint64_t known = 0;   // of these, in the database
  bool exact = true;
};

/// The database that --db names, if there is one with points.
std::optional<sweep::Store> open_known(const SweepFlags& flags) {
  std::error_code error;
  if (!flags.db || std::filesystem::file_size(*flags.db, error) == 0 || error) return std::nullopt;
  return std::optional<sweep::Store>(std::in_place, *flags.db, sweep::Store::Mode::kReadOnly);
}

PointCount count_points(const sweep::Space& space, sweep::Store* known,
                        const report::Streams& streams) {
  const bool conditional = space.numbers().has_conditions();
  if (!conditional && known == nullptr) return {space.size(), 0, true};
  report::Progress progress(streams);
  const std::uint64_t step = (space.size() - 1) / kCountedCombinations + 1;
  PointCount count;
  count.exact = step == 1;
  // In a grid of equal steps, a condition such as rows == cols would hold far too often or never.
  std::mt19937_64 random(1);
  std::uint64_t steps = 0;
  for (std::uint64_t begin = 0; begin < space.size(); begin += step) {
    if (++steps % 1024 == 0) {
      progress.update(static_cast<double>(begin) / static_cast<double>(space.size()),
                      "counting points");
    }
    const std::uint64_t i = begin + random() % std::min(step, space.size() - begin);
    // Without a database, a point need not be made.
    const bool is_point =
        !conditional || space.numbers().allowed(space.numbers().at(space.places(i)));
    if (!is_point) continue;
    count.points += step;
    if (known != nullptr && known->holds(space.identity(*space.point(i)))) count.known += step;
  }
  count.points = std::min(count.points, space.size());
  count.known = std::min(count.known, count.points);
  return count;
}

/// "550 of 1,000 combinations", and what the database and a search make of them.
std::string count_line(const sweep::Space& space, const SweepFlags& flags,
                       const PointCount& count) {
  const std::string about = count.exact ? "" : "about ";
  const std::string all = counted(space.size(), "combination");
  if (flags.search) {
    const std::string allowed = space.numbers().has_conditions()
                                    ? fmt::format("{}{} of {}", about, grouped(count.points), all)
                                    : all;
    return fmt::format("{} of {}, as a search chooses them\n",
                       counted(std::min(flags.search->points, count.points), "point"), allowed);
  }
  const std::string line = fmt::format("{}{} of {}", about, grouped(count.points), all);
  if (count.known == 0) return line + '\n';
  return fmt::format("{}, {}{} of them known before\n", line, about, grouped(count.known));
}

/// Points that are spread over the space.
struct Trial {
  std::uint64_t points = 0;
  double seconds = 0;  // of all
  std::uint64_t failed = 0;
  std::string error;  // of the first that failed
};

Trial try_points(const sweep::Space& space) {
  sweep::PointRunner runner(space);
  const Stopwatch watch;
  Trial trial;
  const std::uint64_t parts = std::min(kTrialPoints, space.size());
  for (std::uint64_t i = 0; i < parts && watch.seconds() < kTrialSeconds; ++i) {
    // Divided first, because a space may have nearly as many combinations as there are numbers.
    const auto point = space.point(space.size() / parts * i + space.size() % parts * i / parts);
    if (!point) continue;
    const sweep::Outcome outcome = runner.run(*point);
    trial.seconds += outcome.seconds;
    ++trial.points;
    if (outcome.error.empty()) continue;
    if (trial.failed == 0) trial.error = outcome.error;
    ++trial.failed;
  }
  return trial;
}

std::string duration(double seconds) {
  constexpr double kHour = 3600;
  constexpr double kDay = 24 * kHour;
  if (seconds < 1) return "less than a second";
  if (seconds < 120) return fmt::format("about {:.0f} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("about {:.0f} min", seconds / 60);
  if (seconds < 2 * kDay) return fmt::format("about {:.0f} hours", seconds / kHour);
  if (seconds < 1000 * kDay) return fmt::format("about {:.0f} days", seconds / kDay);
  return fmt::format("about {} years",
                     grouped(static_cast<std::uint64_t>(seconds / kDay / 365.25)));
}

}  // namespace

double sweep_seconds(double seconds, std::uint64_t points, std::size_t jobs) {
  // The process with the most points ends last.
  const std::uint64_t most = points / jobs + (points % jobs == 0 ? 0 : 1);
  return seconds * static_cast<double>(most);
}

std::size_t processors() {
  return std::max(1U, std::thread::hardware_concurrency());
}

void dry_run(const sweep::Space& space, const SweepFlags& flags, const report::Streams& streams) {
  if (!flags.search) sweep::check_size(space);
  // Which points a search chooses, and so which of them are known, shows only when it runs.
  std::optional<sweep::Store> known = flags.search ? std::nullopt : open_known(flags);
  const PointCount count = count_points(space, known ? &*known : nullptr, streams);
  if (count.points == 0 && count.exact) sweep::refuse_no_point();
  streams.out << count_line(space, flags, count) << report::axes_text(space, streams.style);
  std::uint64_t points = count.points - count.known;
  if (flags.search) points = std::min(flags.search->points, points);
  const Trial trial = points == 0 ? Trial() : try_points(space);
  if (trial.points == 0) return;
  const std::size_t jobs = flags.jobs.value_or(processors());
  const double seconds = trial.seconds / static_cast<double>(trial.points);
  streams.out << fmt::format("{} with {} ({} a point, from a few of them)\n",
                             duration(sweep_seconds(seconds, points, jobs)),
                             counted(jobs, "process"), si(seconds, "s"));
  if (trial.failed == 0) return;
  streams.out << fmt::format("{} of {} failed: {}\n", trial.failed,
                             counted(trial.points, "point") + " tried", trial.error);
}

}  // namespace weft::cli
