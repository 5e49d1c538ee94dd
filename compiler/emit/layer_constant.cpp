#include "compiler/emit/layer_constant.h"

namespace weft::compiler {

LayerConstant::LayerConstant(SheetMemory& memory, std::uint64_t host, const PlacedConstant& placed)
    : memory_(&memory), host_(host), placed_(placed) {
  if (!placed.base) return;
  memory.load_rows(host, *placed.base, static_cast<std::uint32_t>(placed.rows.rows()));
}

void LayerConstant::begin_use() {
  if (placed_.base) return;
  const ConstantRows& rows = placed_.rows;
  for (std::size_t i = 0; i < rows.places(); ++i) {
    places_[i] = {memory_->staging().stage(std::uint64_t{rows.most} * rows.block_rows), 0, 0};
  }
}

std::uint32_t LayerConstant::rows_of(std::uint32_t first, std::uint32_t count) {
  const std::uint32_t block_rows = placed_.rows.block_rows;
  if (placed_.base) return *placed_.base + first * block_rows;
  for (std::size_t i = 0; i < placed_.rows.places(); ++i) {
    const Place& place = places_[i];
    if (place.count > 0 && place.first <= first && first + count <= place.first + place.count) {
      return place.base + (first - place.first) * block_rows;
    }
  }
  Place& place = places_[next_++ % placed_.rows.places()];
  place = {place.base, first, count};
  memory_->load_rows(host_ + std::uint64_t{first} * block_rows, place.base, count * block_rows);
  return place.base;
}

}  // namespace weft::compiler
