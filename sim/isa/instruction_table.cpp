#include "sim/isa/instruction_table.h"

namespace weft {
namespace {

template <std::size_t... kIndex>
constexpr bool opcodes_match_operations(std::index_sequence<kIndex...>) {
  return (
      std::is_same_v<typename std::tuple_element_t<kIndex, decltype(kInstructionSet)>::Operation,
                     std::variant_alternative_t<kIndex, Operation>> &&
      ...);
}
static_assert(opcodes_match_operations(std::make_index_sequence<kUnitCount>()));

}  // namespace

std::string_view unit_name(Unit unit) {
  std::string_view name = "unknown";
  with_opcode(unit, [&](const auto& opcode) { name = opcode.name; });
  return name;
}

std::optional<Unit> unit_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kUnitCount; ++i) {
    if (unit_name(static_cast<Unit>(i)) == name) return static_cast<Unit>(i);
  }
  return std::nullopt;
}

}  // namespace weft
