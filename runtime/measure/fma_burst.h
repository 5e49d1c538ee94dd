// The fastest instruction set that Highway finds, and a loop of its multiply-adds alone.
#pragma once

#include <cstdint>

namespace weft::runtime {

struct FmaBurst {
  const char* instruction_set = "";
  std::uint32_t lanes = 0;          // float32 numbers in a vector
  std::uint64_t vectors = 0;        // vector multiply-adds in one call of run
  float (*run)(float x) = nullptr;  // uses x, so that no call is optimized away
};

FmaBurst fma_burst();

}  // namespace weft::runtime
