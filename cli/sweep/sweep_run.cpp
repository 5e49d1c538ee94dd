#include "cli/sweep/sweep_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/output_file.h"
#include "base/stopwatch.h"
#include "report/page/page.h"
#include "report/progress.h"
#include "report/sweep/page/sweep_page.h"
#include "report/sweep/rows_file.h"
#include "report/sweep/sweep_text.h"
#include "runtime/sweep/enumeration.h"
#include "runtime/sweep/mpi/ranks.h"
#include "runtime/sweep/points/point_runner.h"
#include "runtime/sweep/search.h"
#include "runtime/sweep/store.h"
#include "runtime/sweep/sweep.h"
#include "runtime/sweep/workers/local_workers.h"
#include "runtime/sweep/workers/mpi_workers.h"

namespace weft::cli {
namespace {

using Row = std::vector<sweep::Cell>;

std::size_t processors() {
  return std::max(1U, std::thread::hardware_concurrency());
}

/// A dry run may try points for this long.
constexpr double kTrialSeconds = 2;
constexpr std::uint64_t kTrialPoints = 8;

/// Points that the conditions allow. Spaces of more combinations are not counted one by one.
constexpr std::uint64_t kCountedCombinations = 2'000'000;

struct PointCount {
  std::uint64_t points = 0;
  bool exact = true;
};

PointCount count_points(const sweep::Space& space) {
  if (space.request().conditions.empty()) return {space.size(), true};
  const std::uint64_t step = space.size() / kCountedCombinations + 1;
  PointCount count{0, step == 1};
  for (std::uint64_t i = 0; i < space.size(); i += step) count.points += space.point(i) ? step : 0;
  return count;
}

/// The seconds of a point, as the mean of some that are spread over the space. Nullopt if no point
/// was found.
std::optional<double> seconds_of_point(const sweep::Space& space) {
  sweep::PointRunner runner(space);
  const Stopwatch watch;
  double seconds = 0;
  std::uint64_t tried = 0;
  for (std::uint64_t i = 0; i < kTrialPoints && watch.seconds() < kTrialSeconds; ++i) {
    const auto point = space.point(i * space.size() / kTrialPoints);
    if (!point) continue;
    seconds += runner.run(*point).seconds;
    ++tried;
  }
  if (tried == 0) return std::nullopt;
  return seconds / static_cast<double>(tried);
}

std::string duration(double seconds) {
  if (seconds < 1) return "less than a second";
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

void dry_run(const sweep::Space& space, const SweepFlags& flags, const report::Streams& streams) {
  const auto [points, exact] = count_points(space);
  streams.out << fmt::format("{}{} of {}\n", exact ? "" : "about ", grouped(points),
                             counted(space.size(), "combination"))
              << report::axes_text(space, streams.style);
  const auto seconds = points == 0 ? std::nullopt : seconds_of_point(space);
  if (!seconds) return;
  const std::size_t jobs = flags.jobs.value_or(processors());
  const double total = *seconds * static_cast<double>(points) / static_cast<double>(jobs);
  streams.out << fmt::format("about {} with {} ({} a point, from a few of them)\n", duration(total),
                             counted(jobs, "process"), si(*seconds, "s"));
}

/// What a sweep has run.
struct Finished {
  const sweep::Space& space;
  const sweep::Source& points;
  sweep::Store& store;

  /// Calls `visit` with the row of each point, in order.
  void for_each_row(const std::function<void(const Row&)>& visit) const {
    points.for_each([&](const sweep::Point& point) { visit(store.row(space.identity(point))); });
  }
};

/// A file, or stdout if its name is "-".
class Sink {
 public:
  Sink(const std::string& name, std::ostream& out) : out_(out) {
    if (name != "-") file_.emplace(name);
  }
  void write(std::string_view text) {
    if (file_) {
      file_->write(text);
    } else {
      out_ << text;
    }
  }
  void commit() {
    if (file_) file_->commit();
  }

 private:
  std::ostream& out_;
  std::optional<OutputFile> file_;
};

void write_files(const Finished& finished, const SweepFlags& flags,
                 const report::Streams& streams) {
  if (flags.csv) {
    Sink sink(*flags.csv, streams.out);
    sink.write(report::csv_header());
    finished.for_each_row([&](const Row& row) { sink.write(report::csv_row(row)); });
    sink.commit();
  }
  if (flags.json) {
    Sink sink(*flags.json, streams.out);
    sink.write(report::json_begin());
    bool first = true;
    finished.for_each_row([&](const Row& row) {
      sink.write(report::json_row(row, first));
      first = false;
    });
    sink.write(report::json_end());
    sink.commit();
  }
}

std::unique_ptr<sweep::Source> points_of(const sweep::Space& space, const SweepFlags& flags) {
  if (!flags.search) return std::make_unique<sweep::Enumeration>(space);
  return std::make_unique<sweep::Search>(space, flags.search->points, flags.search->goals,
                                         flags.search->seed);
}

/// The points of a search that no other beats by the goals; of one goal, the best point.
void print_best(const Finished& finished, const SearchGoals& search,
                const report::Streams& streams) {
  const auto& points = dynamic_cast<const sweep::Search&>(finished.points);
  std::vector<std::pair<std::vector<double>, std::string>> best;
  finished.for_each_row([&](const Row& row) {
    const std::vector<double> costs = points.costs(row);
    if (std::isinf(costs.front())) return;
    const auto covers = [&](const auto& other) { return sweep::covers(other.first, costs); };
    if (std::ranges::any_of(best, covers)) return;
    std::erase_if(best, [&](const auto& other) { return sweep::covers(costs, other.first); });
    best.emplace_back(costs, sweep::to_text(row[sweep::column_index("command")]));
  });
  std::ranges::sort(best);
  report::Table table(std::string(search.goals.size(), 'r') + "l");
  std::vector<std::string> head = search.goals;
  head.emplace_back("command");
  table.add(head);
  for (const auto& [costs, command] : best) {
    std::vector<std::string> cells;
    for (const double value : costs) cells.push_back(fmt::format("{:.4g}", value));
    cells.push_back(command);
    table.add(cells);
  }
  streams.out << (best.size() == 1 ? "Best point by the goals:\n" : "Best points by the goals:\n")
              << table.text(2);
}

/// Between these two, this process is a rank of an MPI job, if mpirun started it.
class RankSession {
 public:
  RankSession() {
    if (sweep::is_rank()) sweep::ranks().begin();
  }
  ~RankSession() {
    if (sweep::is_rank()) sweep::ranks().end();
  }
  RankSession(const RankSession&) = delete;
  RankSession& operator=(const RankSession&) = delete;
};

std::unique_ptr<sweep::Workers> start_workers(const sweep::Space& space, const SweepFlags& flags) {
  if (sweep::is_rank()) return std::make_unique<sweep::MpiWorkers>(space, sweep::ranks());
  return std::make_unique<sweep::LocalWorkers>(
      space, std::min<std::uint64_t>(flags.jobs.value_or(processors()), space.size()));
}

void print_result(const Finished& finished, const SweepFlags& flags, const sweep::Counts& counts,
                  double seconds, const report::Streams& streams) {
  sweep::Fronts fronts(flags.front);
  std::string error;  // the first one
  finished.for_each_row([&](const Row& row) {
    fronts.add(row);
    if (error.empty()) error = sweep::to_text(row[sweep::column_index("error")]);
  });
  std::string line =
      fmt::format("{}: {} computed", counted(counts.points(), "point"), grouped(counts.computed));
  if (counts.computed > 0 && seconds > 0) {
    line += fmt::format(" in {} ({:.3g} a second)", si(seconds, "s"),
                        static_cast<double>(counts.computed) / seconds);
  }
  if (flags.db) line += fmt::format(", {} known before", grouped(counts.known));
  streams.out << streams.style.bold(line) << '\n';
  if (counts.failed > 0) {
    streams.out << streams.style.bad(fmt::format("{} failed", counted(counts.failed, "point")))
                << ", the first one with: " << error << '\n';
  }
  streams.out << report::fronts_text(fronts, streams.style);
}

void write_page(sweep::Store& store, const SweepFlags& flags, const std::string& command,
                const report::Streams& streams) {
  OutputFile page(*flags.html);
  report::Progress progress(streams);
  page.write(
      report::page_html(report::sweep_page_data(store, flags.front, command, [&](double share) {
        progress.update(share, "reading the points");
      })));
  page.commit();
}

}  // namespace

void report_sweep(const std::string& db, const SweepFlags& flags, const std::string& command,
                  const report::Streams& streams) {
  sweep::Store store(db, sweep::Store::Mode::kReadOnly);
  if (flags.html) write_page(store, flags, command, streams);
  if (flags.quiet) return;
  sweep::Fronts fronts(flags.front);
  std::uint64_t failed = 0;
  store.for_each([&](std::span<const sweep::Cell> row) {
    fronts.add(row);
    if (!sweep::to_text(row[sweep::column_index("error")]).empty()) ++failed;
  });
  std::string line = fmt::format("{}: {}", db, counted(store.count(), "point"));
  if (failed > 0) line += fmt::format(", {} failed", grouped(failed));
  streams.out << streams.style.bold(line) << '\n' << report::fronts_text(fronts, streams.style);
}

void run_sweep_job(const sweep::Space& space, const SweepFlags& flags,
                   const report::Streams& streams) {
  if (flags.dry_run) {
    if (sweep::is_first_rank()) dry_run(space, flags, streams);
    return;
  }
  const RankSession session;
  if (!sweep::is_first_rank()) return sweep::serve(space, sweep::ranks());
  std::optional<sweep::Store> store;
  if (flags.db) {
    store.emplace(*flags.db, sweep::Store::Mode::kWrite);
  } else {
    store.emplace();
  }
  const auto points = points_of(space, flags);
  sweep::Counts counts;
  const Stopwatch watch;
  {
    report::Progress progress(streams);
    const auto workers = start_workers(space, flags);
    counts = sweep::run(space, *points, *store, *workers, [&](const sweep::Counts& now) {
      if (flags.db) {
        set_interrupt_message(fmt::format(
            "weft: interrupted; the points so far are in {}: the same command goes on", *flags.db));
      }
      progress.update(points->share(),
                      fmt::format("{} points, {:.3g} a second", grouped(now.points()),
                                  static_cast<double>(now.computed) / watch.seconds()));
    });
  }
  const double seconds = watch.seconds();
  if (counts.points() == 0) {
    throw InputError("--where: holds for no point of the sweep; loosen a condition");
  }
  const Finished finished{space, *points, *store};
  write_files(finished, flags, streams);
  if (!flags.table_to_stdout()) return;
  print_result(finished, flags, counts, seconds, streams);
  if (flags.search) print_best(finished, *flags.search, streams);
}

}  // namespace weft::cli
