// The slots of the unified buffer that hold tiles of constant weights, while a program is written.
// Slots are taken round and round. A tile that still lies in its slot is not loaded again.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace weft::compiler {

class TileRing {
 public:
  /// `first`: the first UB row of slot 0; each slot has `rows` rows.
  TileRing(std::uint64_t first, std::uint64_t rows, std::uint32_t slots)
      : first_(first), rows_(rows), held_(slots) {}

  struct Slot {
    std::uint32_t row = 0;  // its first UB row
    bool holds_tile = false;
  };

  /// The slot of the tile with this number. If it has none, it takes the slot that
  /// was taken longest ago, and must be loaded. There must be a slot.
  Slot slot_of(std::uint64_t tile) {
    const auto known = slots_.find(tile);
    if (known != slots_.end()) return {row_of(known->second), true};
    const std::size_t slot = next_;
    next_ = (next_ + 1) % held_.size();
    if (held_[slot]) slots_.erase(*held_[slot]);
    held_[slot] = tile;
    slots_.emplace(tile, slot);
    return {row_of(slot), false};
  }

 private:
  std::uint32_t row_of(std::size_t slot) const {
    return static_cast<std::uint32_t>(first_ + slot * rows_);
  }

  std::uint64_t first_;
  std::uint64_t rows_;
  std::vector<std::optional<std::uint64_t>> held_;  // by each slot
  std::unordered_map<std::uint64_t, std::size_t> slots_;
  std::size_t next_ = 0;
};

}  // namespace weft::compiler
