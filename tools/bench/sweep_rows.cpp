#include <filesystem>
#include <memory>
#include <string>

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
  return {{.name = "sweep, a point of resnet50, level 0",
           .weft = run,
           .figure = Figure::kTime,
           .target = kSeconds * 2 / 10'000},
          {.name = "sweep, the row of a point : the point",
           .weft = keep,
           .baseline = run,
           .target = 0.02}};
}

}  // namespace weft::bench
