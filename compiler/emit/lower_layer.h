// Lowers one layer to instructions, as its schedule says. Each function appends to the stream and
// fills in the layer's numbers. The sheets that the layer reads and writes must be prepared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compiler/blocks/constant_rows.h"
#include "compiler/emit/sheet_memory.h"
#include "compiler/emit/weight_places.h"
#include "compiler/layers/layers.h"
#include "compiler/program/network_program.h"
#include "compiler/program/stream.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// State that the lowering of a layer reads and changes.
struct LoweringContext {
  const MachineConfig& config;
  SheetMemory& memory;
  Stream& stream;
  LayerInfo& info;
  std::span<const Mapping> mappings;          // one for each part of the layer
  std::span<const PlacedConstant> constants;  // of the layer
  std::uint64_t& accumulator_use;             // uses so far: successive ones take different regions
  WeightPlaces& weights;                      // of the program
  bool shares_tiles = false;                  // InstructionOrder::kByTile
  std::size_t layer = 0;                      // its number
  std::int64_t first_chunk = 0;               // chunks of rows in earlier parts of the layer
  std::size_t constants_begun = 0;

  const Places& places() const { return memory.places(); }
  /// The layer's next constant, in the order of constants_of().
  const PlacedConstant& next_constant() { return constants[constants_begun++]; }
};

void lower(const ContractionLayer& layer, LoweringContext& context);
void lower(const WindowLayer& layer, LoweringContext& context);
void lower(const ElementwiseLayer& layer, LoweringContext& context);
void lower(const ConcatLayer& layer, LoweringContext& context);
void lower(const SoftmaxLayer& layer, LoweringContext& context);
void lower(const NormalizationLayer& layer, LoweringContext& context);
void lower(const ReductionLayer& layer, LoweringContext& context);

}  // namespace weft::compiler
