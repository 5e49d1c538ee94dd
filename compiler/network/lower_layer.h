// From one layer to instructions. Each function appends to the stream, with the sheets that the
// layer reads and writes prepared, and fills in the layer's numbers.
#pragma once

#include "compiler/network/layers.h"
#include "compiler/network/network_program.h"
#include "compiler/network/sheet_memory.h"
#include "compiler/network/stream.h"
#include "sim/config/machine_config.h"

namespace weft::network {

/// What lowering a layer works with.
struct LoweringContext {
  const MachineConfig& config;
  SheetMemory& memory;
  Stream& stream;
  LayerInfo& info;
  std::uint64_t& accumulator_use;  // regions used so far, so that neighbours use different ones
};

/// A program without instructions.
MachineStep new_step(const MachineConfig& config);

/// Takes the stream's instructions into the program, with the counts for which they wait, and adds
/// up each layer's transfers.
void finish_step(Stream& stream, MachineStep& step, const MachineConfig& config);

/// Accumulator rows for the sums of zero points in products of computed int8 matrices; neighbouring
/// tiles use different ones.
inline constexpr std::uint32_t kCorrectionRows = 2;

void lower(const ContractionLayer& layer, LoweringContext& context);
void lower(const WindowLayer& layer, LoweringContext& context);
void lower(const ElementwiseLayer& layer, LoweringContext& context);
void lower(const ConcatLayer& layer, LoweringContext& context);
void lower(const SoftmaxLayer& layer, LoweringContext& context);
void lower(const NormalizationLayer& layer, LoweringContext& context);
void lower(const ReductionLayer& layer, LoweringContext& context);

/// Rows of the unified buffer.
struct BufferNeed {
  std::uint64_t rows = 0;   // that a layer takes at once
  std::uint64_t there = 0;  // that it can have
};

/// What a pool cannot do without, one row of one tile at a time with nothing else in the buffer:
/// all rows of its window among it. The layer's views are of `sheets`.
BufferNeed least_need(const WindowLayer& layer, std::vector<Sheet> sheets,
                      const MachineConfig& config);

/// True if the divisors of an average pool, a wide row for each column and each different line
/// count, take no more than their share of the unified buffer.
bool divisors_fit(const WindowLayer& layer, const MachineConfig& config);

}  // namespace weft::network
