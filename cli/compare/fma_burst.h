// The fastest instruction set that Highway finds, and a loop of nothing but its multiply-adds.
#pragma once

#include <cstdint>

namespace weft::cli {

struct FmaBurst {
  const char* instruction_set = "";
  std::uint32_t lanes = 0;          // float32 in a vector
  std::uint64_t vectors = 0;        // multiply-adds of a vector in one call of run
  float (*run)(float x) = nullptr;  // the result depends on x, so that no call can be left out
};

FmaBurst fma_burst();

}  // namespace weft::cli
