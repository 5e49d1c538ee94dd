// Random instruction sequences on tiny memories, where almost every pair conflicts. The counts of
// DependenceTracker must order every conflict, and each count must be necessary.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "compiler/program/dependences.h"
#include "tests/compiler/order_oracle.h"

namespace weft {
namespace {

constexpr std::uint32_t kSeed = 20240607;
constexpr int kPrograms = 4000;
constexpr std::uint32_t kBufferRows = 18;
constexpr std::uint32_t kAccumulatorRows = 5;
constexpr std::uint32_t kHostRows = 12;

class RandomProgram {
 public:
  RandomProgram(std::mt19937& random, const MachineConfig& config)
      : random_(random), config_(config) {}

  std::vector<Operation> make(int count) {
    std::vector<Operation> operations;
    while (static_cast<int>(operations.size()) < count) operations.push_back(any());
    return operations;
  }

 private:
  std::uint32_t pick(std::uint32_t low, std::uint32_t high) {
    return std::uniform_int_distribution<std::uint32_t>(low, high)(random_);
  }
  Operation any() {
    switch (pick(0, 5)) {
      case 0:
        return load();
      case 1:
        return store();
      case 2:
        return vector();
      case 3:
        return fetches_ < taken_ + config_.weight_fifo_tiles ? fetch() : matmul();
      default:
        return matmul();
    }
  }
  Operation load() {
    const std::uint32_t rows = pick(1, 4);
    return Load{pick(0, kHostRows - rows), pick(0, kBufferRows - rows), rows};
  }
  Operation store() {
    const std::uint32_t rows = pick(1, 4);
    return Store{pick(0, kBufferRows - rows), pick(0, kHostRows - rows), rows};
  }
  Operation fetch() {
    ++fetches_;
    if (flip()) return Fetch{pick(0, 9)};
    BufferTile tile{.rows = pick(1, 3), .lanes = pick(1, config_.array_cols), .window = window()};
    tile.row = pick(0, kBufferRows - 4);
    tile.transpose = flip();
    return Fetch{0, tile};
  }
  bool flip() { return pick(0, 1) == 0; }
  RowFormat format() { return flip() ? RowFormat::kWide : RowFormat::kNarrow; }
  LaneWindow window() { return {pick(0, config_.array_rows - 1), pick(0, 4)}; }

  Operation vector() {
    const std::uint32_t rr = config_.result_row_rows();
    Vector op;
    op.rows = pick(1, 2);
    op.ub = pick(0, kBufferRows - op.rows * rr);
    op.has_bias = pick(0, 3) == 0;
    if (op.has_bias) op.bias = pick(0, kBufferRows - rr);
    op.mode = static_cast<VectorMode>(pick(0, 2));
    op.lanes = pick(0, config_.array_cols);
    op.fill = flip();
    op.format = format();
    if (op.format == RowFormat::kNarrow) op.window = window();
    if (flip()) {
      op.source = source(op.rows);
    } else {
      op.acc = pick(0, kAccumulatorRows - op.rows);
    }
    if (flip()) op.operand = operand();
    return op;
  }
  VectorSource source(std::uint32_t& rows) {
    VectorSource result{.rows = generator(), .format = format()};
    if (result.format == RowFormat::kNarrow) result.window = window();
    if (flip()) result.rows.loops = {RowLoop{rows, 1}};
    rows = std::min(rows, steps(result.rows));
    return result;
  }
  VectorOperand operand() {
    VectorOperand result{.row = pick(0, 6), .step = pick(0, 4), .format = format()};
    if (result.format == RowFormat::kNarrow) result.window = window();
    return result;
  }

  RowGenerator generator() {
    RowGenerator result;
    result.loops = {RowLoop{pick(1, 3), static_cast<std::int32_t>(pick(0, 3)) - 1},
                    RowLoop{pick(1, 2), static_cast<std::int32_t>(pick(0, 5)) - 2},
                    RowLoop{pick(1, 2), static_cast<std::int32_t>(pick(0, 1))},
                    RowLoop{pick(1, 2), static_cast<std::int32_t>(pick(0, 1))}};
    result.base = pick(4, 6);
    for (RowBound& bound : result.bounds) {
      if (pick(0, 2) != 0) continue;
      bound = {static_cast<std::int32_t>(pick(0, 4)) - 2, static_cast<std::int32_t>(pick(0, 4)) - 2,
               pick(1, 3)};
    }
    return result;
  }
  static std::uint32_t steps(const RowGenerator& generator) {
    std::uint32_t product = 1;
    for (const RowLoop& loop : generator.loops) product *= loop.count;
    return product;
  }
  Operation matmul() {
    Matmul op;
    op.ub = generator();
    op.rows = pick(1, std::min(steps(op.ub), kAccumulatorRows));
    op.acc = pick(0, kAccumulatorRows - op.rows);
    op.accumulate = flip();
    op.next_weights = taken_ < fetches_ && pick(0, 3) != 0;
    if (op.next_weights) ++taken_;
    return op;
  }

