// The instructions of a program in the order in which they are written, each with its layer; the
// `after` counts come last, from the DependenceTracker.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/isa/program.h"

namespace weft::network {

class Stream {
 public:
  /// Everything emitted from here on belongs to `layer`.
  void begin_layer(std::uint32_t layer) { layer_ = layer; }

  void emit(Operation operation) {
    operations_.push_back(std::move(operation));
    layers_.push_back(layer_);
  }

  std::vector<Operation>& operations() { return operations_; }
  /// The layer of each instruction.
  const std::vector<std::uint32_t>& layers() const { return layers_; }

 private:
  std::vector<Operation> operations_;
  std::vector<std::uint32_t> layers_;
  std::uint32_t layer_ = 0;
};

}  // namespace weft::network
