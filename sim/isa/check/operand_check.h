// The checks of validate() on the operands of one instruction, without the rest of the program:
// rows lie inside the memories, lanes inside the array, and every operand has a meaning. Each check
// throws InputError that says what is wrong and what is allowed, but not in which line.
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

/// `rows` is at least 1.
void check_rows(std::uint32_t rows);

/// UB rows first .. first+count-1 exist.
void check_unified_buffer(std::string_view operand, std::uint64_t first, std::uint64_t count,
                          const MachineConfig& config);

/// Accumulator rows first .. first+count-1 exist.
void check_accumulators(std::uint64_t first, std::uint64_t count, const MachineConfig& config);

/// Host rows first .. first+count-1 have addresses in host memory.
void check_host_rows(std::uint64_t first, std::uint64_t count, const MachineConfig& config);

/// Checks all fields of a load's patches; the image lies in host memory.
void check_patches(const Load& load, const MachineConfig& config);

/// The tile has an address in weight memory.
void check_tile(std::uint64_t tile, const MachineConfig& config);

/// `pattern` is an element of the array's type.
void check_element(std::string_view operand, std::uint16_t pattern, const MachineConfig& config);

/// The loops take at least `rows` steps. Each step reaches the first UB row of a `shape`; all UB
/// rows of these shapes exist.
void check_generator(const RowGenerator& generator, std::uint32_t rows, const RowShape& shape,
                     const MachineConfig& config);

/// The window's first lane lies in the row. If the lanes need several planes, the planes have a
/// distance.
void check_window(std::string_view operand, const LaneWindow& window, std::uint32_t lanes,
                  const MachineConfig& config);

/// Checks all operands of a vector instruction.
void check_vector(const Vector& vector, const MachineConfig& config);

/// Checks all fields of a tile in the unified buffer.
void check_buffer_tile(const BufferTile& tile, const MachineConfig& config);

}  // namespace weft
