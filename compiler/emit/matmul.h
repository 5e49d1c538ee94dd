// Lowers a tiling plan to a program.
#pragma once

#include <cstdint>
#include <memory>

#include "compiler/layers/lane_function.h"
#include "compiler/mapping/tiling_plan.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction_stream.h"
#include "sim/isa/program.h"
#include "sim/memory/matrix.h"

namespace weft {

/// How many instructions the plan leads to. plan.matmuls() must be at most kMaxInstructions.
std::uint64_t instruction_count(const TilingPlan& plan);

/// The function of an activation on a machine of this type.
LaneFunction lane_function(Activation activation, ElementType dtype);

/// lower_matmul() without its instructions.
Program matmul_header(const TilingPlan& plan, const MachineConfig& config);

/// The instructions of lower_matmul(), in the same order, made while they are asked for.
/// There may be any number of them, up to 2^32 - 1 for each unit; throws InputError beyond.
std::unique_ptr<InstructionStream> matmul_stream(const TilingPlan& plan,
                                                 const MachineConfig& config);

/// The program for `plan`, with tensors "a" [M,K], "b" [K,N], optional "bias" [1,N] and "out"
/// [M,N]. The order of instructions keeps every unit busy. The dependences are exactly those that
/// the hazard rules need (docs/timing.md); none is implied by another. `plan` comes from
/// plan_matmul() for the same machine. Throws InputError if the program would have more than
/// `most` instructions.
Program lower_matmul(const TilingPlan& plan, const MachineConfig& config,
                     std::size_t most = kMaxInstructions);
/// The same with another function in place of the activation.
Program lower_matmul(const TilingPlan& plan, const MachineConfig& config,
                     const LaneFunction& function, std::size_t most);

/// The bias that makes the array's A*B exact if A entered with a zero point:
/// bias - zero_point * (sum of each column of B), modulo 2^32.
/// Weights are [K,N] int8; bias is [1,N] int32, or nullptr for none. Returns [1,N] int32. Throws
/// InputError for other types or shapes.
Matrix fold_zero_point(const Matrix& weights, std::int32_t zero_point, const Matrix* bias);

}  // namespace weft
