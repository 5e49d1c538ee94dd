// How many passes of the vector unit a chain of element-wise operators takes, by the rules of
// docs/compiler.md ("int8 float work"), and how many a layer took.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/schedule/layers/layer_check.h"

namespace weft::compiler::testing {

enum class ChainStep : std::uint8_t {
  kFunction,
  kShift,        // adds or subtracts one number, or one per channel
  kPower,        // multiplies or divides by a power of two
  kCombination,  // anything else with a second operand
};

/// True if a constant of shape `own` is one number, or one per channel of `shape`.
bool is_one_row(const Shape& own, const Shape& shape);

/// The passes of a chain. Counts the steps that are part of the next step, of the operand's scale
/// or of the result's scale.
std::int64_t passes_of(const std::vector<ChainStep>& steps, Hits& hits);

std::int64_t rows_of(const Shape& shape);
std::int64_t tiles_of(const Shape& shape, const MachineConfig& config);
/// Rows that one pass over all channels takes.
std::uint64_t lane_rows(const Shape& shape, const MachineConfig& config);

/// The passes over rows of `shape` that the first layer took.
std::uint64_t passes(const NetworkProgram& program, const Shape& shape,
                     const MachineConfig& config);
void expect_passes(const NetworkProgram& program, const Shape& shape, const MachineConfig& config,
                   std::int64_t expected);

}  // namespace weft::compiler::testing
