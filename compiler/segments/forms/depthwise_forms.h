// The ways to run a depthwise convolution: on the array, as tiles of the diagonal; on the vector
// unit, tap by tap; or some channels on either unit.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/layers/layers.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// A depthwise convolution as the array runs it, and what differs on the vector unit: there zero
/// points are subtracted lane by lane, so the bias is that of the network.
struct Depthwise {
  ContractionLayer on_array;
  std::int32_t zero = 0;  // of the image
  MakeTensor bias;        // [channels]; null: none
};

/// False on an int8 machine if the sums might not be exact in binary32, as which the vector unit
/// adds them: if a partial sum, bias included, might reach 2^24.
bool fits_vector_unit(const Depthwise& conv, ElementType dtype);

/// Compares the cycles of the two units for one image if nothing keeps them waiting. The array
/// takes a tile of the diagonal for each tap; the vector unit a pass for each tap and one for the
/// result.
bool is_quicker_on_vector_unit(const ContractionLayer& layer, const MachineConfig& config);

WindowLayer on_vector_unit(const Depthwise& conv, ElementType dtype);

/// The first tiles of channels on the array and the others on the vector unit, such that both take
/// about as long: with the rows of one image, and with those of many if that is another division.
/// So every batch has the same forms and can repeat the schedule of a smaller one. Empty if there
/// is one tile, or if the tiles are not square: then the units would share rows of the result.
std::vector<LayerForm> on_both_units(const Depthwise& conv, const MachineConfig& config);

}  // namespace weft::compiler
