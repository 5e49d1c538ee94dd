// The instructions of a program in program order, each with its layer. The DependenceTracker adds
// the `after` counts last.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/program/network_program.h"
#include "sim/isa/program.h"

namespace weft::network {

class Stream {
 public:
  /// The stream holds at most `most` instructions.
  explicit Stream(std::size_t most) : most_(most) {}

  /// Everything emitted from here on belongs to `layer`.
  void begin_layer(std::uint32_t layer) {
    layer_ = layer;
    tile_ = {};
  }
  /// Everything emitted from here on works on `tile`.
  void begin_tile(const TileNumbers& tile) { tile_ = tile; }

  /// Throws InputError if `count` instructions in all would not fit.
  void expect(std::uint64_t count) const {
    if (count > most_) refuse_longer();
  }

  /// Throws InputError if the stream is full.
  void emit(Operation operation) {
    if (operations_.size() == most_) refuse_longer();
    operations_.push_back(std::move(operation));
    layers_.push_back(layer_);
    tiles_.push_back(tile_);
  }

  const std::deque<Operation>& operations() const { return operations_; }
  /// Removes the first operation that is left, so that its memory can be used again.
  Operation take() {
    Operation operation = std::move(operations_.front());
    operations_.pop_front();
    return operation;
  }
  /// The layer of each instruction.
  const std::vector<std::uint32_t>& layers() const { return layers_; }
  const std::vector<TileNumbers>& tiles() const { return tiles_; }

 private:
  [[noreturn]] void refuse_longer() const {
    if (most_ == kMaxInstructions) {
      throw InputError(
          "the network takes more than 2^26 instructions, the most that a program may "
          "have; choose a smaller input or batch, or a larger machine");
    }
    throw InputError(fmt::format(
        "the network takes more than {} instructions, the most that the memory of this computer "
        "has room for; choose a smaller input or batch, or a larger machine",
        most_));
  }

  std::size_t most_;
  std::deque<Operation> operations_;
  std::vector<std::uint32_t> layers_;
  std::vector<TileNumbers> tiles_;
  std::uint32_t layer_ = 0;
  TileNumbers tile_ = {};
};

}  // namespace weft::network
