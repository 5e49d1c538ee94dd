#include "sim/isa/text/encoding.h"

#include <fmt/format.h>

#include "base/error.h"

namespace weft {
namespace {

/// Returns false if the bits are not a value of the operand. If `operation` lacks the part with
/// this operand, all bits must be zeros.
template <class Descriptor, class Op>
bool decode_operand(BitReader& reader, const Descriptor& operand, Op& operation) {
  if (operand.is_missing(operation)) return reader.skip_zeros(operand.codec.kBits);
  return operand.codec.decode(reader, operand.get(operation));
}

}  // namespace

std::vector<std::byte> encode(const Instruction& instruction) {
  std::vector<std::byte> bytes(kInstructionBytes);
  BitWriter writer(bytes);
  writer.put(static_cast<std::uint64_t>(instruction.opcode()), kOpcodeBits);
  kAfter.codec.encode(writer, instruction.after);
  with_entry(instruction.opcode(), [&]<class Entry>(const Entry& entry) {
    const auto& operation = std::get<typename Entry::Operation>(instruction.operation);
    for_each_operand(entry.operands, [&](const auto& operand, std::size_t) {
      if (operand.is_missing(operation)) return writer.skip(operand.codec.kBits);
      operand.codec.encode(writer, operand.get(operation));
    });
  });
  return bytes;
}

Instruction decode(std::span<const std::byte> bytes) {
  if (bytes.size() != kInstructionBytes) {
    throw InputError(
        fmt::format("an instruction has {} bytes, not {}", kInstructionBytes, bytes.size()));
  }
  BitReader reader(bytes);
  const std::uint64_t opcode = reader.get(kOpcodeBits);
  if (opcode >= kOpcodeCount) throw InputError(fmt::format("unknown opcode {}", opcode));
  Instruction instruction;
  kAfter.codec.decode(reader, instruction.after);
  with_entry(static_cast<Opcode>(opcode), [&]<class Entry>(const Entry& entry) {
    typename Entry::Operation operation;
    for_each_operand(entry.operands, [&](const auto& operand, std::size_t) {
      if (decode_operand(reader, operand, operation)) return;
      throw InputError(
          fmt::format("{}: operand {} must be {}", entry.name, operand.key, operand.codec.form()));
    });
    instruction.operation = operation;
  });
  if (!reader.rest_is_zero()) throw InputError("bits are set after the last operand");
  return instruction;
}

}  // namespace weft
