// Lowers one layer to instructions. Each function appends to the stream and fills in the layer's
// numbers. The sheets that the layer reads and writes must be prepared.
#pragma once

#include "compiler/emit/sheet_memory.h"
#include "compiler/layers/layers.h"
#include "compiler/program/network_program.h"
#include "compiler/program/stream.h"
#include "sim/config/machine_config.h"

namespace weft::network {

/// State that the lowering of a layer reads and changes.
struct LoweringContext {
  const MachineConfig& config;
  SheetMemory& memory;
  Stream& stream;
  LayerInfo& info;
  std::uint64_t& accumulator_use;  // uses so far: successive ones take different regions
};

/// Accumulator rows for the sums of zero points in products of computed int8 matrices. Adjacent
/// tiles use different rows.
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
  std::uint64_t rows = 0;   // needed at once
  std::uint64_t there = 0;  // available
};

/// The least that a pool needs, with one row of one tile at a time and nothing else in the buffer.
/// It includes all rows of a window. The layer's views refer to `sheets`.
BufferNeed least_need(const WindowLayer& layer, std::vector<Sheet> sheets,
                      const MachineConfig& config);

/// True if the divisors of an average pool take no more than their share of the unified buffer: a
/// wide row for each column and each distinct line count.
bool divisors_fit(const WindowLayer& layer, const MachineConfig& config);

}  // namespace weft::network
