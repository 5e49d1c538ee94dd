// weft_bench: how fast the simulator's kernels are on this machine, next to the fastest libraries
// for the bare product. Ratios are measured side by side in one run. No arguments.
#include <fmt/format.h>
#include <hwy/targets.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "tools/bench/rows.h"

namespace weft::bench {
namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// The best target is the lowest bit.
std::string highway_target() {
  const std::int64_t targets = hwy::SupportedTargets();
  return hwy::TargetName(targets & -targets);
}

void print(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    fmt::print("{:<44}{:>18}   {}\n", row.name, row.value, row.target);
    std::fflush(stdout);
  }
}

void run() {
  fmt::print("processor {}, Highway target {}, one thread\n\n", processor_name(), highway_target());
  fmt::print("{:<44}{:>18}   {}\n", "row", "measured", "target");
  print(tile_rows());
  print(stepped_rows());
}

}  // namespace
}  // namespace weft::bench

int main() {
  try {
    weft::bench::run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "weft_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}
