// The memory that load, fetch and store address. The machine asks for rows and tiles and does not
// know the matrices; so no matrix has to be copied into a second layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft {

class HostMemory {
 public:
  virtual ~HostMemory() = default;

  /// Fills `out` (a whole number of UB rows) with the rows from `host_row` on.
  virtual void read_rows(std::uint64_t host_row, std::span<std::byte> out) const = 0;
  /// Fills `out` (R*C elements, row-major, row 0 = array row 0) with tile `tile`.
  virtual void read_tile(std::uint64_t tile, std::span<std::byte> out) const = 0;
  /// Writes `in` (a whole number of UB rows) to the rows from `host_row` on.
  virtual void write_rows(std::uint64_t host_row, std::span<const std::byte> in) = 0;
};

}  // namespace weft
