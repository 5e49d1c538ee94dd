// Helpers for tests of `weft explain`: JSON output, and random products on random machines.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/cli/weft_process.h"

namespace weft::test {

/// The JSON that the command writes to stdout.
inline nlohmann::json json_of(const Words& words) {
  const Finished finished = run_weft(words + Words{"--json", "-"});
  EXPECT_EQ(finished.code, 0) << finished.err;
  return nlohmann::json::parse(finished.out, nullptr, false);
}

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}

  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low + engine_() % (high - low + 1);
  }
  bool chance(unsigned percent) { return between(1, 100) <= percent; }

 private:
  std::mt19937 engine_;
};

using Keys = std::map<std::string, std::string>;

/// Draws each key that can affect the cycles of a product, so that two draws differ in many keys.
inline Keys draw_keys(Draw& draw) {
  const auto number = [&](std::uint64_t low, std::uint64_t high) {
    return std::to_string(draw.between(low, high));
  };
  const char* const kinds[] = {"ideal", "shared", "split"};
  const char* const types[] = {"int8", "bf16", "fp16"};
  return {{"clock_mhz", number(1, 900) + ".5"},
          {"array.rows", number(1, 12)},
          {"array.cols", number(1, 12)},
          {"array.dtype", types[draw.between(0, 2)]},
          {"array.double_buffer", draw.chance(50) ? "on" : "off"},
          {"accumulators.rows", number(2, 64)},
          {"unified_buffer.kib", number(4, 64)},
          {"weight_fifo.tiles", number(1, 6)},
          {"memory.kind", kinds[draw.between(0, 2)]},
          {"memory.gb_per_s", number(1, 60) + ".125"},
          {"memory.latency_cycles", number(0, 40)},
          {"host.gb_per_s", number(1, 60)},
          {"host.latency_cycles", number(0, 40)},
          {"vector.latency_cycles", number(1, 12)},
          {"sequencer.queue_depth", number(1, 16)}};
}

inline Words words_of(const Keys& keys) {
  Words words;
  for (const auto& [key, value] : keys) words = words + Words{"--" + key, value};
  return words;
}

}  // namespace weft::test