  std::mt19937& random_;
  const MachineConfig& config_;
  std::uint32_t fetches_ = 0;
  std::uint32_t taken_ = 0;
};

MachineConfig random_machine(std::mt19937& random) {
  MachineConfig config;
  config.array_cols = random() % 2 == 0 ? 1 : 3;  // wide rows of one and of three UB rows
  config.weight_fifo_tiles = 1 + static_cast<std::uint32_t>(random() % 3);
  return config;
}

std::vector<Instruction> track(const std::vector<Operation>& operations,
                               const MachineConfig& config, std::size_t forget_every) {
  DependenceTracker tracker(config, HostRows::kReused, forget_every);
  std::vector<Instruction> code;
  for (const Operation& operation : operations) {
    code.push_back({operation, tracker.add(operation)});
  }
  return code;
}

/// Counts the features that a vector instruction or a fetch from the buffer uses.
void count_classes(const Operation& operation, std::map<std::string, int>& kinds) {
  if (const auto* fetch = std::get_if<Fetch>(&operation)) {
    if (fetch->buffer) ++kinds[fetch->buffer->window.plane > 1 ? "tile with planes" : "tile"];
  }
  const auto* vector = std::get_if<Vector>(&operation);
  if (vector == nullptr) return;
  ++kinds[vector->format == RowFormat::kWide ? "wide result" : "narrow result"];
  ++kinds[vector->mode == VectorMode::kOverwrite ? "overwrite" : "add or max"];
  if (!vector->fill) ++kinds["no fill"];
  if (vector->source) {
    ++kinds[vector->source->format == RowFormat::kWide ? "wide source" : "narrow source"];
  }
  if (vector->operand) {
    ++kinds[vector->operand->format == RowFormat::kWide ? "wide operand" : "narrow operand"];
  }
}

TEST(DependenceTrackerPropertyTest, OrdersEveryConflictWithNoEdgeToSpare) {
  std::mt19937 random(kSeed);
  std::map<std::string, int> kinds;
  std::uint64_t edges = 0;
  for (int program = 0; program < kPrograms; ++program) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", program " + std::to_string(program));
    const MachineConfig config = random_machine(random);
    const int length = 2 + static_cast<int>(random() % 28);
    const std::vector<Operation> operations = RandomProgram(random, config).make(length);
    std::vector<Instruction> code = track(operations, config, DependenceTracker::kForgetEvery);
    // Programs this short are over before the tracker forgets anything by itself.
    ASSERT_EQ(code, track(operations, config, 1));
    const auto conflicts = test::conflicts_of(code, config);
    for (const auto& conflict : conflicts) ++kinds[conflict.kind];
    for (const Instruction& instruction : code) count_classes(instruction.operation, kinds);
    const auto broken = test::unordered(code, conflicts);
    ASSERT_TRUE(broken.empty()) << conflicts[broken[0]].kind << " of instructions "
                                << conflicts[broken[0]].earlier << " and "
                                << conflicts[broken[0]].later;
    for (std::size_t i = 0; i < code.size(); ++i) {
      for (std::uint32_t& count : code[i].after.count) {
        if (count == 0) continue;
        const std::uint32_t removed = std::exchange(count, 0);
        ASSERT_FALSE(test::unordered(code, conflicts).empty())
            << "instruction " << i << " need not wait for " << removed;
        count = removed;
        ++edges;
      }
    }
  }
  EXPECT_GT(edges, 10000U);
  for (const char* kind : {"UB RAW",
                           "UB RAW by a fetch",
                           "UB WAR",
                           "UB WAW",
                           "accumulator RAW",
                           "accumulator WAR",
                           "host RAW",
                           "host WAR",
                           "host WAW",
                           "FIFO",
                           "tile",
                           "tile with planes",
                           "wide result",
                           "narrow result",
                           "overwrite",
                           "add or max",
                           "no fill",
                           "wide source",
                           "narrow source",
                           "wide operand",
                           "narrow operand"}) {
    EXPECT_GT(kinds[kind], 100) << kind;
  }
}

}  // namespace
}  // namespace weft
