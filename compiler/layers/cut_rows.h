// Cuts layers between the lines of their results.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/layers/chunks.h"
#include "compiler/layers/layers.h"

namespace weft::compiler {

bool has_constant(const ElementwiseLayer& layer);

/// The rows of the result's sheet between multiples of which the layer can be cut: those of a line,
/// or 1 if the result is no image. 0 if it cannot be cut: it has several images, or its rows do not
/// follow from some rows of the operand.
std::int64_t line_rows(const LayerBody& body);

/// The layer for rows `rows` of the result's sheet, which must be whole lines. nullopt if it cannot
/// be cut or writes none of them.
std::optional<LayerBody> cut_to_rows(const LayerBody& body, const PositionRange& rows);

}  // namespace weft::compiler
