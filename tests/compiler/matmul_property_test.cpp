// Checks plans and programs on random, mostly tiny machines and shapes: the values, the order of
// additions, the buffers, the counts and the dependences.
//
// Each shape class exposes one kind of bug: 1 (a loop without iterations), R-1 and R+1 (padding),
// whole tiles (an empty last tile), many chunks (a ring that wraps), a UB for one row (a deadlock
// or an overlap), FIFO 1 and queue 1 (an order that needs more).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "base/error.h"
#include "compiler/emit/matmul.h"
#include "compiler/mapping/buffers.h"
#include "compiler/mapping/tile_walk.h"
#include "compiler/mapping/tiling_plan.h"
#include "tests/compiler/interpreter.h"
#include "tests/compiler/order_oracle.h"

namespace weft {
namespace {

constexpr std::uint32_t kSeed = 71;
constexpr int kCases = 4000;

struct Case {
  MachineConfig config;
  MatmulSpec spec;
};

class CaseMaker {
 public:
  explicit CaseMaker(std::uint32_t seed) : random_(seed) {}

  Case make() {
    Case made;
    MachineConfig& config = made.config;
    const std::uint32_t largest = pick(0, 3) == 0 ? 33 : 6;
    config.array_rows = pick(1, largest);
    config.array_cols = pick(1, largest);
    constexpr ElementType kTypes[] = {ElementType::kInt8, ElementType::kBf16, ElementType::kFp16};
    config.dtype = kTypes[pick(0, 2)];
    // The result rows of a wide array barely fit a small UB.
    const bool wide = pick(0, 9) == 0;
    if (wide) config.array_rows = pick(1, 2);
    if (wide) config.array_cols = pick(60, 160);
    config.double_buffer = pick(0, 3) != 0;
    config.accumulator_rows = pick(0, 3) == 0 ? 1 : pick(1, 40);
    config.unified_buffer_kib = wide || pick(0, 2) == 0 ? 1 : pick(1, 8);
    config.weight_fifo_tiles = pick(1, 4);
    config.queue_depth = pick(0, 1) == 0 ? pick(1, 3) : 16;
    config.vector_latency_cycles = pick(1, 5);
    constexpr MemoryKind kKinds[] = {MemoryKind::kIdeal, MemoryKind::kShared, MemoryKind::kSplit};
    config.memory_kind = kKinds[pick(0, 2)];
    config.memory_bytes_per_s = config.clock_hz * pick(1, 32) / 4;
    config.host_bytes_per_s = config.clock_hz * pick(1, 32) / 4;
    config.memory_latency_cycles = pick(0, 20);
    config.host_latency_cycles = pick(0, 20);
    made.spec.m = pick(0, 4) == 0 ? 1 : pick(1, wide ? 9 : 50);
    made.spec.k = around(config.array_rows);
    made.spec.n = around(config.array_cols);
    made.spec.bias = pick(0, 1) == 0;
    made.spec.activation = static_cast<Activation>(pick(0, 2));
    return made;
  }

  /// Every other plan with some tiles that come through the unified buffer, if they fit.
  /// Every third one with results that leave one by one, if they have rows of padding.
  TilingPlan with_transfers(TilingPlan plan, const MachineConfig& config) {
    plan.stores_by_row =
        pick(0, 2) == 0 && last_result_rows(plan.spec, config) < config.result_row_rows();
    if (pick(0, 1) == 0) return plan;
    const std::uint32_t share = pick(0, 1) == 0 ? kTileShares : pick(1, kTileShares);
    return with_tile_slots(plan, config, pick(1, 6), share).value_or(plan);
  }

  test::Grid grid(std::uint64_t rows, std::uint64_t cols, int magnitude) {
    test::Grid made{rows, cols, std::vector<std::int32_t>(rows * cols)};
    for (auto& value : made.values) {
      value = std::uniform_int_distribution<int>(-magnitude, magnitude)(random_);
    }
    return made;
  }

