#include "sim/isa/text/instruction_table.h"

namespace weft {
namespace {

template <std::size_t... kIndex>
constexpr bool opcodes_match_operations(std::index_sequence<kIndex...>) {
  return (
      std::is_same_v<typename std::tuple_element_t<kIndex, decltype(kInstructionSet)>::Operation,
                     std::variant_alternative_t<kIndex, Operation>> &&
      ...);
}
static_assert(opcodes_match_operations(std::make_index_sequence<kOpcodeCount>()));

}  // namespace

std::string_view opcode_name(Opcode opcode) {
  std::string_view name = "unknown";
  with_entry(opcode, [&](const auto& entry) { name = entry.name; });
  return name;
}

std::optional<Opcode> opcode_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kOpcodeCount; ++i) {
    if (opcode_name(static_cast<Opcode>(i)) == name) return static_cast<Opcode>(i);
  }
  return std::nullopt;
}

}  // namespace weft
