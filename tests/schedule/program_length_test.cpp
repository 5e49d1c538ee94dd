// Programs longer than the instruction limit, or too long for memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "compiler/schedule/compile_network.h"
#include "models/networks/layers.h"
#include "models/networks/networks.h"
#include "sim/config/config_keys.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

std::string refusal(const graph::Graph& graph, const MachineConfig& config,
                    const CompileOptions& options) {
  try {
    compile_network(graph, config, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "compiled";
}

MachineConfig tiny_of_floats() {
  MachineConfig config = load_preset("tiny");
  config.dtype = ElementType::kBf16;
  return config;
}

TEST(ProgramLengthTest, InstructionsBeyondTheMemoryGivenAreRefused) {
  const graph::Graph graph = prepared(networks::build_network("lenet5"));
  EXPECT_EQ(refusal(graph, tiny_of_floats(), {.memory_bytes = 100'000'000}), "compiled");
  // The program has thousands of instructions of hundreds of bytes each.
  EXPECT_THAT(refusal(graph, tiny_of_floats(), {.memory_bytes = 100'000}),
              ::testing::MatchesRegex("the network takes more than [0-9]+ instructions, the most "
                                      "that the memory of this computer has room for; .*"));
}

// Each layer alone is short enough: 62,500 chunks of 64 rows times 16 tiles times 27 folds are 2.7
// * 10^7 matmuls, with as many fetches.
TEST(ProgramLengthTest, LayersThatTogetherAreTooLongAreRefusedBeforeTheyAreLowered) {
  networks::Layers net("deep", 1);
  auto x = net.input("x", graph::DataType::kFloat32, {1, 12, 2000, 2000});
  for (int i = 0; i < 8; ++i) {
    const std::int64_t channels = i % 2 == 0 ? 64 : 12;
    x = net.conv(x, {.channels = channels, .kernel = 3, .padding = 1}, "conv" + std::to_string(i));
  }
  EXPECT_THAT(refusal(prepared(net.finish(x, "y")), tiny_of_floats(), {}),
              ::testing::StartsWith("the network takes more than 2^26 instructions"));
}

// 4 * 10^8 pixels of 64 channels, each a sum over 3 * 3 taps of 12 channels. With 16 tiles of 27
// folds per 64 pixels, this takes 2.7 * 10^9 instructions.
TEST(ProgramLengthTest, ALayerLongerThanAProgramMayBeIsRefusedBeforeItIsLowered) {
  networks::Layers net("wide", 1);
  const auto x = net.input("x", graph::DataType::kFloat32, {1, 12, 20000, 20000});
  const graph::Graph graph =
      prepared(net.finish(net.conv(x, {.channels = 64, .kernel = 3, .padding = 1}, "conv"), "y"));
  EXPECT_THAT(refusal(graph, tiny_of_floats(), {}),
              ::testing::StartsWith("layer conv alone takes more than 2^26 matmul instructions"));
}

}  // namespace
}  // namespace weft::compiler::testing
