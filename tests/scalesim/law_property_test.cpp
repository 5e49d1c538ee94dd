// Serial folds on the machine's clock against SCALE-Sim's law, over random layers and arrays.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

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

std::uint64_t naive_weight_cycles(const MatmulSpec& product, ScaleSimConfig config) {
  config.dataflow = Dataflow::kWeightStationary;
  return naive_cycles(product, config);
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

constexpr std::array<Dataflow, 3> kDataflows = {
    Dataflow::kWeightStationary, Dataflow::kInputStationary, Dataflow::kOutputStationary};

imports::ScaleSimLayer layer_of(const MatmulSpec& product) {
  imports::ScaleSimLayer layer;
  layer.ifmap_height = product.m;
  layer.ifmap_width = layer.filter_width = product.k;
  layer.filters = product.n;
  return layer;
}

/// The runs of --better of each layer.
std::vector<BetterRun> better_runs(ScaleSimConfig config, Dataflow dataflow,
                                   const std::vector<MatmulSpec>& products) {
  config.dataflow = dataflow;
  imports::ScaleSimTopology topology;
  for (const MatmulSpec& product : products) topology.layers.push_back(layer_of(product));
  const ScaleSimRun run = run_scalesim(config, topology, {.better = true});
  std::vector<BetterRun> runs;
  for (const ScaleSimLayerRun& layer : run.layers) {
    runs.push_back(*layer.better);
    // The column beside it times the same program on its own.
    const bool on_machine = dataflow == Dataflow::kWeightStationary && layer.by_law.empty();
    EXPECT_TRUE(!on_machine || layer.better->serial == layer.with_transfers);
  }
  return runs;
}

/// A run loads the first tile, streams all rows for each pair of tiles, and stores: no machine is
/// faster.
std::uint64_t least_cycles(const MatmulSpec& product, const ScaleSimConfig& config) {
  const auto tiles = [](std::uint64_t size, std::uint64_t part) {
    return (size + part - 1) / part;
  };
  return product.m * tiles(product.k, config.rows) * tiles(product.n, config.cols);
}

/// The whole run of the serial program on the machine with a second set of weight registers.
std::uint64_t overlapped_run(const MatmulSpec& product, ScaleSimConfig config,
                             const std::vector<MatmulSpec>& products) {
  config.dataflow = Dataflow::kWeightStationary;
  MachineConfig machine = serial_machine(config, products);
  machine.double_buffer = true;
  return static_cast<std::uint64_t>(run_serially(product, config, machine).total);
}

TEST(BetterRunPropertyTest, IsNeverSlowerThanSerialFoldsAndTheSameForEachDataflow) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Draw draw(seed);
  int faster = 0;
  for (int round = 0; round < kRounds / 16; ++round) {
    ScaleSimConfig config = draw.config();
    if (draw.up_to(2) == 1) config.bandwidth = draw.up_to(40);
    const std::vector<MatmulSpec> products = {draw.product(), draw.product()};
    SCOPED_TRACE(testing::Message()
                 << products[0].m << " x " << products[0].k << " x " << products[0].n << " on "
                 << config.rows << " x " << config.cols);
    const auto first = better_runs(config, kDataflows.front(), products);
    for (std::size_t i = 0; i < products.size(); ++i) {
      EXPECT_GE(first[i].cycles, least_cycles(products[i], config));
      EXPECT_GT(first[i].cycles, first[i].span);
      if (!first[i].serial) continue;
      EXPECT_GT(*first[i].serial, naive_weight_cycles(products[i], config));
      ASSERT_LE(first[i].cycles, *first[i].serial);
      ASSERT_LE(first[i].cycles, overlapped_run(products[i], config, products));
      faster += first[i].cycles < *first[i].serial ? 1 : 0;
    }
    for (const Dataflow dataflow : kDataflows) {
      const auto runs = better_runs(config, dataflow, products);
      for (std::size_t i = 0; i < products.size(); ++i) {
        ASSERT_EQ(runs[i].cycles, first[i].cycles) << imports::to_string(dataflow);
        ASSERT_EQ(runs[i].serial, first[i].serial) << imports::to_string(dataflow);
      }
    }
  }
  EXPECT_GT(faster, kRounds / 32);
}

// The mapper's program has a longer array span than the serial one, and is better.
TEST(BetterRunPropertyTest, ComparesWholeRuns) {
  ScaleSimConfig config;
  config.rows = config.cols = 32;
  config.ifmap_kib = config.filter_kib = config.ofmap_kib = 64;
  config.bandwidth = 10;
  const BetterRun run =
      better_runs(config, Dataflow::kWeightStationary, {{.m = 144, .k = 9, .n = 1}}).front();
  EXPECT_GT(run.span, naive_weight_cycles({.m = 144, .k = 9, .n = 1}, config));
  EXPECT_LT(run.cycles, *run.serial);
}

}  // namespace
}  // namespace weft::runtime
