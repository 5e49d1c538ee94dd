// What validate() demands of an instruction's operands, whatever stands around it in the program:
// rows inside the memories, lanes inside the array, no operand that means nothing. Every check
// throws InputError with what is wrong and what is allowed, but without a place.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"
#include "sim/isa/row_access.h"

namespace weft {

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> what, Args&&... args) {
  throw InputError(fmt::format(what, std::forward<Args>(args)...));
}

/// At least one row.
void check_rows(std::uint32_t rows);

/// UB rows first .. first+count-1 exist.
void check_unified_buffer(std::string_view operand, std::uint64_t first, std::uint64_t count,
                          const MachineConfig& config);

/// Accumulator rows first .. first+count-1 exist.
void check_accumulators(std::uint64_t first, std::uint64_t count, const MachineConfig& config);

/// `pattern` is an element of the array's type.
void check_element(std::string_view operand, std::uint16_t pattern, const MachineConfig& config);

/// The loops take at least `rows` steps, and the UB rows that they reach, each of them the first of
/// `shape`, exist.
void check_generator(const RowGenerator& generator, std::uint32_t rows, const RowShape& shape,
                     const MachineConfig& config);

/// The window's first lane lies in a row, and the lanes beyond it have planes to lie in.
void check_window(std::string_view operand, const LaneWindow& window, std::uint32_t lanes,
                  const MachineConfig& config);

/// All of a vector instruction.
void check_vector(const Vector& vector, const MachineConfig& config);

/// All of a tile in the unified buffer.
void check_buffer_tile(const BufferTile& tile, const MachineConfig& config);

}  // namespace weft
