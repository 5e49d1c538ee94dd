#include "compiler/emit/layer_constant.h"

namespace weft::network {

LayerConstant::LayerConstant(SheetMemory& memory, std::uint64_t host, std::uint32_t block_rows,
                             std::uint32_t blocks, std::uint32_t most)
    : memory_(&memory),
      host_(host),
      block_rows_(block_rows),
      blocks_(blocks),
      most_(most),
      base_(memory.take_constant(std::uint64_t{blocks} * block_rows)) {
  if (base_) memory.load_rows(host, *base_, blocks * block_rows);
}

std::uint64_t LayerConstant::staging_need() const {
  return base_ ? 0 : std::uint64_t{places()} * most_ * block_rows_;
}

void LayerConstant::begin_use() {
  if (base_) return;
  for (std::size_t i = 0; i < places(); ++i) {
    places_[i] = {memory_->rows().stage(std::uint64_t{most_} * block_rows_), 0, 0};
  }
}

std::uint32_t LayerConstant::rows_of(std::uint32_t first, std::uint32_t count) {
  if (base_) return *base_ + first * block_rows_;
  for (std::size_t i = 0; i < places(); ++i) {
    const Place& place = places_[i];
    if (place.count > 0 && place.first <= first && first + count <= place.first + place.count) {
      return place.base + (first - place.first) * block_rows_;
    }
  }
  Place& place = places_[next_++ % places()];
  place = {place.base, first, count};
  memory_->load_rows(host_ + std::uint64_t{first} * block_rows_, place.base, count * block_rows_);
  return place.base;
}

}  // namespace weft::network
