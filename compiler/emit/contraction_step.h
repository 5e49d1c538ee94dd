// How much of a convolution or matrix product is processed at once.
#pragma once

#include <cstdint>

#include "compiler/emit/contraction_blocks.h"

namespace weft::network {

/// One step: rows of the result, tiles of its columns, and planes of the operand.
struct ContractionStep {
  std::int64_t rows = 0;
  std::int64_t tiles = 0;
  std::int64_t planes = 0;
};

/// Chooses the chunk size with the fewest estimated cycles, up to `most` rows (the accumulator rows
/// available). If no chunk fits in staging, it also splits the columns and the operand's planes.
/// Throws ConfigError if not even one row of one tile fits, InputError if the layer has more
/// instructions than a program may have.
ContractionStep choose_step(const ContractionLayer& layer, const ContractionBlocks& blocks,
                            std::int64_t most, const LoweringContext& context);

}  // namespace weft::network
