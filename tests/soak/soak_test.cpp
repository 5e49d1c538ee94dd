// Random simulations in one process: engines agree, and no simulation leaves anything behind.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/soak/random_simulation.h"

namespace weft::soak {
namespace {

constexpr std::uint64_t kCases = 150;
/// Half of the smallest block that glibc gives. Freed blocks that it keeps for the thread count as
/// allocated, so the heap is not exactly the same each time.
constexpr std::uint64_t kAllowedBytesPerCase = 16;

TEST(SoakTest, TheSameSimulationsAgainTakeNoMoreMemory) {
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  Counts counts;
  const auto run_all = [&] {
    for (std::uint64_t seed = 0; seed < kCases; ++seed) run_random_simulation(seed, counts);
    return heap_bytes();
  };
  run_all();  // libraries are loaded, tables and caches are filled
  const std::uint64_t warm = run_all();
  EXPECT_LE(run_all(), warm + kCases * kAllowedBytesPerCase);
  EXPECT_GE(counts.products, 3 * 80U);
  EXPECT_GE(counts.networks, 3 * 15U);
  EXPECT_GE(counts.rtl, 3 * 40U);
}

}  // namespace
}  // namespace weft::soak
