// Lock-step checking: what it compares, bit for bit, and the text of a difference.
#pragma once

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/array/datapath.h"
#include "sim/timing/timeline.h"

namespace weft {

/// Signals have the names of the RTL's registers and ports.
struct LockstepDifference {
  Cycle cycle = 0;
  std::string place{};  // "PE row 2, column 1" or "accumulator row 5, column 0"
  std::string_view signal{};
  std::string expected{};
  std::string actual{};

  /// One line: cycle, place, signal, both values.
  std::string text() const {
    return fmt::format("cycle {}, {}, {}: expected {}, got {}", cycle, place, signal, expected,
                       actual);
  }
};

namespace lockstep {

inline bool same_bits(bool a, bool b) {
  return a == b;
}
inline bool same_bits(std::int8_t a, std::int8_t b) {
  return a == b;
}
inline bool same_bits(std::int32_t a, std::int32_t b) {
  return a == b;
}
/// Compares NaN payloads and the sign of zero, too.
inline bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

inline std::string shown(bool value) {
  return value ? "1" : "0";
}
inline std::string shown(std::int8_t value) {
  return fmt::format("{} (0x{:02x})", value, static_cast<std::uint8_t>(value));
}
inline std::string shown(std::int32_t value) {
  return fmt::format("{} (0x{:08x})", value, static_cast<std::uint32_t>(value));
}
inline std::string shown(float value) {
  return fmt::format("{} (0x{:08x})", value, std::bit_cast<std::uint32_t>(value));
}

/// The first register, in the order below, in which `expected` and `actual` differ.
template <class Arithmetic>
std::optional<LockstepDifference> compare_registers(const PeRegisters<Arithmetic>& expected,
                                                    const PeRegisters<Arithmetic>& actual) {
  std::optional<LockstepDifference> difference;
  const auto compare = [&](std::string_view signal, auto PeRegisters<Arithmetic>::*field) {
    if (difference || same_bits(expected.*field, actual.*field)) return;
    difference = LockstepDifference{
        .signal = signal, .expected = shown(expected.*field), .actual = shown(actual.*field)};
  };
  using Pe = PeRegisters<Arithmetic>;
  compare("act_q", &Pe::act);
  compare("swap_q", &Pe::swap);
  compare("push_q", &Pe::push);
  compare("weight_shadow_q", &Pe::weight_shadow);
  compare("weight_active_q", &Pe::weight_active);
  compare("weight_out_q", &Pe::weight_out);
  compare("psum_q", &Pe::psum);
  return difference;
}

/// The first difference between two versions of accumulator row `row`.
template <class Psum>
std::optional<LockstepDifference> compare_sums(std::string_view signal, std::uint32_t row,
                                               std::span<const Psum> expected,
                                               std::span<const Psum> actual) {
  for (std::size_t c = 0; c < expected.size(); ++c) {
    if (same_bits(expected[c], actual[c])) continue;
    return LockstepDifference{.place = fmt::format("accumulator row {}, column {}", row, c),
                              .signal = signal,
                              .expected = shown(expected[c]),
                              .actual = shown(actual[c])};
  }
  return std::nullopt;
}

/// The first difference between the accumulator writes of one cycle.
template <class Arithmetic>
std::optional<LockstepDifference> compare_writes(
    const std::optional<AccumulatorWrite<Arithmetic>>& expected,
    const std::optional<AccumulatorWrite<Arithmetic>>& actual) {
  if (expected.has_value() != actual.has_value()) {
    return LockstepDifference{.place = "accumulator write",
                              .signal = "write_o",
                              .expected = shown(expected.has_value()),
                              .actual = shown(actual.has_value())};
  }
  if (!expected) return std::nullopt;
  if (expected->row != actual->row) {
    return LockstepDifference{.place = "accumulator write",
                              .signal = "write_row_o",
                              .expected = fmt::format("{}", expected->row),
                              .actual = fmt::format("{}", actual->row)};
  }
  return compare_sums("write_data_o", expected->row, expected->sums, actual->sums);
}

}  // namespace lockstep
}  // namespace weft
