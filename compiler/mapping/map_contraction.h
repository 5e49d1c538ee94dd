// How a convolution or matrix product of sheets is mapped: how much of it is processed at once.
#pragma once

#include <cstdint>
#include <variant>

#include "compiler/blocks/contraction_blocks.h"
#include "compiler/blocks/places.h"
#include "compiler/mapping/misfit.h"
#include "compiler/program/mapping.h"

namespace weft::compiler {

/// Chunks of `most_rows` rows, or as many as the accumulators have; if `most_rows` is 0, chunks of
/// the size with the fewest estimated cycles. If no chunk fits in staging, it also splits the
/// columns and the operand's planes. A misfit if not even one row of one tile fits.
std::variant<Mapping, Misfit> map_contraction(const ContractionLayer& layer,
                                              const ContractionBlocks& blocks, const Places& places,
                                              std::int64_t most_rows = 0);

}  // namespace weft::compiler
