// weft_bench measures how fast the simulator is on this machine, compared with the fastest
// libraries for the bare product. docs/performance.md explains the rows. Takes Google Benchmark's
// options, for example --benchmark_filter=fast or --benchmark_repetitions=25.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "compiler/schedule/product/map_product.h"
#include "sim/config/config_keys.h"
#include "tools/bench/matmul_job.h"
#include "tools/bench/peak_memory.h"
#include "tools/bench/row.h"
#include "tools/bench/table.h"

namespace weft::bench {
namespace {

std::vector<Peak> peaks() {
  constexpr double kTarget = 200e6;
  const double matmul = peak_resident_bytes([] {
    const MachineConfig config = load_preset("tpu-v2");
    const MatmulSpec spec{.m = 16384, .k = 16384, .n = 16384};
    simulate(config, *matmul_stream(map_product(spec, config), config));
  });
  const double network = peak_resident_bytes(run_network_analytically);
  return {{"peak memory, analytic, 16384^3", matmul, kTarget},
          {"peak memory, analytic, resnet50", network, kTarget}};
}

std::vector<Row> all_rows() {
  std::vector<Row> rows = kernel_rows();
  for (Row& row : simulation_rows()) rows.push_back(std::move(row));
  for (Row& row : network_rows()) rows.push_back(std::move(row));
  for (Row& row : training_rows()) rows.push_back(std::move(row));
  for (Row& row : sweep_rows()) rows.push_back(std::move(row));
  for (Row& row : scalesim_rows()) rows.push_back(std::move(row));
  return rows;
}

void add(const std::string& name, const std::function<void()>& side) {
  if (!side) return;
  benchmark::RegisterBenchmark(name.c_str(), [&side](benchmark::State& state) {
    for ([[maybe_unused]] auto iteration : state) side();
  })->UseRealTime();  // CPU time would leave out what other threads do
}

/// The defaults come first: if an option is given twice, Google Benchmark takes the last.
std::vector<char*> with_defaults(int argc, char** argv, std::vector<std::string>& defaults) {
  std::vector<char*> arguments{argv[0]};
  for (std::string& argument : defaults) arguments.push_back(argument.data());
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  return arguments;
}

int run(int argc, char** argv) {
  std::vector<std::string> defaults = {"--benchmark_enable_random_interleaving=true",
                                       "--benchmark_repetitions=11", "--benchmark_min_time=0.05"};
  std::vector<char*> arguments = with_defaults(argc, argv, defaults);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  const std::vector<Peak> memory = peaks();  // before the rows allocate memory
  const std::vector<Row> rows = all_rows();
  for (const Row& row : rows) {
    add(weft_benchmark(row), row.weft);
    add(baseline_benchmark(row), row.baseline);
  }
  TableReporter table(rows, memory);
  benchmark::RunSpecifiedBenchmarks(&table);
  benchmark::Shutdown();
  return 0;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  try {
    return weft::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "weft_bench: {}\n", error.what());
    return 1;
  }
}
