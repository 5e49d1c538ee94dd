// How a convolution or matrix product of sheets is mapped: how much of it is processed at once.
#pragma once

#include <cstdint>

#include "compiler/emit/contraction_blocks.h"
#include "compiler/program/mapping.h"

namespace weft::network {

/// Chooses the chunk size with the fewest estimated cycles, up to `most` rows (the accumulator rows
/// available). If no chunk fits in staging, it also splits the columns and the operand's planes.
/// Throws ConfigError if not even one row of one tile fits, InputError if the layer has more
/// instructions than a program may have.
Mapping map_contraction(const ContractionLayer& layer, const ContractionBlocks& blocks,
                        std::int64_t most, const LoweringContext& context);

}  // namespace weft::network
