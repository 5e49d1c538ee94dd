// How a run of a product, a convolution or a network computes: what its caller may choose.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/simulate.h"

namespace weft::runtime {

enum class CheckMode : std::uint8_t { kNone, kCpu };

inline constexpr std::uint64_t kDefaultSeed = 1;

struct RunOptions {
  Engine engine = Engine::kFast;
  unsigned threads = 1;
  CheckMode check = CheckMode::kCpu;
  std::optional<std::uint64_t> seed;  // kDefaultSeed if not given
  std::optional<std::string> a;       // .npy files
  std::optional<std::string> b;
  std::optional<std::string> bias;
  bool lockstep = false;

  bool has_files() const { return a || b || bias; }
  bool with_values() const { return engine != Engine::kAnalytic; }
};

}  // namespace weft::runtime
