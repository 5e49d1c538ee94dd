#include "compiler/program/mapping.h"

#include <fmt/format.h>

#include <string_view>

namespace weft {
namespace {

std::string rows_text(std::uint32_t rows) {
  return rows == 1 ? "1 row" : fmt::format("{} rows", rows);
}

std::string_view stationary_text(Stationary stationary) {
  switch (stationary) {
    case Stationary::kWeights:
      return "weights";
    case Stationary::kActivations:
      return "activations";
    case Stationary::kFirstOperand:
      return "first operand";
    case Stationary::kSecondOperand:
      return "second operand";
  }
  return "";
}

std::string buffered_text(const Mapping& mapping) {
  if (mapping.buffered_tiles == 0) return "";
  return fmt::format("; {} of {} tiles through the unified buffer", mapping.buffered_tiles,
                     kTileShares);
}

std::string transfers_text(const Mapping& mapping) {
  if (mapping.transfers == Transfers::kSheets) {
    return fmt::format("sheets; column tiles at once: {}, planes: {}{}", mapping.column_tiles,
                       mapping.planes, buffered_text(mapping));
  }
  const Pacing& pacing = mapping.pacing;
  return fmt::format(
      "rings of {}{} activation, {} bias and {} output slots{}; matmuls of lead: fetches {}, loads "
      "{}; of lag: slots {}, vectors {}, stores {}{}",
      mapping.activation_slots, mapping.activations_resident ? " resident" : "", mapping.bias_slots,
      mapping.output_slots,
      mapping.tile_slots == 0
          ? ""
          : fmt::format(", {} for tiles{}", mapping.tile_slots, buffered_text(mapping)),
      pacing.fetch_ahead, pacing.load_ahead, pacing.slot_lag, pacing.vector_lag, pacing.store_lag,
      mapping.stores_by_row ? "; results of the last column tile leave one by one" : "");
}

}  // namespace

std::string buffered_tiles_text(std::uint32_t share) {
  if (share == 0) return "";
  return fmt::format("{} tiles of weights come through the unified buffer",
                     share == kTileShares ? "all" : "some");
}

std::vector<std::string> transfer_notes(const Mapping& mapping) {
  std::vector<std::string> notes;
  if (mapping.buffered_tiles > 0) notes.push_back(buffered_tiles_text(mapping.buffered_tiles));
  if (mapping.stores_by_row) notes.emplace_back("results of the last column tile leave one by one");
  return notes;
}

std::string to_text(const Mapping& mapping) {
  if (mapping.unit == MappedUnit::kVectorUnit) {
    return fmt::format("vector unit; chunks of {}; column tiles at once: {}",
                       rows_text(mapping.chunk_rows), mapping.column_tiles);
  }
  return fmt::format("array {}; {} stationary; chunks of {}, {}; accumulator regions: {}; {}",
                     mapping.array, stationary_text(mapping.stationary),
                     rows_text(mapping.chunk_rows),
                     mapping.order == LoopOrder::kChunkInnermost ? "innermost" : "outermost",
                     mapping.accumulator_regions, transfers_text(mapping));
}

}  // namespace weft
