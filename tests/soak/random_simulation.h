// One random small simulation on every engine, as the soak runs it many times in one process.
#pragma once

#include <cstdint>

namespace weft::soak {

/// How many simulations there were.
struct Counts {
  std::uint64_t products = 0;
  std::uint64_t networks = 0;
  std::uint64_t rtl = 0;  // of both, those that the engine rtl ran too

  std::uint64_t cases() const { return products + networks; }
};

/// Draws a machine and a product or a small network from the seed, runs it on analytic, fast,
/// timed, stepped and, where the array is built, rtl, and adds it to `counts`. Throws
/// std::runtime_error that names the seed if engines differ in a cycle, in a class of the ledger or
/// in a bit, or if the values are not those of the in-order loop or of the CPU reference.
void run_random_simulation(std::uint64_t seed, Counts& counts);

/// Bytes that this process has allocated and not freed.
std::uint64_t heap_bytes();
/// Bytes of this process that are in memory.
std::uint64_t resident_bytes();

}  // namespace weft::soak
