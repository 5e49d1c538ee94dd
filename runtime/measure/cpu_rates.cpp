#include "runtime/measure/cpu_rates.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <set>

#include "runtime/measure/fma_burst.h"

namespace weft::runtime {
namespace {

constexpr int kBursts = 8;

template <class Work>
double fastest_seconds(Work work) {
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kBursts; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    fastest = std::min(fastest, took.count());
  }
  return fastest;
}

#if defined(__x86_64__) || defined(__aarch64__)
constexpr std::uint64_t kAdditions = std::uint64_t{16} * 10'000;

/// Sixteen additions per round. Both operands are registers, since some processors add constants
/// while renaming registers.
void dependent_additions() {
  std::uint64_t sum = 0;
  std::uint64_t term = 3;
  for (std::uint64_t round = 0; round < kAdditions / 16; ++round) {
#if defined(__x86_64__)
    __asm__ volatile(
        ".rept 16\n\t"
        "addq %1, %0\n\t"
        ".endr"
        : "+r"(sum)
        : "r"(term)
        : "cc");
#else
    __asm__ volatile(
        ".rept 16\n\t"
        "add %0, %0, %1\n\t"
        ".endr"
        : "+r"(sum)
        : "r"(term));
#endif
  }
}
#endif

/// The CPUs that share a core with CPU `cpu`, in the system's notation; its own number if the
/// system does not tell.
std::string core_of(std::size_t cpu) {
  std::ifstream file(
      fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
  std::string siblings;
  return std::getline(file, siblings) ? siblings : fmt::to_string(cpu);
}

std::uint32_t usable_cores() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (::sched_getaffinity(0, sizeof(usable), &usable) != 0) return 1;
  std::set<std::string> cores;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &usable)) cores.insert(core_of(cpu));
  }
  return static_cast<std::uint32_t>(std::max<std::size_t>(1, cores.size()));
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "this processor";
}

}  // namespace

std::optional<double> core_clock_hz() {
#if defined(__x86_64__) || defined(__aarch64__)
  return static_cast<double>(kAdditions) / fastest_seconds(dependent_additions);
#else
  return std::nullopt;
#endif
}

std::optional<CpuVectorUnit> vector_unit() {
  const FmaBurst burst = fma_burst();
  volatile float kept = 1;
  const double seconds = fastest_seconds([&] { kept = burst.run(kept * 0); });
  const auto clock = core_clock_hz();
  if (!clock) return std::nullopt;
  const double rate = static_cast<double>(burst.vectors) / (seconds * *clock);
  return CpuVectorUnit{burst.instruction_set, burst.lanes,
                       static_cast<std::uint32_t>(std::max(1L, std::lround(rate)))};
}

Processor this_processor() {
  return {processor_name(), usable_cores()};
}

}  // namespace weft::runtime
