// Programs of one matrix product: operands and result lie on the host and pass through the unified
// buffer in rings (compiler/emit/matmul.h).
#pragma once

#include <memory>
#include <optional>

#include "compiler/layers/segment.h"
#include "compiler/mapping/tiling_plan.h"
#include "compiler/program/network_program.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction_stream.h"

namespace weft::compiler {

/// The product, if the segment is one and nothing else. Its first operand consists of rows of the
/// host, each whole and used once. Its second is one constant matrix. The host takes its results as
/// 32-bit words. An activation that MatmulSpec cannot name is left out; product_step() applies it
/// all the same.
std::optional<MatmulSpec> only_product(const Segment& segment, const MachineConfig& config);

/// True if the schedule is that of one product in rings.
bool is_product(const Schedule& schedule);

/// The segment's program. Its tensors are "a", "b", perhaps "bias", and "out", as in
/// lower_matmul(). Throws InputError if the program has more than `most` instructions.
MachineStep product_step(const Segment& segment, const Schedule& schedule,
                         const MachineConfig& config, std::size_t most);

/// The instructions of product_step(), made while they are asked for.
std::unique_ptr<InstructionStream> product_stream(const Segment& segment, const Schedule& schedule,
                                                  const MachineConfig& config);
/// The layer of product_step(), without its tiles.
LayerInfo product_layer(const Segment& segment, const Schedule& schedule,
                        const MachineConfig& config);

}  // namespace weft::compiler
