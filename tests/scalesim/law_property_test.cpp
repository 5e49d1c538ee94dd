// Serial folds on the machine's clock against SCALE-Sim's law, over random layers and arrays.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "runtime/scalesim/layer_runs.h"
#include "runtime/scalesim/serial_machine.h"

namespace weft::runtime {
namespace {

using imports::Dataflow;
using imports::ScaleSimConfig;

constexpr int kRounds = 400;

/// The cycles of the folds one after the other, each added up by its parts.
std::uint64_t naive_cycles(const MatmulSpec& product, const ScaleSimConfig& config) {
  const bool weights = config.dataflow == Dataflow::kWeightStationary;
  const std::uint64_t cut = weights ? product.n : product.m;
  const std::uint64_t streamed = weights ? product.m : product.n;
  std::uint64_t cycles = 0;
  for (std::uint64_t k = 0; k < product.k; k += config.rows) {
    for (std::uint64_t c = 0; c < cut; c += config.cols) {
      const std::uint64_t pushes = config.rows;
      const std::uint64_t last_row_enters = streamed;  // one row a cycle
      const std::uint64_t to_last_pe = config.rows - 1 + config.cols - 1;
      cycles += pushes + last_row_enters + to_last_pe;
    }
  }
  return cycles;
}

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  std::uint64_t up_to(std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(1, most)(random_);
  }
  ScaleSimConfig config() {
    ScaleSimConfig config;
    // Single rows and columns are as frequent as all others, because folds are shortest there.
    config.rows = static_cast<std::uint32_t>(up_to(2) == 1 ? up_to(3) : up_to(40));
    config.cols = static_cast<std::uint32_t>(up_to(2) == 1 ? up_to(3) : up_to(40));
    config.ifmap_kib = up_to(8);
    config.filter_kib = up_to(8);
    config.ofmap_kib = 1;
    config.dataflow = up_to(2) == 1 ? Dataflow::kWeightStationary : Dataflow::kInputStationary;
    return config;
  }
  MatmulSpec product() {
    return {.m = up_to(up_to(2) == 1 ? 4 : 200), .k = up_to(120), .n = up_to(120)};
  }

 private:
  std::mt19937_64 random_;
};

TEST(SerialLawPropertyTest, TheMachinesSpanIsTheLawForEveryLayer) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Draw draw(seed);
  int on_machine = 0;
  int resident = 0;
  for (int round = 0; round < kRounds; ++round) {
    const ScaleSimConfig config = draw.config();
    const MatmulSpec product = draw.product();
    SCOPED_TRACE(testing::Message()
                 << product.m << " x " << product.k << " x " << product.n << " on " << config.rows
                 << " x " << config.cols << ' ' << imports::to_string(config.dataflow));
    const std::uint64_t expected = naive_cycles(product, config);
    ASSERT_EQ(serial_law(product, config).cycles(), expected);
    if (only_by_law(product, config) != nullptr) {
      const std::uint64_t folds = serial_law(product, config).folds;
      ASSERT_LT(expected / folds, kShortestFold);
      continue;
    }
    const MachineConfig machine = serial_machine(config, {product});
    ASSERT_FALSE(machine.double_buffer);
    ASSERT_EQ(machine.memory_kind, MemoryKind::kIdeal);
    ASSERT_EQ(static_cast<std::uint64_t>(run_serially(product, config, machine).array_span),
              expected);
    ++on_machine;
    resident += serial_plan(product, config, machine).activations_resident ? 1 : 0;
  }
  EXPECT_GT(on_machine, kRounds * 3 / 4);
  EXPECT_GT(resident, kRounds / 20);
}

TEST(SerialLawPropertyTest, BuffersForOtherLayersChangeNoCycle) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Draw draw(seed);
  for (int round = 0; round < kRounds / 4; ++round) {
    const ScaleSimConfig config = draw.config();
    const MatmulSpec product = draw.product();
    const MatmulSpec larger = {.m = product.m * 3, .k = product.k, .n = product.n * 2};
    if (only_by_law(product, config) != nullptr) continue;
    const MachineConfig machine = serial_machine(config, {product, larger});
    ASSERT_EQ(static_cast<std::uint64_t>(run_serially(product, config, machine).array_span),
              naive_cycles(product, config));
  }
}

TEST(SerialLawPropertyTest, MoreBandwidthStallsNoMore) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Draw draw(seed);
  bool stalled = false;
  for (int round = 0; round < kRounds / 4; ++round) {
    ScaleSimConfig config = draw.config();
    const MatmulSpec product = draw.product();
    if (only_by_law(product, config) != nullptr) continue;
    std::uint64_t before = 0;
    for (const std::uint64_t bandwidth : {64U, 8U, 1U}) {
      config.bandwidth = bandwidth;
      const MachineConfig machine = serial_machine(config, {product});
      const auto span =
          static_cast<std::uint64_t>(run_serially(product, config, machine).array_span);
      ASSERT_GE(span, naive_cycles(product, config));
      ASSERT_GE(span, before) << "with " << bandwidth << " words a cycle";
      before = span;
      stalled |= span > naive_cycles(product, config);
    }
  }
  EXPECT_TRUE(stalled);
}

}  // namespace
}  // namespace weft::runtime
