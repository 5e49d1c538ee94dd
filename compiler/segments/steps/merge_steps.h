// Fewer passes for the same bits: steps that are part of the step after them, and powers of two
// that are part of a quantization. One instruction computes op(combine(x + bias, b)).
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/layers/layers.h"

namespace weft::compiler {

/// True if `step` adds or subtracts one number, or one per channel, and does nothing else.
bool only_shifts(const LaneStep& step);

/// Appends `step`. If the step before it only shifts and `step` has a second operand, the two
/// become one step with a bias.
void add_step(std::vector<LaneStep>& steps, LaneStep step);

/// The first steps of a layer, as long as they multiply or divide an int8 operand by a power of
/// two, become part of the operand's quantization. At least `least` steps stay.
void fold_first_steps(std::vector<LaneStep>& steps, std::size_t least, Quantization& operand);

/// The same for the last steps and the quantization of an int8 result. One step stays.
void fold_last_steps(std::vector<LaneStep>& steps, Quantization& result);

}  // namespace weft::compiler
