#include "runtime/train/train_request.h"

#include <fmt/format.h>

#include <array>

namespace weft::runtime {

std::string_view to_string(TrainDevice device) {
  constexpr std::array<std::string_view, 3> kNames = {"cpu", "cuda", "sim"};
  return kNames[static_cast<std::size_t>(device)];
}

std::string_view to_string(TrainType type) {
  constexpr std::array<std::string_view, 4> kNames = {"float32", "bf16", "fp16", "int8"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string optimizer_text(const training::OptimizerOptions& options) {
  std::string text =
      fmt::format("{}, learning rate {}", to_string(options.method), options.learning_rate);
  if (options.momentum != 0) {
    text += fmt::format(", {}momentum {}", options.nesterov ? "Nesterov " : "", options.momentum);
  }
  if (options.weight_decay != 0) text += fmt::format(", weight decay {}", options.weight_decay);
  return text;
}

}  // namespace weft::runtime
