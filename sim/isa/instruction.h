// The instructions: five opcodes. One table, sim/isa/text/instruction_table.h, gives the meaning,
// width and text form of each operand; docs/isa.md is generated from it.
//
// Dependences are explicit: an instruction starts when every unit u has retired after[u]
// instructions. The hardware has only one interlock: a push waits for its tile in the FIFO.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "sim/isa/unit.h"

namespace weft {

/// Counts of retired instructions for which to wait, by unit; 0 waits for nothing.
struct After {
  std::array<std::uint32_t, kUnitCount> count{};

  std::uint32_t& operator[](Unit unit) { return count[index_of(unit)]; }
  std::uint32_t operator[](Unit unit) const { return count[index_of(unit)]; }
  friend bool operator==(const After&, const After&) = default;
};

/// One direction of the windows that slide over an image: tap j of window i is at position
/// origin + i*step + j*dilation. Positions outside [0, limit) are padding.
struct PatchAxis {
  std::int32_t origin = 0;
  std::uint32_t step = 1;
  std::uint32_t limit = 1;  // lines or columns of the image
  std::uint32_t taps = 1;
  std::uint32_t dilation = 1;
  friend bool operator==(const PatchAxis&, const PatchAxis&) = default;
};

/// What a load writes into UB rows if it takes them from a dense image [channels, lines, columns]:
/// row i is the patch under window (i / width, i % width). The elements of a patch are numbered
/// channel by channel, in a channel tap line by tap line. Lane l is element first + l of the patch
/// for l < lanes, else 0.
struct Patches {
  std::uint32_t first = 0;
  std::uint32_t lanes = 1;
  PatchAxis x = {};
  PatchAxis y = {};
  std::uint32_t width = 1;  // windows along x; the load's rows are a multiple of it
  std::uint64_t offset =
      0;                  // of the image's first element, from the first element of host row `host`
  std::uint16_t pad = 0;  // bit pattern of one element
  friend bool operator==(const Patches&, const Patches&) = default;
};

/// Host -> UB: `rows` UB rows from UB row `ub` on. They are host rows `host`, host+1, ..., or
/// patches of an image.
struct Load {
  std::uint64_t host = 0;
  std::uint32_t ub = 0;
  std::uint32_t rows = 1;
  std::optional<Patches> patches = {};
  friend bool operator==(const Load&, const Load&) = default;
};

/// Which UB elements are the lanes of a vector row, or the columns of a tile, in narrow rows. A
/// narrow row has R elements in each plane; a plane is a block of UB rows. Channels that do not fit
/// one plane continue in the next plane, `plane` UB rows later:
///
///   lane c of row r  =  UB row r + (column + c) / R * plane, element (column + c) % R
struct LaneWindow {
  std::uint32_t column = 0;
  std::uint32_t plane = 0;
  friend bool operator==(const LaneWindow&, const LaneWindow&) = default;
};

/// A block of UB rows taken as weights: `rows` rows from `row` on, `lanes` lanes of each. Row i and
/// lane j become tile element [at + i][j], or [at + j][i] if transposed; the rest of the tile is 0.
/// A fetch reads one UB row per cycle.
struct BufferTile {
  std::uint32_t row = 0;
  std::uint32_t rows = 1;
  std::uint32_t lanes = 1;
  LaneWindow window = {};
  bool transpose = false;
  std::uint32_t at = 0;  // first array row
  friend bool operator==(const BufferTile&, const BufferTile&) = default;
};

/// Weight memory -> weight FIFO: one tile. Or, if it has a buffer tile, UB -> weight FIFO.
struct Fetch {
  std::uint64_t tile = 0;  // unused with a buffer tile
  std::optional<BufferTile> buffer = {};
  friend bool operator==(const Fetch&, const Fetch&) = default;
};

/// One of the row generator's nested loops: `count` steps of `stride` UB rows.
struct RowLoop {
  std::uint32_t count = 1;
  std::int32_t stride = 0;
  friend bool operator==(const RowLoop&, const RowLoop&) = default;
};

/// A coordinate that moves with one loop: if origin + index * step does not lie in [0, limit), the
/// row is padding. limit = 0: no bound.
struct RowBound {
  std::int32_t origin = 0;
  std::int32_t step = 0;
  std::uint32_t limit = 0;
  friend bool operator==(const RowBound&, const RowBound&) = default;
};

/// Which UB rows a matmul streams: row = base + sum of index_j * stride_j over the loops, loop 0
/// innermost. bounds[j] applies to loop j (0: x, 1: y); a row outside has `pad` in all R elements.
struct RowGenerator {
  std::uint32_t base = 0;
  std::array<RowLoop, 4> loops{};
  std::array<RowBound, 2> bounds{};
  std::uint16_t pad = 0;  // bit pattern of one element
  friend bool operator==(const RowGenerator&, const RowGenerator&) = default;
};

/// Streams `rows` rows (at most the product of the loop counts) through the array into
/// accumulator rows acc, acc+1, ...
struct Matmul {
  RowGenerator ub = {};
  std::uint32_t rows = 1;
  std::uint32_t acc = 0;
  bool accumulate = false;   // add to the accumulator rows, or overwrite them
  bool next_weights = true;  // swap in the FIFO's next tile, or keep the current one
  friend bool operator==(const Matmul&, const Matmul&) = default;
};

/// The function of a vector instruction, applied to each lane last. low and high are its
/// parameters: bounds for clamp; alpha and beta, as the ONNX operators of these names define them,
/// for the others (leaky_relu, elu: alpha; selu: alpha, gamma; hard_sigmoid: alpha, beta).
enum class VectorOp : std::uint8_t {
  kCopy,
  kRelu,
  kClamp,
  kLeakyRelu,
  kElu,
  kSelu,
  kSigmoid,
  kHardSigmoid,
  kHardSwish,
  kTanh,
  kErf,
  kSoftplus,
  kSqrt,
  kExp,
  kLog,
  kNeg,
  kAbs,
  kReciprocal,
};

/// The functions' names in text, in the order of VectorOp.
inline constexpr auto kVectorOpNames = std::to_array<std::string_view>(
    {"copy", "relu", "clamp", "leaky_relu", "elu", "selu", "sigmoid", "hard_sigmoid", "hard_swish",
     "tanh", "erf", "softplus", "sqrt", "exp", "log", "neg", "abs", "reciprocal"});
inline constexpr std::size_t kVectorOpCount = kVectorOpNames.size();
static_assert(kVectorOpCount == static_cast<std::size_t>(VectorOp::kReciprocal) + 1);

/// How a vector instruction combines lane x of its first and lane y of its second operand.
/// sub: x - y. div: x / y. pow: x to the y. prelu: x, or x * y if x < 0.
enum class VectorCombine : std::uint8_t {
  kNone,
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMin,
  kMax,
  kPow,
  kPrelu,
};

/// Replaces every lane of a row with the sum or the maximum of the first `lanes` lanes.
enum class VectorReduce : std::uint8_t { kNone, kSum, kMax };

/// Overwrites the destination, adds to it, or keeps the maximum of the old and the new value.
enum class VectorMode : std::uint8_t { kOverwrite, kAdd, kMax };

/// narrow: elements of the array's type, R per UB row, placed by a LaneWindow. wide: C 32-bit words
/// in result_row_rows() consecutive UB rows.
enum class RowFormat : std::uint8_t { kWide, kNarrow };

/// accumulator: lanes have the accumulators' type: 32-bit integers, wrapping, or binary32. float:
/// binary32 on every machine; integers are converted, narrow int8 by their Quantization.
enum class VectorDomain : std::uint8_t { kAccumulator, kFloat };

/// real = (q - zero) * scale: how the float domain reads narrow int8 elements, and how it writes
/// them: q = saturate(round_half_even(real / scale) + zero). `scale` is the bit pattern of a
/// binary32. Arrays of bf16 or fp16 do not use it: scale 1, zero 0.
struct Quantization {
  std::uint32_t scale = 0x3F80'0000;
  std::int32_t zero = 0;
  friend bool operator==(const Quantization&, const Quantization&) = default;
};

/// The first operand, if it lies in the UB: rows of a row generator. `pad` fills padding in narrow
/// rows; padding in wide rows is +0.
struct VectorSource {
  RowGenerator rows = {};
  RowFormat format = RowFormat::kNarrow;
  LaneWindow window = {};
  Quantization quantization = {};
  friend bool operator==(const VectorSource&, const VectorSource&) = default;
};

/// The second operand: UB rows row, row + step, row + 2*step, ...; step 0 uses one row for all.
struct VectorOperand {
  std::uint32_t row = 0;
  std::uint32_t step = 0;
  RowFormat format = RowFormat::kWide;
  LaneWindow window = {};
  Quantization quantization = {};
  friend bool operator==(const VectorOperand&, const VectorOperand&) = default;
};

/// Accumulators or UB -> UB, one row of C lanes per cycle. Each result lane is
///
///   out = mode(out, reduce(op(combine(convert(x + bias), y))))
///
/// x comes from the accumulators (row acc + i) or from `source`. The bias is one wide row of the
/// accumulators' type and is added in that type; convert() then converts to the domain. Result row
/// i goes to UB row ub + i (narrow) or ub + i * result_row_rows() (wide). Lanes from `lanes` on are
/// not computed; `fill` writes zeros there, otherwise they keep their values. An instruction must
/// not write a row that it reads, except for the destination that `mode` reads.
struct Vector {
  VectorOp op = VectorOp::kCopy;
  VectorCombine combine = VectorCombine::kNone;  // needs `operand`
  VectorReduce reduce = VectorReduce::kNone;
  VectorMode mode = VectorMode::kOverwrite;
  VectorDomain domain = VectorDomain::kAccumulator;
  std::uint32_t acc = 0;  // unused with a source
  std::optional<VectorSource> source = {};
  std::uint32_t ub = 0;
  std::uint32_t rows = 1;
  bool has_bias = false;
  std::uint32_t bias = 0;
  std::optional<VectorOperand> operand = {};
  RowFormat format = RowFormat::kWide;  // of the result
  LaneWindow window = {};               // of a narrow result
  Quantization quantization = {};       // of a narrow int8 result of the float domain
  std::uint32_t lanes = 0;              // 0: all C
  bool fill = true;
  std::uint32_t low = 0;  // bit patterns of the domain's type
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

/// The alternatives stand in the order of Opcode, so that the index is the opcode.
using Operation = std::variant<Load, Fetch, Matmul, Vector, Store>;
static_assert(std::variant_size_v<Operation> == kOpcodeCount);

/// What kind of operation it is.
constexpr Opcode opcode_of(const Operation& operation) {
  return static_cast<Opcode>(operation.index());
}

/// The unit that runs the operation: the table has one for each opcode.
constexpr Unit unit_of(const Operation& operation) {
  return std::ranges::find(kUnitTable, opcode_of(operation), &UnitEntry::opcode)->unit;
}

struct Instruction {
  Operation operation;
  After after;

  Opcode opcode() const { return opcode_of(operation); }
  Unit unit() const { return unit_of(operation); }
  friend bool operator==(const Instruction&, const Instruction&) = default;
};

}  // namespace weft
