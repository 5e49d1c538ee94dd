// What the machine runs as one program.
#pragma once

#include <vector>

#include "compiler/layers/layers.h"
#include "compiler/layers/sheet.h"

namespace weft::compiler {

/// The layers of one program in order, and the sheets to which their views refer.
struct Segment {
  std::vector<Sheet> sheets;
  std::vector<Layer> layers;
  /// Some product is computed as it is written, or transposed, and could be computed the other way
  /// (MappingOptions::turned_results).
  bool could_turn = false;
  bool could_turn_back = false;
  /// Some product would be computed transposed although its result stays on the machine
  /// (MappingOptions::turned_values), or is.
  bool could_turn_values = false;
  bool has_turned_values = false;
  /// A load could cut some convolution's windows out, and does not (MappingOptions::packed_taps).
  bool could_pack = false;
  bool has_joined_lines = false;  // in some sheet (MappingOptions::joined_lines)
  bool has_line_borders = false;  // likewise (MappingOptions::line_borders)
  bool has_line_slices = false;   // likewise (MappingOptions::line_slices)
};

}  // namespace weft::compiler
