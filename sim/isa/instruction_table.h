// The instruction set: opcodes, and for each operand its text key, the member that it sets, how it
// is written and packed, whether it may be left out, and what it means. Assembler, disassembler,
// encoder, decoder and the tables of docs/isa.md all follow from this one table; the opcodes stand
// in the order of Unit, which is that of Operation's alternatives.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>

#include "sim/isa/instruction.h"
#include "sim/isa/operand_codecs.h"
#include "sim/isa/operand_table.h"

namespace weft {

/// One instruction: its name, which is also its unit's, its operands and its one-line meaning.
template <class Op, class Operands>
struct Opcode {
  using Operation = Op;
  std::string_view name;
  std::string_view doc;
  Operands operands;
};

namespace table {

template <class Op, class... Operands>
constexpr auto opcode(std::string_view name, std::string_view doc, Operands... operands) {
  return Opcode<Op, std::tuple<Operands...>>{name, doc, {operands...}};
}

template <class... Members>
constexpr auto at(Members... members) {
  return Path<Members...>{{members...}};
}

/// An operand that must be written.
template <class Codec, class Get>
constexpr auto required(std::string_view key, Codec codec, Get get, std::string_view doc) {
  return Operand<Codec, Get>{key, codec, get, true, doc};
}

/// An operand that is left out where it has its default value.
template <class Codec, class Get>
constexpr auto optional(std::string_view key, Codec codec, Get get, std::string_view doc) {
  return Operand<Codec, Get>{key, codec, get, false, doc};
}

inline constexpr Number<std::uint32_t> kRow;
inline constexpr Number<std::uint64_t> kAddress;
inline constexpr Pattern<std::uint16_t> kElement;
inline constexpr Pattern<std::uint32_t> kWord;
inline constexpr Choice<bool, 2> kMode{{"overwrite", "accumulate"}};
inline constexpr Choice<bool, 2> kWeights{{"keep", "next"}};
inline constexpr Choice<VectorOp, 3> kVectorOp{{"copy", "relu", "clamp"}};

}  // namespace table

inline constexpr auto kInstructionSet = std::tuple{
    table::opcode<Load>(
        "load", "Host memory to unified buffer.",
        table::required("host", table::kAddress, table::at(&Load::host), "first host row"),
        table::required("ub", table::kRow, table::at(&Load::ub), "first UB row"),
        table::optional("rows", table::kRow, table::at(&Load::rows), "how many UB rows")),
    table::opcode<Fetch>(
        "fetch", "Weight memory to the weight FIFO, one tile.",
        table::required("tile", table::kAddress, table::at(&Fetch::tile), "which tile")),
    table::opcode<Matmul>(
        "matmul", "Streams UB rows through the array into accumulator rows.",
        table::required("ub", table::kRow, table::at(&Matmul::ub, &RowGenerator::base),
                        "base of the row generator: the UB row at all loop indices 0"),
        table::optional("rows", table::kRow, table::at(&Matmul::rows),
                        "how many rows; at most the product of the loop counts"),
        table::optional("loops", Loops{}, table::at(),
                        "the row generator's loops, innermost first; by default one loop, rows:1"),
        table::optional("bounds", Bounds{}, table::at(&Matmul::ub, &RowGenerator::bounds),
                        "coordinates of loops 0 and 1; outside 0..limit-1 the row is padding, and "
                        "limit 0 bounds nothing"),
        table::optional("pad", table::kElement, table::at(&Matmul::ub, &RowGenerator::pad),
                        "the element that fills a padding row"),
        table::required("acc", table::kRow, table::at(&Matmul::acc), "first accumulator row"),
        table::optional("mode", table::kMode, table::at(&Matmul::accumulate),
                        "overwrite the accumulator rows, or add to them"),
        table::optional("weights", table::kWeights, table::at(&Matmul::next_weights),
                        "swap in the FIFO's next tile, or keep the current one")),
    table::opcode<Vector>(
        "vector", "Accumulators to unified buffer, by way of the vector unit.",
        table::optional("op", table::kVectorOp, table::at(&Vector::op),
                        "what happens to each sum after the bias is added"),
        table::required("acc", table::kRow, table::at(&Vector::acc), "first accumulator row"),
        table::required("ub", table::kRow, table::at(&Vector::ub), "first UB row of the results"),
        table::optional("rows", table::kRow, table::at(&Vector::rows), "how many accumulator rows"),
        table::optional("bias", BiasRow{}, table::at(),
                        "first UB row of the C bias words; by default no bias"),
        table::optional("low", table::kWord, table::at(&Vector::low),
                        "clamp only: smallest result, as a pattern of the accumulator type"),
        table::optional("high", table::kWord, table::at(&Vector::high),
                        "clamp only: largest result")),
    table::opcode<Store>(
        "store", "Unified buffer to host memory.",
        table::required("ub", table::kRow, table::at(&Store::ub), "first UB row"),
        table::required("host", table::kAddress, table::at(&Store::host), "first host row"),
        table::optional("rows", table::kRow, table::at(&Store::rows), "how many UB rows")),
};

/// What every instruction may carry.
inline constexpr auto kAfter =
    table::optional("after", AfterCounts{}, table::at(&Instruction::after),
                    "for each unit, how many of its instructions must have retired first");

/// Calls function(opcode) with the table's entry for `unit`.
template <class Function>
constexpr void with_opcode(Unit unit, Function&& function) {
  std::size_t index = 0;
  for_each_operand(kInstructionSet, [&](const auto& opcode, std::size_t) {
    if (index++ == static_cast<std::size_t>(unit)) function(opcode);
  });
}

/// The unit's name: "load", "fetch", "matmul", "vector" or "store".
std::string_view unit_name(Unit unit);

/// The inverse; nothing for an unknown name.
std::optional<Unit> unit_from_name(std::string_view name);

static_assert(std::tuple_size_v<decltype(kInstructionSet)> == kUnitCount);
static_assert(std::variant_size_v<Operation> == kUnitCount);

}  // namespace weft