 private:
  std::uint32_t pick(std::uint32_t low, std::uint32_t high) {
    return std::uniform_int_distribution<std::uint32_t>(low, high)(random_);
  }
  /// Draws 1, one less than a tile, whole tiles, one more than a tile, or any size up to 60.
  std::uint64_t around(std::uint32_t tile) {
    switch (pick(0, 5)) {
      case 0:
        return 1;
      case 1:
        return std::max(tile, 2U) - 1;
      case 2:
        return tile * pick(1, 4);
      case 3:
        return tile + 1;
      default:
        return pick(1, 60);
    }
  }

  std::mt19937 random_;
};

std::string describe(const Case& c) {
  const MachineConfig& m = c.config;
  return std::to_string(m.array_rows) + "x" + std::to_string(m.array_cols) + " acc " +
         std::to_string(m.accumulator_rows) + " ub rows " +
         std::to_string(m.unified_buffer_rows()) + " fifo " + std::to_string(m.weight_fifo_tiles) +
         " queue " + std::to_string(m.queue_depth) + ", M K N " + std::to_string(c.spec.m) + " " +
         std::to_string(c.spec.k) + " " + std::to_string(c.spec.n) +
         (c.spec.bias ? " with bias" : "");
}

std::int32_t expected_value(const test::Operands& x, const MatmulSpec& spec, std::uint64_t m,
                            std::uint64_t n) {
  std::int32_t sum = spec.bias ? x.bias.at(0, n) : 0;
  for (std::uint64_t k = 0; k < spec.k; ++k) sum += x.a.at(m, k) * x.b.at(k, n);
  if (spec.activation != Activation::kNone) sum = std::max(sum, 0);
  if (spec.activation == Activation::kRelu6) sum = std::min(sum, 6);
  return sum;
}

void check_buffers(const TilingPlan& plan, const MachineConfig& config) {
  const std::uint64_t rr = config.result_row_rows();
  const std::uint64_t chunk = plan.chunk_rows;
  ASSERT_GE(chunk, 1U);
  ASSERT_GE(plan.activation_slots, 1U);
  ASSERT_GE(plan.output_slots, 1U);
  ASSERT_LE(plan.output_slots, plan.region_uses());
  ASSERT_EQ(plan.bias_slots > 0, plan.spec.bias);
  const std::uint64_t planes =
      (config.array_cols + config.array_rows - 2) / config.array_rows + 1;  // of a tile, at most
  const std::uint64_t aligned = (config.array_cols + config.array_rows - 1) / config.array_rows;
  const bool always =
      config.array_cols % config.array_rows == 0 || config.array_rows % config.array_cols == 0;
  ASSERT_LE(plan.activation_slots * chunk + plan.bias_slots * rr + plan.output_slots * chunk * rr +
                plan.tile_slots * config.array_rows * (always ? aligned : planes),
            config.unified_buffer_rows());
  ASSERT_GE(plan.accumulator_regions, 1U);
  ASSERT_LE(plan.accumulator_regions * chunk, config.accumulator_rows);
}

void check_counts(const TilingPlan& plan, const Program& program) {
  std::array<std::uint64_t, kUnitCount> count{};
  std::uint64_t tiles_taken = 0;
  for (const Instruction& instruction : program.code) {
    ++count[instruction.operation.index()];
    const auto* matmul = std::get_if<Matmul>(&instruction.operation);
    if (matmul != nullptr && matmul->next_weights) ++tiles_taken;
  }
  const auto tiles = std::ranges::count_if(program.code, [](const Instruction& instruction) {
    const auto* fetch = std::get_if<Fetch>(&instruction.operation);
    return fetch != nullptr && fetch->buffer;
  });
  EXPECT_EQ(tiles > 0, plan.tile_slots > 0);
  EXPECT_EQ(instruction_count(plan), program.code.size());
  const auto of = [&](Unit unit) { return count[static_cast<std::size_t>(unit)]; };
  EXPECT_EQ(of(Unit::kFetch), plan.folds);
  EXPECT_EQ(tiles_taken, plan.folds);
  EXPECT_EQ(of(Unit::kMatmul), plan.m_chunks * plan.n_tiles * plan.k_tiles);
  EXPECT_EQ(of(Unit::kVector), plan.m_chunks * plan.n_tiles);
  EXPECT_EQ(of(Unit::kStore), plan.stores_by_row ? plan.m_chunks * (plan.n_tiles - 1) + plan.spec.m
                                                 : plan.m_chunks * plan.n_tiles);
}

/// Each result row is stored once. It sums the k tiles 0, 1, ... of one n tile in this order.
void check_sums(const Case& c, const TilingPlan& plan, const test::Outcome& outcome) {
  std::map<std::uint64_t, std::uint64_t> rows_of_n_tile;
  for (const test::RegionUse& use : outcome.uses) {
    ASSERT_EQ(use.tiles.size(), plan.k_tiles);
    for (std::uint64_t k = 0; k < use.tiles.size(); ++k) {
      ASSERT_EQ(use.tiles[k], use.tiles[0] / plan.k_tiles * plan.k_tiles + k);
    }
    rows_of_n_tile[use.tiles[0] / plan.k_tiles] += use.rows;
  }
  ASSERT_EQ(rows_of_n_tile.size(), plan.n_tiles);
  for (const auto& [n_tile, rows] : rows_of_n_tile) ASSERT_EQ(rows, c.spec.m) << n_tile;
  const std::uint64_t rr = c.config.result_row_rows();
  const std::uint64_t columns = c.spec.n - (plan.n_tiles - 1) * c.config.array_cols;
  const std::uint64_t last =
      plan.stores_by_row ? (4 * columns + c.config.row_bytes() - 1) / c.config.row_bytes() : rr;
  ASSERT_EQ(outcome.host_writes.size(), c.spec.m * ((plan.n_tiles - 1) * rr + last));
  for (const auto& [row, times] : outcome.host_writes) ASSERT_EQ(times, 1) << row;
}

void check_values(const Case& c, const test::Operands& operands, const test::Outcome& outcome) {
  for (std::uint64_t m = 0; m < c.spec.m; ++m) {
    for (std::uint64_t n = 0; n < c.spec.n; ++n) {
      ASSERT_EQ(outcome.out.at(m, n), expected_value(operands, c.spec, m, n)) << m << ", " << n;
    }
  }
}

/// Bursts of transfers must not fill a queue ahead of a matmul. A burst has at most two transfers
/// moved forward and one that the matmul needs; loads may add two of a bias.
void check_bursts(const TilingPlan& plan, const Program& program) {
  if (plan.tile_slots > 0) return;  // a tile may take many loads, one for each plane
  std::array<int, kUnitCount> since_matmul{};
  for (const Instruction& instruction : program.code) {
    ++since_matmul[instruction.operation.index()];
    if (instruction.unit() != Unit::kMatmul) continue;
    ASSERT_LE(since_matmul[static_cast<std::size_t>(Unit::kFetch)], 3);
    ASSERT_LE(since_matmul[static_cast<std::size_t>(Unit::kLoad)], 5);
    since_matmul = {};
  }
}

void check_macs(const TilingPlan& plan) {
  const MacCount& macs = plan.macs;
  EXPECT_EQ(macs.useful, plan.spec.m * plan.spec.k * plan.spec.n);
  EXPECT_EQ(macs.issued, plan.padded_m * plan.padded_k * plan.padded_n);
  EXPECT_EQ(macs.issued, macs.useful + macs.padded_k + macs.padded_n);
}

void check_order(const Program& program, const MachineConfig& config, bool minimal) {
  std::vector<Instruction> code = program.code;
  const auto conflicts = test::conflicts_of(code, config);
  const auto broken = test::unordered(code, conflicts);
  ASSERT_TRUE(broken.empty()) << conflicts[broken[0]].kind << " of instructions "
                              << conflicts[broken[0]].earlier << " and "
                              << conflicts[broken[0]].later;
  if (!minimal) return;
  for (Instruction& instruction : code) {
    for (std::uint32_t& count : instruction.after.count) {
      if (count == 0) continue;
      const std::uint32_t removed = std::exchange(count, 0);
      ASSERT_FALSE(test::unordered(code, conflicts).empty());
      count = removed;
    }
  }
}

void count_classes(const Case& c, const TilingPlan& plan, std::map<std::string, int>& hits) {
  hits["one chunk"] += plan.m_chunks == 1;
  hits["many chunks"] += plan.m_chunks > 3;
  hits["ragged last chunk"] += plan.spec.m % plan.chunk_rows != 0;
  hits["chunk innermost"] += plan.order == LoopOrder::kChunkInnermost;
  hits["innermost, streamed again"] +=
      plan.order == LoopOrder::kChunkInnermost && !plan.activations_resident && plan.n_tiles > 1;
  hits["innermost, resident"] +=
      plan.order == LoopOrder::kChunkInnermost && plan.activations_resident;
  hits["one set of resident slices for many chunks"] +=
      plan.activations_resident && plan.order == LoopOrder::kChunkOutermost && plan.m_chunks > 1 &&
      plan.activation_slots == plan.k_tiles;
  hits["several sets of resident slices"] += plan.activations_resident &&
                                             plan.order == LoopOrder::kChunkOutermost &&
                                             plan.activation_slots > plan.k_tiles;
  hits["one activation slot"] += plan.activation_slots == 1 && plan.matmuls() > 1;
  hits["one output slot"] += plan.output_slots == 1 && plan.region_uses() > 1;
  hits["bias in a ring"] += plan.spec.bias && plan.bias_slots < plan.n_tiles;
  hits["one region"] += plan.accumulator_regions == 1 && plan.region_uses() > 1;
  hits["padded K and N"] += plan.macs.padded_k > 0 && plan.macs.padded_n > 0;
  hits["nothing padded"] += plan.macs.issued == plan.macs.useful;
  hits["FIFO and queue of one"] += c.config.weight_fifo_tiles == 1 && c.config.queue_depth == 1;
  hits["UB for one result"] += plan.chunk_rows == 1 && plan.output_slots == 1 &&
                               c.config.accumulator_rows > 1 && c.spec.m > 1;
  const TileWalk tiles(plan);
  hits["all tiles buffered"] += plan.buffered_tiles == kTileShares && plan.folds > 1;
  hits["some tiles buffered"] += plan.tile_slots > 0 && tiles.tiles() < plan.k_tiles * plan.n_tiles;
  hits["a slot for each tile"] +=
      plan.tile_slots > 0 && tiles.loads() < tiles.uses_before(plan.folds);
  hits["tile slots used again"] += plan.tile_slots > 0 && tiles.loads() > plan.tile_slots;
  hits["tiles in several planes"] += plan.tile_slots > 0 && tiles.most_planes() > 1;
  hits["results one by one"] += plan.stores_by_row;
  hits["results one by one of several tiles"] += plan.stores_by_row && plan.n_tiles > 1;
  hits["one weight for all"] += plan.folds == 1 && plan.m_chunks > 1;
}

TEST(MatmulPropertyTest, ProgramComputesTheMatmulOnEveryMachineAndShape) {
  CaseMaker maker(kSeed);
  std::map<std::string, int> hits;
  int too_small = 0;
  for (int i = 0; i < kCases; ++i) {
    const Case c = maker.make();
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", case " + std::to_string(i) + ": " +
                 describe(c));
    const test::Operands operands{maker.grid(c.spec.m, c.spec.k, 3),
                                  maker.grid(c.spec.k, c.spec.n, 3), maker.grid(1, c.spec.n, 9)};
    TilingPlan plan;
    try {
      plan = maker.with_transfers(plan_matmul(c.spec, c.config), c.config);
    } catch (const ConfigError&) {
      const std::uint64_t rr = c.config.result_row_rows();
      ASSERT_LT(c.config.unified_buffer_rows(), 1 + rr + (c.spec.bias ? rr : 0));
      ++too_small;
      continue;
    }
    const Program program = lower_matmul(plan, c.config);
    ASSERT_NO_THROW(validate(program, c.config));
    const test::Outcome outcome = test::interpret(program, c.config, operands);
    check_buffers(plan, c.config);
    check_counts(plan, program);
    check_bursts(plan, program);
    check_sums(c, plan, outcome);
    check_values(c, operands, outcome);
    check_macs(plan);
    if (program.code.size() <= 400) {
      check_order(program, c.config, program.code.size() <= 60);
      ++hits["dependences checked"];
    }
    count_classes(c, plan, hits);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
  EXPECT_LT(too_small, kCases / 4);
  hits["UB too small"] = too_small;
  for (const auto& [name, count] : hits) EXPECT_GE(count, 10) << name;
}

}  // namespace
}  // namespace weft
