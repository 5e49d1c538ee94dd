#include "cli/sweep/sweep_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/output_file.h"
#include "base/printable.h"
#include "cli/sweep/dry_run.h"
#include "report/page/page.h"
#include "report/progress.h"
#include "report/sweep/page/sweep_page.h"
#include "report/sweep/rows_file.h"
#include "report/sweep/sweep_text.h"
#include "runtime/sweep/enumeration.h"
#include "runtime/sweep/mpi/ranks.h"
#include "runtime/sweep/points/workload_check.h"
#include "runtime/sweep/search.h"
#include "runtime/sweep/store.h"
#include "runtime/sweep/sweep.h"
#include "runtime/sweep/workers/local_workers.h"
#include "runtime/sweep/workers/mpi_workers.h"

namespace weft::cli {
namespace {

using Row = std::vector<sweep::Cell>;

/// What a sweep has run.
struct Finished {
  const sweep::Space& space;
  const sweep::Source& points;
  sweep::Store& store;

  /// Calls `visit` with the row of each point, in order.
  void for_each_row(const std::function<void(const Row&)>& visit) const {
    points.for_each([&](const sweep::Point& point) {
      Row row = store.row(space.identity(point));
      sweep::name_as_here(row, space, point);
      visit(row);
    });
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

/// Calls its argument with each row, in order.
using EachRow = std::function<void(const std::function<void(std::span<const sweep::Cell>)>&)>;

void write_files(const EachRow& for_each_row, const SweepFlags& flags,
                 const report::Streams& streams) {
  if (flags.csv) {
    Sink sink(*flags.csv, streams.out);
    sink.write(report::csv_header());
    for_each_row([&](std::span<const sweep::Cell> row) { sink.write(report::csv_row(row)); });
    sink.commit();
  }
  if (flags.json) {
    Sink sink(*flags.json, streams.out);
    sink.write(report::json_begin());
    bool first = true;
    for_each_row([&](std::span<const sweep::Cell> row) {
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
  if (best.empty()) return;
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

/// Between these two, this process is a rank of an MPI job, if mpirun started it. However the first
/// rank ends, it releases the others, so that its error is all that is said.
class RankSession {
 public:
  RankSession() {
    if (!sweep::is_rank()) return;
    sweep::ranks().begin(!sweep::is_first_rank());
    agree_who_speaks();
  }
  ~RankSession() {
    if (!sweep::is_rank()) return;
    if (sweep::is_first_rank()) sweep::release(sweep::ranks());
    sweep::ranks().end();
  }
  RankSession(const RankSession&) = delete;
  RankSession& operator=(const RankSession&) = delete;

  /// This process and the first rank are on the same computer.
  bool beside_first() const { return beside_first_; }

 private:
  /// On an interrupt, one rank says how to go on. A rank sees only on its own computer who lives,
  /// so the ranks on the first one's speak.
  void agree_who_speaks() {
    const sweep::Ranks& ranks = sweep::ranks();
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    const std::string here = host.data();
    const std::vector<std::string> all = ranks.gather(fmt::format("{} {}", ::getpid(), here));
    std::vector<pid_t> before;
    for (const std::string& rank : std::span(all).first(static_cast<std::size_t>(ranks.rank()))) {
      const std::size_t space = rank.find(' ');
      if (rank.substr(space + 1) == here) before.push_back(std::stoi(rank.substr(0, space)));
    }
    beside_first_ = all.front().substr(all.front().find(' ') + 1) == here;
    speak_on_interrupt_after(before);
  }

  bool beside_first_ = true;
};

std::unique_ptr<sweep::Workers> start_workers(const sweep::Space& space, const SweepFlags& flags) {
  if (sweep::is_rank()) return std::make_unique<sweep::MpiWorkers>(space, sweep::ranks());
  return std::make_unique<sweep::LocalWorkers>(
      space, std::min<std::uint64_t>(flags.jobs.value_or(processors()), space.size()));
}

std::string resume_text(std::string_view which, const std::string& db) {
  return fmt::format("weft: interrupted; the points {} are in {}: the same command goes on", which,
                     db);
}

/// Runs points for the first rank. If that one dies, mpirun ends the others, and one of them says
/// how to go on.
void serve_first_rank(const sweep::Space& space, const SweepFlags& flags, bool beside_first) {
  if (flags.db && beside_first) set_interrupt_message(resume_text("so far", *flags.db));
  sweep::serve(space, sweep::ranks());
  set_interrupt_message("");
}

double rate(const sweep::Counts& counts) {
  return static_cast<double>(counts.computed) / counts.seconds;
}

/// What the progress and an interrupt say while the sweep runs.
void show(const sweep::Counts& now, double share, const SweepFlags& flags,
          report::Progress& progress) {
  if (flags.db) {
    set_interrupt_message(
        resume_text(now.unwritten > 0 ? "of before it was held" : "so far", *flags.db));
  }
  std::string label = counted(now.points(), "point");
  if (now.computed > 0 && now.seconds > 0) label += fmt::format(", {:.3g} a second", rate(now));
  if (now.unwritten > 0) {
    label += fmt::format(", {} not written while another program holds {}", grouped(now.unwritten),
                         flags.db.value_or(""));
  }
  progress.update(share, label);
}

/// A goal may have values at no point although it can be computed, such as log(-time).
void check_found(const Finished& finished, const SearchGoals& search, const sweep::Counts& counts) {
  const auto& points = dynamic_cast<const sweep::Search&>(finished.points);
  std::vector<bool> has_value(search.goals.size());
  finished.for_each_row([&](const Row& row) {
    const std::vector<double> costs = points.costs(row);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (std::isfinite(costs[i])) has_value[i] = true;
    }
  });
  for (std::size_t i = 0; i < has_value.size(); ++i) {
    if (has_value[i] || counts.failed == counts.points()) continue;
    throw InputError(fmt::format("--goal {}: has no value at any of the {}; choose another goal",
                                 printable(search.goals[i]), counted(counts.points(), "point")));
  }
}

void print_result(const Finished& finished, const SweepFlags& flags, const sweep::Counts& counts,
                  const report::Streams& streams) {
  sweep::Fronts fronts(flags.front);
  std::string error;  // the first one
  finished.for_each_row([&](const Row& row) {
    fronts.add(row);
    if (error.empty()) error = sweep::to_text(row[sweep::column_index("error")]);
  });
  std::string line =
      fmt::format("{}: {} computed", counted(counts.points(), "point"), grouped(counts.computed));
  if (counts.computed > 0 && counts.seconds > 0) {
    line += fmt::format(" in {} ({:.3g} a second)", si(counts.seconds, "s"), rate(counts));
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
  if (!sweep::is_first_rank()) return;
  sweep::Store store(db, sweep::Store::Mode::kReadOnly);
  if (flags.html) write_page(store, flags, command, streams);
  write_files([&](const auto& visit) { store.for_each(visit); }, flags, streams);
  if (!flags.table_to_stdout()) return;
  sweep::Fronts fronts(flags.front);
  std::uint64_t failed = 0;
  store.for_each([&](std::span<const sweep::Cell> row) {
    fronts.add(row);
    if (!sweep::to_text(row[sweep::column_index("error")]).empty()) ++failed;
  });
  fronts.sort_by_work();
  std::string line = fmt::format("{}: {}", db, counted(store.count(), "point"));
  if (failed > 0) line += fmt::format(", {} failed", grouped(failed));
  streams.out << streams.style.bold(line) << '\n' << report::fronts_text(fronts, streams.style);
}

void run_sweep_job(sweep::Request request, const SweepFlags& flags,
                   const report::Streams& streams) {
  sweep::check_workloads(request);
  const sweep::Space space(std::move(request));
  if (flags.dry_run) {
    if (sweep::is_first_rank()) dry_run(space, flags, streams);
    return;
  }
  const RankSession session;
  if (!sweep::is_first_rank()) return serve_first_rank(space, flags, session.beside_first());
  const auto points = points_of(space, flags);
  std::optional<sweep::Store> store;
  if (flags.db) {
    store.emplace(*flags.db, sweep::Store::Mode::kWrite);
  } else {
    store.emplace();
  }
  sweep::Counts counts;
  {
    report::Progress progress(streams);
    const auto workers = start_workers(space, flags);
    counts = sweep::run(space, *points, *store, *workers, [&](const sweep::Counts& now) {
      show(now, points->share(), flags, progress);
    });
  }
  if (counts.points() == 0) sweep::refuse_no_point();
  const Finished finished{space, *points, *store};
  write_files([&](const auto& visit) { finished.for_each_row(visit); }, flags, streams);
  if (flags.search) check_found(finished, *flags.search, counts);
  if (!flags.table_to_stdout()) return;
  print_result(finished, flags, counts, streams);
  if (flags.search) print_best(finished, *flags.search, streams);
}

}  // namespace weft::cli
