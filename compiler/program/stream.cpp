#include "compiler/program/stream.h"

#include <fmt/format.h>

#include <variant>

#include "base/error.h"
#include "sim/timing/transfers.h"

namespace weft::compiler {

void Stream::emit(const Operation& operation) {
  if (count_ == most_) refuse_longer();
  ++count_;
  LayerInfo& info = step_.layers[layer_];
  if (std::holds_alternative<Load>(operation)) {
    info.input_bytes += transfer_request(operation, config_)->bytes;
  } else if (std::holds_alternative<Store>(operation)) {
    info.output_bytes += transfer_request(operation, config_)->bytes;
  }
  sink_.add({operation, tracker_.add(operation)}, layer_, tile_);
}

void Stream::refuse_longer() const {
  if (most_ < kMaxInstructions) {
    throw InputError(fmt::format(
        "the network takes more than {} instructions, the most that the memory of this computer "
        "has room for; choose a smaller input or batch, or a larger machine (`weft run --engine "
        "analytic` holds no program)",
        most_));
  }
  if (most_ == kMaxInstructions) {
    throw InputError(
        "the network takes more than 2^26 instructions, the most that a program may have; choose "
        "a smaller input or batch, or a larger machine (`weft run --engine analytic` holds no "
        "program)");
  }
  throw InputError(
      "the network takes more than 2^32 - 1 instructions, the most that a run may have; choose a "
      "smaller input or batch, or a larger machine");
}

}  // namespace weft::compiler
