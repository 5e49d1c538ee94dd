// The weight FIFO's values: up to weight_fifo.tiles tiles of R x C elements as bytes, row-major,
// first in first out, in a ring of slots.
//
//        pop          push
//         v            v
//   | .. | t0 | t1 | t2 | .. |
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/config/machine_config.h"
#include "sim/memory/row_buffer.h"

namespace weft {

class WeightFifo {
 public:
  explicit WeightFifo(const MachineConfig& config)
      : slots_("weight FIFO", config.weight_fifo_tiles, config.tile_bytes()) {}

  std::uint64_t size() const { return size_; }
  bool is_empty() const { return size_ == 0; }
  bool is_full() const { return size_ == slots_.rows(); }

  /// Takes the next slot and returns its bytes, to be filled with a tile. Throws SimulationError if
  /// the FIFO is full.
  std::span<std::byte> push() {
    if (is_full()) throw SimulationError("weight FIFO: push into a full FIFO");
    return slots_.row((head_ + size_++) % slots_.rows());
  }

  /// The oldest tile. Throws SimulationError if the FIFO is empty.
  std::span<const std::byte> front() const {
    if (is_empty()) throw SimulationError("weight FIFO: no tile in an empty FIFO");
    return slots_.row(head_);
  }

  /// Frees the oldest tile's slot. Throws SimulationError if the FIFO is empty.
  void pop() {
    if (is_empty()) throw SimulationError("weight FIFO: pop from an empty FIFO");
    head_ = (head_ + 1) % slots_.rows();
    --size_;
  }

 private:
  RowBuffer<std::byte> slots_;
  std::uint64_t head_ = 0;
  std::uint64_t size_ = 0;
};

}  // namespace weft
