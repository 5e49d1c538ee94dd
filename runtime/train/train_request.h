// What a training is asked for, checked before anything is read or computed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/program/network_program.h"
#include "models/training/optimizer.h"
#include "sim/config/machine_config.h"
#include "sim/simulate.h"

namespace weft::runtime {

enum class TrainDevice : std::uint8_t { kCpu, kCuda, kSim };
/// kInt8 cannot be requested: it comes from an int8 array, which measures quantized networks with
/// --epochs 0.
enum class TrainType : std::uint8_t { kFloat32, kBf16, kFp16, kInt8 };

/// "cpu", "cuda" or "sim".
std::string_view to_string(TrainDevice device);
/// "float32", "bf16", "fp16" or "int8".
std::string_view to_string(TrainType type);

struct TrainRequest {
  std::string command_line;
  std::string model;  // a file's path, or the name of a built-in network
  bool is_file = false;
  std::optional<std::string> data = {};  // a folder; the embedded digits if not given
  TrainDevice device = TrainDevice::kCpu;
  TrainType type = TrainType::kFloat32;
  std::uint64_t epochs = 0;
  std::optional<std::int64_t> batch = {};
  training::OptimizerOptions optimizer = {};
  std::uint64_t seed = 1;
  std::optional<std::string> save = {};
  std::optional<std::string> checkpoint = {};     // a folder
  std::optional<std::uint64_t> every_steps = {};  // also write checkpoints within an epoch
  bool resume = false;
  std::optional<std::string> log = {};
  std::optional<std::string> json = {};  // "-" is stdout
  std::optional<std::string> html = {};
  std::optional<std::string> machine_out = {};  // .ini
  bool quiet = false;
  MachineConfig machine = {};  // for --backend sim
  Engine engine = Engine::kFast;
  compiler::SearchEffort effort = compiler::SearchEffort::kNormal;
  unsigned threads = 1;

  bool json_to_stdout() const { return json == "-"; }
};

inline constexpr std::uint64_t kDefaultEpochs = 20;
inline constexpr std::int64_t kDefaultBatch = 32;

/// "sgd, learning rate 0.05, momentum 0.9": everything that affects an update.
std::string optimizer_text(const training::OptimizerOptions& options);

}  // namespace weft::runtime
