// Where the sheets (compiler/rows/view.h) of a program lie while one of its layers runs:
//
//   resident   all of it is in the unified buffer
//   on host    the layer reads and writes it block by block, through staging
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/layers/sheet.h"
#include "compiler/program/schedule.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// Where rows of a sheet, or of a part of it, lie in the unified buffer.
struct Placement {
  std::int64_t origin = 0;      // UB row of plane 0, row 0, here or not
  std::int64_t plane_step = 0;  // UB rows between planes
  std::int64_t row_rows = 1;    // UB rows of one row; more than 1 for wide rows

  std::int64_t at(std::int64_t plane, std::int64_t row) const {
    return origin + plane * plane_step + row * row_rows;
  }
};

/// Half-open range of planes.
struct Planes {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// Half-open ranges of planes and rows.
struct Block {
  std::int64_t first_plane = 0;
  std::int64_t last_plane = 0;
  std::int64_t first_row = 0;
  std::int64_t last_row = 0;

  std::uint64_t rows() const {
    return static_cast<std::uint64_t>((last_plane - first_plane) * (last_row - first_row));
  }
};

/// UB rows that the machine has and instructions can address.
std::uint64_t usable_rows(const MachineConfig& config);
/// The most UB rows that the columns of a tile of weights lie in: R for each plane.
std::uint64_t tile_slot_rows(const MachineConfig& config);
/// Nothing stays in the buffer: all of it is staging.
BufferParts staging_only(const MachineConfig& config);

class Places {
 public:
  /// All sheets are on the host. `config` and `sheets` must outlive this.
  Places(const MachineConfig& config, const std::vector<Sheet>& sheets, const BufferParts& parts)
      : config_(config), sheets_(sheets), parts_(parts), bases_(sheets.size()) {}

  const MachineConfig& config() const { return config_; }
  const BufferParts& parts() const { return parts_; }
  /// Rows at the start of the buffer that nothing may take.
  std::int64_t margin() const { return static_cast<std::int64_t>(parts_.margin); }

  const Sheet& sheet(std::size_t id) const { return sheets_[id]; }
  /// Channels of a plane, and how many planes the sheet has.
  std::int64_t plane_width(std::size_t id) const;
  std::int64_t planes(std::size_t id) const;
  /// UB rows of the whole sheet.
  std::uint64_t total_rows(std::size_t id) const;

  bool resident(std::size_t id) const { return bases_[id].has_value(); }
  /// First UB row of a resident sheet.
  std::uint32_t base(std::size_t id) const { return *bases_[id]; }
  Placement whole(std::size_t id) const;
  /// UB rows that a block takes in staging: 0 if the sheet is resident.
  std::uint64_t staging_need(std::size_t id, const Block& block) const;

  /// The sheet lies in the unified buffer from row `base` on, until remove().
  void place(std::size_t id, std::uint32_t base) { bases_[id] = base; }
  void remove(std::size_t id) { bases_[id].reset(); }

 private:
  const MachineConfig& config_;
  const std::vector<Sheet>& sheets_;
  const BufferParts parts_;
  std::vector<std::optional<std::uint32_t>> bases_;
};

}  // namespace weft::compiler
