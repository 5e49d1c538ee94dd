// How a convolution or matrix product of sheets is mapped: how much of it is processed at once.
#pragma once

#include <cstdint>
#include <variant>

#include "compiler/blocks/contraction_blocks.h"
#include "compiler/blocks/places.h"
#include "compiler/mapping/misfit.h"
#include "compiler/program/mapping.h"

namespace weft::compiler {

/// Chooses the chunk size with the fewest estimated cycles, up to 1/`share` of the accumulator rows
/// (at least one row). If no chunk fits in staging, it also splits the columns and the operand's
/// planes. A misfit if not even one row of one tile fits.
std::variant<Mapping, Misfit> map_contraction(const ContractionLayer& layer,
                                              const ContractionBlocks& blocks, const Places& places,
                                              std::int64_t share = 1);

}  // namespace weft::compiler
