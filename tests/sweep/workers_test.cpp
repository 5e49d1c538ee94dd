#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "base/error.h"
#include "runtime/sweep/columns.h"
#include "runtime/sweep/enumeration.h"
#include "runtime/sweep/points/point_runner.h"
#include "runtime/sweep/sweep.h"
#include "runtime/sweep/workers/local_workers.h"
#include "tests/cli/temporary_folder.h"

namespace weft::sweep {
namespace {

Space products() {
  Request request;
  request.workloads.push_back({MatmulSpec{}, {"matmul"}});
  request.axes = {{"m", {"5", "64"}},
                  {"k", {"8", "33"}},
                  {"n", {"16"}},
                  {"machine", {"tiny"}},
                  {"array.rows", {"2", "4", "4096"}},
                  {"unified_buffer.kib", {"1", "4"}}};
  return Space(std::move(request));
}

/// Without the time that it took here.
std::vector<Cell> figures(const Space& space, const Outcome& outcome) {
  std::vector<Cell> row = row_of(space, *space.point(outcome.number), outcome);
  row.pop_back();
  return row;
}

/// The processes whose parent is this one.
std::vector<pid_t> children() {
  std::vector<pid_t> all;
  std::ifstream in("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  for (pid_t child = 0; in >> child;) all.push_back(child);
  return all;
}

TEST(SweepWorkersTest, GiveTheOutcomesOfARunnerInThisProcess) {
  const Space space = products();
  PointRunner runner(space);
  for (const std::size_t jobs : {1U, 3U}) {
    LocalWorkers workers(space, jobs);
    std::map<std::uint64_t, Outcome> outcomes;
    std::uint64_t next = 0;
    while (outcomes.size() < space.size()) {
      while (next < space.size() && workers.free() > 0) workers.start(next++);
      for (Outcome& outcome : workers.wait(std::chrono::milliseconds(100))) {
        const std::uint64_t number = outcome.number;
        EXPECT_TRUE(outcomes.emplace(number, std::move(outcome)).second) << number;
      }
    }
    EXPECT_EQ(workers.running(), 0U);
    for (const auto& [number, outcome] : outcomes) {
      EXPECT_EQ(figures(space, outcome), figures(space, runner.run(*space.point(number))))
          << number;
    }
  }
}

TEST(SweepWorkersTest, AKilledProcessCostsNoPoint) {
  Request request;
  request.workloads.push_back({runtime::NetworkRequest{.model = "resnet18"}, {"run"}});
  request.axes = {{"machine", {"tpu-v2"}}, {"array.rows", {"64", "96", "128", "160"}}};
  request.effort = compiler::SearchEffort::kNone;
  const Space space(request);
  LocalWorkers workers(space, 2);
  for (std::uint64_t i = 0; i < 2; ++i) workers.start(i);
  for (const pid_t child : children()) ::kill(child, SIGKILL);
  std::map<std::uint64_t, std::string> errors;
  std::uint64_t next = 2;
  while (errors.size() < space.size()) {
    while (next < space.size() && workers.free() > 0) workers.start(next++);
    for (const Outcome& outcome : workers.wait(std::chrono::milliseconds(100))) {
      errors[outcome.number] = outcome.error;
    }
  }
  for (const auto& [number, error] : errors) EXPECT_EQ(error, "") << number;
}

TEST(SweepWorkersTest, APointThatEndsItsProcessTwiceHasFailed) {
  Request request;
  request.workloads.push_back({runtime::NetworkRequest{.model = "resnet50", .batch = 8}, {"run"}});
  request.axes = {{"machine", {"tpu-v1"}}};  // takes seconds
  const Space space(request);
  LocalWorkers workers(space, 1);
  workers.start(0);
  std::vector<Outcome> outcomes;
  while (outcomes.empty()) {
    for (const pid_t child : children()) ::kill(child, SIGKILL);
    outcomes = workers.wait(std::chrono::milliseconds(20));
  }
  EXPECT_NE(outcomes.front().error.find("killed by signal 9"), std::string::npos)
      << outcomes.front().error;
  EXPECT_EQ(workers.running(), 0U);
}

TEST(SweepWorkersTest, ASweepThatIsRunAgainComputesNothing) {
  const Space space = products();
  Store store;
  Counts first;
  Counts second;
  for (Counts* counts : {&first, &second}) {
    Enumeration points(space);
    LocalWorkers workers(space, 2);
    *counts = run(space, points, store, workers, [](const Counts&) {});
  }
  EXPECT_EQ(first.computed, space.size());
  EXPECT_EQ(first.known, 0U);
  EXPECT_EQ(second.computed, 0U);
  EXPECT_EQ(second.known, space.size());
  // With rows of 4096 bytes: 1 KiB holds none of them, 4 KiB one, and a product needs two.
  EXPECT_EQ(first.failed, 8U);
  EXPECT_EQ(second.failed, 8U);
  EXPECT_EQ(store.count(), space.size());
}

// What was computed stays; the point that lacks something has no row, so it runs again.
TEST(SweepWorkersTest, APointThatLacksSomethingHereEndsTheSweepWithoutARow) {
  class LacksTheFirst : public Workers {
   public:
    std::size_t free() const override { return 2 - started_.size(); }
    std::size_t running() const override { return started_.size(); }
    void start(std::uint64_t number) override { started_.push_back(number); }
    std::vector<Outcome> wait(std::chrono::milliseconds /*patience*/) override {
      std::vector<Outcome> outcomes;
      for (const std::uint64_t number : started_) outcomes.push_back({number, {}, 0, "", false});
      outcomes.front().error = "no such array";
      outcomes.front().missing = true;
      started_.clear();
      return outcomes;
    }

   private:
    std::vector<std::uint64_t> started_;
  };
  const Space space = products();
  Enumeration points(space);
  Store store;
  LacksTheFirst workers;
  EXPECT_THROW(run(space, points, store, workers, [](const Counts&) {}), MissingError);
  EXPECT_EQ(store.count(), 1U);
  EXPECT_FALSE(store.holds(space.identity(*space.point(0))));
}

TEST(SweepWorkersTest, AnOnnxFileThatWentAwayIsMissing) {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("a.onnx", "not read");
  Request request;
  request.workloads.push_back({runtime::NetworkRequest{.model = file, .is_file = true}, {"run"}});
  request.axes = {{"machine", {"tiny"}}};
  const Space space(request);
  std::filesystem::remove(file);
  const Outcome outcome = outcome_of(to_bytes(PointRunner(space).run(*space.point(0))));
  EXPECT_TRUE(outcome.missing);
  EXPECT_EQ(outcome.error, file + ": no such file");
}

// One combination of a million holds. Meanwhile the sweep shows its progress and writes rows.
TEST(SweepWorkersTest, LooksForPointsInPieces) {
  Request request;
  request.workloads.push_back({MatmulSpec{}, {"matmul"}});
  std::vector<std::string> sizes;
  for (int i = 1; i <= 1000; ++i) sizes.push_back(std::to_string(i));
  request.axes = {{"m", sizes}, {"k", sizes}, {"n", {"8"}}, {"machine", {"tiny"}}};
  request.conditions = {"m == 500 && k == 2"};
  const Space space(request);
  Enumeration points(space);
  Store store;
  int calls = 0;
  Counts counts;
  {
    LocalWorkers workers(space, 1);
    counts = run(space, points, store, workers, [&](const Counts&) { ++calls; });
  }
  EXPECT_EQ(counts.computed, 1U);
  EXPECT_GE(calls, 9);  // a piece is a hundred thousand combinations
  std::vector<std::uint64_t> numbers;
  points.for_each([&](const Point& point) { numbers.push_back(point.number); });
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{499'001}));
}

}  // namespace
}  // namespace weft::sweep
