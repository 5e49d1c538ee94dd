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
  for (const Layer& layer : segment.layers) {
    look(layer.body);
    for (const LayerForm& form : layer.others) std::ranges::for_each(form.bodies, look);
  }
  return static_cast<std::uint64_t>(margin);
}

BufferParts with_staging(const MachineConfig& config, std::uint64_t margin, std::uint64_t staging) {
  const std::uint64_t rows = usable_rows(config);
  return {std::min({margin, rows / 2, rows - staging}), rows - staging, rows};
}

}  // namespace weft::compiler
