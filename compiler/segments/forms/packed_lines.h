// Convolutions with the taps of a line of the window side by side in the array's rows.
#pragma once

#include <optional>

#include "compiler/layers/layers.h"
#include "compiler/layers/sheet.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

struct PackedLines {
  LayerForm form;
  Sheet sheet;  // of the copies, number `copies` of the segment
};

/// For a convolution whose image the machine computes. First the vector unit copies the image: once
/// for each tap of a line of the window, shifted by the tap, into lanes of its own. Then one row
/// holds what a line of the window sees, and a fold takes several taps. nullopt if that saves no
/// fold or if the window has no such lines.
std::optional<PackedLines> pack_lines(const ContractionLayer& layer, std::size_t copies,
                                      const MachineConfig& config);

}  // namespace weft::compiler
