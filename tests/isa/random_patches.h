// Random loads of patches, and what they mean element by element, straight from docs/isa.md,
// "Patches". Nothing here uses sim/isa/patches.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"

namespace weft::testing_support {

/// A valid load of patches for a machine of `array_rows` rows, of at most `most_rows` rows.
/// `number(low, high)` returns a random number from low to high.
template <class Number>
Load random_patch_load(std::uint32_t array_rows, std::uint32_t most_rows, Number&& number) {
  const auto axis = [&] {
    PatchAxis drawn;
    drawn.limit = number(1, 9);
    drawn.taps = number(1, 4);
    drawn.step = number(1, 4);
    drawn.dilation = number(1, 3);
    drawn.origin = static_cast<std::int32_t>(number(0, 8)) - 5;
    return drawn;
  };
  Load load;
  load.host = number(0, 20);
  Patches patches;
  patches.x = axis();
  patches.y = axis();
  patches.width = number(1, std::min(5U, most_rows));
  load.rows = patches.width * number(1, std::max(1U, most_rows / patches.width));
  patches.first = number(0, 20);
  patches.lanes = number(1, array_rows);
  patches.offset = number(0, 30);
  patches.pad = static_cast<std::uint16_t>(number(0, 255));
  load.patches = patches;
  return load;
}

struct PatchPlace {
  std::uint64_t channel = 0;
  std::int64_t y = 0;
  std::int64_t x = 0;
};

/// Where element `lane` of row `row` lies; it may lie in the border.
inline PatchPlace place_of(const Load& load, std::uint32_t row, std::uint32_t lane) {
  const Patches& p = *load.patches;
  const std::uint64_t element = std::uint64_t{p.first} + lane;
  const auto tap_x = static_cast<std::int64_t>(element % p.x.taps);
  const auto tap_y = static_cast<std::int64_t>(element / p.x.taps % p.y.taps);
  return {element / p.x.taps / p.y.taps,
          p.y.origin + std::int64_t{row / p.width} * p.y.step + tap_y * p.y.dilation,
          p.x.origin + std::int64_t{row % p.width} * p.x.step + tap_x * p.x.dilation};
}

/// The element of host memory, counted from host row load.host; nullopt in the border.
inline std::optional<std::uint64_t> source_of(const Load& load, const PatchPlace& at) {
  const Patches& p = *load.patches;
  if (at.y < 0 || at.y >= std::int64_t{p.y.limit} || at.x < 0 || at.x >= std::int64_t{p.x.limit}) {
    return std::nullopt;
  }
  return p.offset + (at.channel * p.y.limit + static_cast<std::uint64_t>(at.y)) * p.x.limit +
         static_cast<std::uint64_t>(at.x);
}

/// All needed elements: where the lanes reach one tap of a tap line, all taps of that line.
inline std::set<std::uint64_t> needed_elements(const Load& load) {
  const Patches& p = *load.patches;
  Load whole = load;
  const std::uint32_t end = p.first + p.lanes;
  whole.patches->first = p.first / p.x.taps * p.x.taps;
  whole.patches->lanes = (end + p.x.taps - 1) / p.x.taps * p.x.taps - whole.patches->first;
  std::set<std::uint64_t> needed;
  for (std::uint32_t row = 0; row < load.rows; ++row) {
    for (std::uint32_t lane = 0; lane < whole.patches->lanes; ++lane) {
      if (const auto element = source_of(whole, place_of(whole, row, lane))) {
        needed.insert(*element);
      }
    }
  }
  return needed;
}

}  // namespace weft::testing_support
