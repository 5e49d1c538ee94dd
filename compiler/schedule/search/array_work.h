// What a layer on the array takes by a closed form.
#pragma once

#include "compiler/layers/layers.h"
#include "compiler/program/mapping.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

struct ArrayWork {
  double passes = 0;        // of a tile and the rows of a chunk
  double cycles = 0;        // of the array: its rows, or the pushes of its tiles
  double tiles = 0;         // of constant weights
  double fetches = 0;       // of these tiles
  double weight_bytes = 0;  // that the fetches bring
};

ArrayWork array_work(const ContractionLayer& layer, const Mapping& mapping,
                     const MachineConfig& config);

}  // namespace weft::compiler
