// The instructions: five opcodes, one for each unit. What each operand means, how wide it is and
// how it is written is in one table, sim/isa/instruction_table.h; docs/isa.md is made from it.
//
// Dependences are explicit: an instruction starts when every unit u has retired after[u]
// instructions. The hardware has no interlocks but one: a push waits for its tile in the FIFO.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

namespace weft {

/// The units, each with its own in-order queue. An instruction's opcode names its unit.
enum class Unit : std::uint8_t { kLoad, kFetch, kMatmul, kVector, kStore };
inline constexpr std::size_t kUnitCount = 5;

/// Counts of retired instructions for which to wait, by unit; 0 waits for nothing.
struct After {
  std::array<std::uint32_t, kUnitCount> count{};

  std::uint32_t& operator[](Unit unit) { return count[static_cast<std::size_t>(unit)]; }
  std::uint32_t operator[](Unit unit) const { return count[static_cast<std::size_t>(unit)]; }
  friend bool operator==(const After&, const After&) = default;
};

/// Host -> UB: `rows` UB rows from host row `host` to UB row `ub`.
struct Load {
  std::uint64_t host = 0;
  std::uint32_t ub = 0;
  std::uint32_t rows = 1;
  friend bool operator==(const Load&, const Load&) = default;
};

/// Weight memory -> weight FIFO: one tile.
struct Fetch {
  std::uint64_t tile = 0;
  friend bool operator==(const Fetch&, const Fetch&) = default;
};

/// One of the row generator's nested loops: `count` steps of `stride` UB rows.
struct RowLoop {
  std::uint32_t count = 1;
  std::int32_t stride = 0;
  friend bool operator==(const RowLoop&, const RowLoop&) = default;
};

/// A coordinate that moves with one loop: origin + index * step must lie in [0, limit), or the row
/// is padding. limit = 0: no bound.
struct RowBound {
  std::int32_t origin = 0;
  std::int32_t step = 0;
  std::uint32_t limit = 0;
  friend bool operator==(const RowBound&, const RowBound&) = default;
};

/// Which UB rows a matmul streams: row = base + sum of index_j * stride_j over the loops, loop 0
/// innermost. bounds[j] watches loop j (0: x, 1: y); a row outside is `pad` in all R elements.
struct RowGenerator {
  std::uint32_t base = 0;
  std::array<RowLoop, 4> loops{};
  std::array<RowBound, 2> bounds{};
  std::uint16_t pad = 0;  // bit pattern of one element
  friend bool operator==(const RowGenerator&, const RowGenerator&) = default;
};

/// Streams `rows` rows (at most the product of the loop counts) through the array into accumulator
/// rows acc, acc+1, ...
struct Matmul {
  RowGenerator ub;
  std::uint32_t rows = 1;
  std::uint32_t acc = 0;
  bool accumulate = false;   // add to the accumulator rows, or overwrite them
  bool next_weights = true;  // swap in the FIFO's next tile, or keep the current one
  friend bool operator==(const Matmul&, const Matmul&) = default;
};

enum class VectorOp : std::uint8_t { kCopy, kRelu, kClamp };

/// Accumulators -> UB: `rows` results of C 32-bit words, each to result_row_rows() UB rows from
/// `ub` on: op(acc + bias). The bias is one such result row in the UB, if has_bias.
struct Vector {
  VectorOp op = VectorOp::kCopy;
  std::uint32_t acc = 0;
  std::uint32_t ub = 0;
  std::uint32_t rows = 1;
  bool has_bias = false;
  std::uint32_t bias = 0;
  std::uint32_t low = 0;  // clamp: bit patterns of the accumulator type
  std::uint32_t high = 0;
  friend bool operator==(const Vector&, const Vector&) = default;
};

/// UB -> host.
struct Store {
  std::uint32_t ub = 0;
  std::uint64_t host = 0;
  std::uint32_t rows = 1;
  friend bool operator==(const Store&, const Store&) = default;
};

/// The alternatives stand in the order of Unit, so that the index is the unit.
using Operation = std::variant<Load, Fetch, Matmul, Vector, Store>;

struct Instruction {
  Operation operation;
  After after;

  Unit unit() const { return static_cast<Unit>(operation.index()); }
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

}  // namespace weft
