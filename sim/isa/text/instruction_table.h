// The instruction set: opcodes, and for each operand its text key, the member that it sets, how it
// is written and packed, whether it may be left out, and what it means. Assembler, disassembler,
// encoder, decoder and the tables of docs/isa.md all use this one table. The entries have the same
// order as Opcode and as the alternatives of Operation.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>

#include "sim/isa/instruction.h"
#include "sim/isa/text/operand_codecs.h"
#include "sim/isa/text/operand_table.h"

namespace weft {

/// One opcode: its name, its one-line meaning and its operands.
template <class Op, class Operands>
struct OpcodeEntry {
  using Operation = Op;
  std::string_view name;
  std::string_view doc;
  Operands operands;
};

namespace table {

template <class Op, class... Operands>
constexpr auto opcode(std::string_view name, std::string_view doc, Operands... operands) {
  return OpcodeEntry<Op, std::tuple<Operands...>>{name, doc, {operands...}};
}

template <class... Members>
constexpr auto at(Members... members) {
  return Path<Members...>{{members...}};
}

/// An operand that must be written.
template <class Codec, class Get>
constexpr auto required(std::string_view key, Codec codec, Get get, std::string_view doc) {
  return TableOperand<Codec, Get>{key, codec, get, true, doc};
}

/// An operand that may be left out; it then has its default value.
template <class Codec, class Get>
constexpr auto optional(std::string_view key, Codec codec, Get get, std::string_view doc) {
  return TableOperand<Codec, Get>{key, codec, get, false, doc};
}

/// An alternative to the operand with key `other`: exactly one of the two must be written.
template <class Codec, class Get>
constexpr auto either(std::string_view key, Codec codec, Get get, std::string_view other,
                      std::string_view doc) {
  return TableOperand<Codec, Get>{key, codec, get, true, doc, other};
}

/// An optional operand that may be written only together with the operand with key `owner`.
template <class Codec, class Get>
constexpr auto beside(std::string_view owner, std::string_view key, Codec codec, Get get,
                      std::string_view doc) {
  return TableOperand<Codec, Get>{key, codec, get, false, doc, {}, owner};
}

/// The path to a member of a part that the operation may lack.
template <class Part, class... Members>
constexpr auto inside(Part part, Members... members) {
  return PartPath<Part, Members...>{part, {{members...}}};
}

inline constexpr Number<std::uint32_t> kRow;
inline constexpr Number<std::uint64_t> kAddress;
inline constexpr Pattern<std::uint16_t> kElement;
inline constexpr Pattern<std::uint32_t> kWord;
inline constexpr Choice<bool, 2> kSwitch{{"off", "on"}};
inline constexpr Choice<bool, 2> kMode{{"overwrite", "accumulate"}};
inline constexpr Choice<bool, 2> kWeights{{"keep", "next"}};
inline constexpr Choice<VectorOp, kVectorOpCount> kVectorOp{kVectorOpNames};
inline constexpr Choice<VectorCombine, 9> kCombine{
    {"none", "add", "sub", "mul", "div", "min", "max", "pow", "prelu"}};
inline constexpr Choice<VectorReduce, 3> kReduce{{"none", "sum", "max"}};
inline constexpr Choice<VectorMode, 3> kVectorMode{{"overwrite", "add", "max"}};
inline constexpr Choice<VectorDomain, 2> kDomain{{"accumulator", "float"}};
inline constexpr Choice<RowFormat, 2> kFormat{{"wide", "narrow"}};
inline constexpr WindowPair kWindow;
inline constexpr QuantizationPair kQuantization;

}  // namespace table

inline constexpr auto kInstructionSet = std::tuple{
    table::opcode<Load>(
        "load", "Host memory to unified buffer.",
        table::required("host", table::kAddress, table::at(&Load::host), "first host row"),
        table::required("ub", table::kRow, table::at(&Load::ub), "first UB row"),
        table::optional("rows", table::kRow, table::at(&Load::rows), "how many UB rows"),
        table::optional("patch", Owner{PatchElements{}, table::at()}, table::at(&Load::patches),
                        "rows are patches of a dense image: lane l is element first + l of the "
                        "patch; lanes from `lanes` on are 0"),
        table::beside("patch", "patch.x", PatchAxisWords{},
                      table::inside(&Load::patches, &Patches::x),
                      "along a line: tap j of window i is at origin + i*step + j*dilation; outside "
                      "0..limit-1 it is padding"),
        table::beside("patch", "patch.y", PatchAxisWords{},
                      table::inside(&Load::patches, &Patches::y), "the same, across the lines"),
        table::beside("patch", "patch.width", table::kRow,
                      table::inside(&Load::patches, &Patches::width),
                      "how many windows lie along a line; `rows` is a multiple of it"),
        table::beside("patch", "patch.offset", table::kAddress,
                      table::inside(&Load::patches, &Patches::offset),
                      "elements from the start of host row `host` to the image"),
        table::beside("patch", "patch.pad", table::kElement,
                      table::inside(&Load::patches, &Patches::pad),
                      "the element that fills padding")),
    table::opcode<Fetch>(
        "fetch", "One tile to the weight FIFO, from weight memory or from the unified buffer.",
        table::either("tile", table::kAddress, table::at(&Fetch::tile), "buffer",
                      "which tile of weight memory"),
        table::optional("buffer", Owner{TileBlock{}, table::at()}, table::at(&Fetch::buffer),
                        "a tile of UB rows: row i, lane j is tile element [at + i][j]; the rest "
                        "of the tile is 0"),
        table::beside("buffer", "window", table::kWindow,
                      table::inside(&Fetch::buffer, &BufferTile::window),
                      "the element of the first lane, and the distance of the planes in UB rows"),
        table::beside("buffer", "transpose", table::kSwitch,
                      table::inside(&Fetch::buffer, &BufferTile::transpose),
                      "row i, lane j is tile element [at + j][i]"),
        table::beside("buffer", "at", table::kRow, table::inside(&Fetch::buffer, &BufferTile::at),
                      "the first array row of the block")),
    table::opcode<Matmul>(
        "matmul", "Streams UB rows through the array into accumulator rows.",
        table::required("ub", table::kRow, table::at(&Matmul::ub, &RowGenerator::base),
                        "base of the row generator: the UB row at all loop indices 0"),
        table::optional("rows", table::kRow, table::at(&Matmul::rows),
                        "how many rows; at most the product of the loop counts"),
        table::optional("loops", Loops<Matmul>{}, table::at(),
                        "the row generator's loops, innermost first; by default one loop, rows:1"),
        table::optional("bounds", BoundPair{}, table::at(&Matmul::ub, &RowGenerator::bounds),
                        "coordinates of loops 0 and 1; outside 0..limit-1 the row is padding, and "
                        "limit 0 means no bound"),
        table::optional("pad", table::kElement, table::at(&Matmul::ub, &RowGenerator::pad),
                        "the element that fills a padding row"),
        table::required("acc", table::kRow, table::at(&Matmul::acc), "first accumulator row"),
        table::optional("mode", table::kMode, table::at(&Matmul::accumulate),
                        "overwrite the accumulator rows, or add to them"),
        table::optional("weights", table::kWeights, table::at(&Matmul::next_weights),
                        "swap in the FIFO's next tile, or keep the current one")),
    table::opcode<Vector>(
        "vector", "Accumulators or unified buffer to unified buffer, by way of the vector unit.",
        table::optional("op", table::kVectorOp, table::at(&Vector::op),
                        "the function of each lane, after bias and second operand"),
        table::optional("combine", table::kCombine, table::at(&Vector::combine),
                        "how each lane is combined with the lane of `b`"),
        table::optional("reduce", table::kReduce, table::at(&Vector::reduce),
                        "replaces every lane with the sum or maximum of the lanes"),
        table::optional("mode", table::kVectorMode, table::at(&Vector::mode),
                        "overwrite the destination, add to it, or keep the larger value"),
        table::optional("domain", table::kDomain, table::at(&Vector::domain),
                        "lanes are of the accumulator type, or binary32"),
        table::either("acc", table::kRow, table::at(&Vector::acc), "a", "first accumulator row"),
        table::optional("a",
                        Owner{table::kRow, table::at(&VectorSource::rows, &RowGenerator::base)},
                        table::at(&Vector::source),
                        "in place of `acc`, base of the row generator of a source in the UB"),
        table::beside("a", "a.loops", Loops<Vector>{}, WithPart{&Vector::source},
                      "the generator's loops; by default one loop, rows:1"),
        table::beside("a", "a.bounds", BoundPair{},
                      table::inside(&Vector::source, &VectorSource::rows, &RowGenerator::bounds),
                      "coordinates of loops 0 and 1, as in `matmul`"),
        table::beside("a", "a.pad", table::kElement,
                      table::inside(&Vector::source, &VectorSource::rows, &RowGenerator::pad),
                      "the element that fills a narrow padding row; a wide one is +0"),
        table::beside("a", "a.format", table::kFormat,
                      table::inside(&Vector::source, &VectorSource::format),
                      "whether a row is R elements or C 32-bit words"),
        table::beside("a", "a.window", table::kWindow,
                      table::inside(&Vector::source, &VectorSource::window),
                      "where the lanes are in narrow rows"),
        table::beside("a", "a.quant", table::kQuantization,
                      table::inside(&Vector::source, &VectorSource::quantization),
                      "how narrow int8 elements convert to the float domain"),
        table::optional("b", Owner{table::kRow, table::at(&VectorOperand::row)},
                        table::at(&Vector::operand), "first UB row of the second operand"),
        table::beside("b", "b.step", table::kRow,
                      table::inside(&Vector::operand, &VectorOperand::step),
                      "UB rows from one row of `b` to the next; 0 uses one row for all"),
        table::beside("b", "b.format", table::kFormat,
                      table::inside(&Vector::operand, &VectorOperand::format), "as `a.format`"),
        table::beside("b", "b.window", table::kWindow,
                      table::inside(&Vector::operand, &VectorOperand::window), "as `a.window`"),
        table::beside("b", "b.quant", table::kQuantization,
                      table::inside(&Vector::operand, &VectorOperand::quantization),
                      "as `a.quant`"),
        table::required("ub", table::kRow, table::at(&Vector::ub), "first UB row of the results"),
        table::optional("rows", table::kRow, table::at(&Vector::rows), "how many rows"),
        table::optional("bias", BiasRow{}, table::at(),
                        "first UB row of the C bias words; by default no bias"),
        table::optional("low", table::kWord, table::at(&Vector::low),
                        "clamp: smallest result, as a pattern of the domain's type; other "
                        "functions: alpha"),
        table::optional("high", table::kWord, table::at(&Vector::high),
                        "clamp: largest result; other functions: beta or gamma"),
        table::optional("format", table::kFormat, table::at(&Vector::format),
                        "whether a result row is R elements or C 32-bit words"),
        table::optional("window", table::kWindow, table::at(&Vector::window),
                        "where the lanes go in narrow rows"),
        table::optional("quant", table::kQuantization, table::at(&Vector::quantization),
                        "how the float domain converts to narrow int8 elements"),
        table::optional("lanes", table::kRow, table::at(&Vector::lanes),
                        "how many lanes are computed; 0 means all C"),
        table::optional("fill", table::kSwitch, table::at(&Vector::fill),
                        "write the lanes from `lanes` to C as zero, or leave them as they are")),
    table::opcode<Store>(
        "store", "Unified buffer to host memory.",
        table::required("ub", table::kRow, table::at(&Store::ub), "first UB row"),
        table::required("host", table::kAddress, table::at(&Store::host), "first host row"),
        table::optional("rows", table::kRow, table::at(&Store::rows), "how many UB rows")),
};

/// The operand that every instruction may have.
inline constexpr auto kAfter =
    table::optional("after", AfterCounts{}, table::at(&Instruction::after),
                    "for each unit, how many of its instructions must have retired first");

/// Calls function(entry) with the table's entry for `opcode`.
template <class Function>
constexpr void with_entry(Opcode opcode, Function&& function) {
  std::size_t index = 0;
  for_each_operand(kInstructionSet, [&](const auto& entry, std::size_t) {
    if (index++ == static_cast<std::size_t>(opcode)) function(entry);
  });
}

/// The opcode's name: "load", "fetch", "matmul", "vector" or "store".
std::string_view opcode_name(Opcode opcode);

/// The inverse of opcode_name(). Returns nullopt for an unknown name.
std::optional<Opcode> opcode_from_name(std::string_view name);

static_assert(std::tuple_size_v<decltype(kInstructionSet)> == kOpcodeCount);

}  // namespace weft
