#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "runtime/sweep/points/point_runner.h"
#include "runtime/sweep/store.h"
#include "tools/bench/row.h"

namespace weft::bench {
namespace {

/// A sweep commits each 0.8 seconds, in which two processes compute about this many points.
constexpr std::uint64_t kRowsOfACommit = 40;

/// ResNet-50 without a search on arrays of many shapes, and a database beside it.
struct Sweep {
  Sweep() : space(request()), runner(space) {
    file = (std::filesystem::temp_directory_path() / "weft_bench_sweep.db").string();
    std::filesystem::remove(file);
    store = std::make_unique<sweep::Store>(file, sweep::Store::Mode::kWrite);
  }
  ~Sweep() {
    store.reset();
    std::filesystem::remove(file);
  }
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  static sweep::Request request() {
    sweep::Request request;
    request.workloads.push_back(
        {runtime::NetworkRequest{.model = "resnet50"}, {"run", "resnet50"}});
    sweep::Axis rows{"array.rows", {}};
    sweep::Axis rates{"memory.gb_per_s", {}};
    for (int i = 64; i <= 256; ++i) rows.values.push_back(std::to_string(i));
    for (int i = 100; i <= 1000; ++i) rates.values.push_back(std::to_string(i));
    request.axes = {{"machine", {"tpu-v2"}}, std::move(rows), std::move(rates)};
    request.links = {{"array.cols", "array.rows"}};
    request.effort = compiler::SearchEffort::kNone;
    return request;
  }

  /// Another point each time, all over the space.
  sweep::Point next() { return *space.point((number += 1009) % space.size()); }

  std::string file;
  sweep::Space space;
  sweep::PointRunner runner;
  std::unique_ptr<sweep::Store> store;
  std::uint64_t number = 0;
  std::uint64_t kept = 0;
};

#ifdef WEFT_BENCH_MPIRUN
/// The command of a sweep of resnet50 over these arrays and 24 rates, into a new database.
std::string sweep_of_arrays(std::string_view rows, std::string_view database) {
  return fmt::format(
      "rm -f {1}; {2} sweep resnet50 --optimize 0 --machine tpu-v2 --array.rows {0} "
      "--link array.cols=array.rows --memory.gb_per_s 100..1250+50 --quiet --db {1}",
      rows, database, "$run \"" WEFT_BENCH_COMMAND "\"");
}

void run_in_shell(const std::string& script) {
  const std::string folder = std::filesystem::temp_directory_path().string();
  if (std::system(fmt::format("cd '{}'; {}", folder, script).c_str()) != 0) {
    throw std::runtime_error("cannot run: " + script);
  }
}

/// 192 points on two ranks, and on two processes that are started by hand with half of them each.
/// Both times include the start.
Row rank_row() {
  const auto ranks = [] {
    run_in_shell(
        "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; "
        "run='" WEFT_BENCH_MPIRUN " --oversubscribe -n 2'; " +
        sweep_of_arrays("32..256+32", "weft_bench_ranks.db") +
        "; done=$?; rm -f weft_bench_ranks.db; " + "exit $done");
  };
  const auto processes = [] {
    run_in_shell("run=; (" + sweep_of_arrays("32..128+32", "weft_bench_low.db") + " --jobs 1) & (" +
                 sweep_of_arrays("160..256+32", "weft_bench_high.db") +
                 " --jobs 1); done=$?; wait $! && rm -f weft_bench_low.db weft_bench_high.db; "
                 "exit $done");
  };
  constexpr double kLeastRate = 0.9;
  return {.name = "sweep, 2 ranks : 2 processes, 192 points",
          .weft = ranks,
          .baseline = processes,
          .target = 1 / kLeastRate};
}
#endif

}  // namespace

std::vector<Row> sweep_rows() {
  constexpr double kSeconds = 8 * 60;  // for 10,000 points on two cores
  const auto sweep = std::make_shared<Sweep>();
  const auto run = [sweep] { sweep->runner.run(sweep->next()); };
  const auto keep = [sweep] {
    const sweep::Point point = sweep->next();
    if (sweep->store->row(sweep->space.identity(point)).empty()) {
      sweep->store->add(sweep::row_of(sweep->space, point, {}));
    }
    if (++sweep->kept % kRowsOfACommit == 0) sweep->store->commit();
  };
  std::vector<Row> rows = {{.name = "sweep, a point of resnet50, level 0",
                            .weft = run,
                            .figure = Figure::kTime,
                            .target = kSeconds * 2 / 10'000},
                           {.name = "sweep, the row of a point : the point",
                            .weft = keep,
                            .baseline = run,
                            .target = 0.02}};
#ifdef WEFT_BENCH_MPIRUN
  rows.push_back(rank_row());
#endif
  return rows;
}

}  // namespace weft::bench
