// The binary form: every instruction in kInstructionBytes bytes.
//
//   bit 0      3                            163
//   | opcode   | after: 5 counts of 32 bits | operands in the order of the table | zeros |
//
// Least significant bit first; docs/isa.md lists the widths. If an instruction lacks a part, for
// example a source in the unified buffer, the operands of that part are zeros. So each field has a
// fixed place.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sim/isa/text/instruction_table.h"

namespace weft {

inline constexpr unsigned kOpcodeBits = 3;

/// Bits of the longest instruction.
constexpr std::size_t longest_instruction_bits() {
  std::size_t longest = 0;
  for_each_operand(kInstructionSet, [&](const auto& opcode, std::size_t) {
    std::size_t bits = kOpcodeBits + AfterCounts::kBits;
    for_each_operand(opcode.operands,
                     [&](const auto& operand, std::size_t) { bits += operand.codec.kBits; });
    longest = bits > longest ? bits : longest;
  });
  return longest;
}

/// Bytes of every instruction: the longest one, rounded up to 64-bit words.
inline constexpr std::size_t kInstructionBytes = (longest_instruction_bits() + 63) / 64 * 8;

/// Encodes an instruction in kInstructionBytes bytes.
std::vector<std::byte> encode(const Instruction& instruction);

/// The inverse of encode(). Throws InputError if `bytes` is not kInstructionBytes long, has an
/// unknown opcode or value, or anything but zeros after the last operand.
Instruction decode(std::span<const std::byte> bytes);

}  // namespace weft
