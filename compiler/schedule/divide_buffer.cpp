#include "compiler/schedule/divide_buffer.h"

#include <algorithm>
#include <variant>

#include "compiler/blocks/places.h"
#include "compiler/layers/chunks.h"

namespace weft::compiler {

std::uint64_t needed_margin(const Segment& segment) {
  std::int64_t margin = 0;
  const auto look = [&](const LayerBody& each) {
    std::visit(
        [&](const auto& body) {
          if constexpr (requires { body.walk; }) margin = std::max(margin, margin_of(body.walk));
          if constexpr (requires { body.parts; }) {
            for (const auto& part : body.parts) margin = std::max(margin, margin_of(part.walk));
          }
        },
        each);
  };
  for (const Layer& layer : segment.layers) for_each_body(layer, look);
  return static_cast<std::uint64_t>(margin);
}

std::uint32_t most_tile_slots(const MachineConfig& config) {
  return static_cast<std::uint32_t>(usable_rows(config) / 2 / tile_slot_rows(config));
}

BufferParts with_staging(const MachineConfig& config, std::uint64_t margin, std::uint64_t staging,
                         std::uint32_t tile_slots) {
  const std::uint64_t rows = usable_rows(config) - tile_slots * tile_slot_rows(config);
  const std::uint64_t first = rows - std::min(staging, rows);
  return {std::min({margin, rows / 2, first}), first, rows, tile_slots};
}

}  // namespace weft::compiler
