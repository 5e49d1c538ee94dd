// Random operations on tiny memories, where almost every pair conflicts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"

namespace weft::test {

class RandomProgram {
 public:
  static constexpr std::uint32_t kBufferRows = 18;
  static constexpr std::uint32_t kAccumulatorRows = 5;
  static constexpr std::uint32_t kHostRows = 12;

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

/// Wide rows of one or of three UB rows, and a FIFO of 1 to 3 tiles.
inline MachineConfig random_machine(std::mt19937& random) {
  MachineConfig config;
  config.array_cols = random() % 2 == 0 ? 1 : 3;  // wide rows of one and of three UB rows
  config.weight_fifo_tiles = 1 + static_cast<std::uint32_t>(random() % 3);
  return config;
}

}  // namespace weft::test
