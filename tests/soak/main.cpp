// The soak: many random simulations in one process, with the memory that it takes at every tenth.
//   weft_soak [COUNT [FIRST_SEED]]
// Exit code 1 if engines disagree, or if memory grows after the first tenth.
#include <fmt/format.h>
#include <malloc.h>

#include <cstdio>
#include <exception>
#include <string>

#include "base/stopwatch.h"
#include "tests/soak/random_simulation.h"

namespace weft::soak {
namespace {

constexpr std::uint64_t kTenths = 10;
/// Of the heap: the last simulations of a tenth may leave some more in caches than those before.
constexpr std::uint64_t kAllowedGrowth = std::uint64_t{64} << 10U;

int run(std::uint64_t count, std::uint64_t first) {
  Counts counts;
  const Stopwatch watch;
  std::uint64_t warm = 0;
  std::uint64_t last = 0;
  fmt::print("seeds {} to {}\n", first, first + count - 1);
  fmt::print("   cases  products  networks    with rtl     heap, B  resident, KiB  seconds\n");
  for (std::uint64_t tenth = 1; tenth <= kTenths; ++tenth) {
    while (counts.cases() < count * tenth / kTenths) {
      run_random_simulation(first + counts.cases(), counts);
    }
    ::malloc_trim(0);
    last = heap_bytes();
    if (tenth == 1) warm = last;
    fmt::print("{:8} {:9} {:9} {:11} {:11} {:14} {:8.0f}\n", counts.cases(), counts.products,
               counts.networks, counts.rtl, last, resident_bytes() / 1024, watch.seconds());
    std::fflush(stdout);
  }
  if (last <= warm + kAllowedGrowth) return 0;
  fmt::print("the heap has grown by {} bytes since the first tenth\n", last - warm);
  return 1;
}

}  // namespace
}  // namespace weft::soak

int main(int argc, char** argv) {
  try {
    const std::uint64_t count = argc > 1 ? std::stoull(argv[1]) : 1000;
    return weft::soak::run(count, argc > 2 ? std::stoull(argv[2]) : 0);
  } catch (const std::exception& error) {
    fmt::print(stderr, "weft_soak: {}\n", error.what());
    return 1;
  }
}
