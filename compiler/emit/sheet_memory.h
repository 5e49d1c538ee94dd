// Tracks where sheets (view.h) are while a program is written: in the unified buffer, on the host,
// or both. Emits the loads and stores that follow.
//
//   resident   all of it is in the unified buffer, until its last use
//   on host    layers read and write it in chunks, through staging
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/emit/buffer_rows.h"
#include "compiler/layers/sheet.h"
#include "compiler/program/network_program.h"
#include "compiler/program/stream.h"
#include "compiler/rows/view.h"
#include "sim/config/machine_config.h"

namespace weft::network {

/// Where rows of a sheet, or of a part of it, lie in the unified buffer.
struct Placement {
  std::int64_t origin = 0;      // UB row of plane 0, row 0, here or not
  std::int64_t plane_step = 0;  // UB rows between planes
  std::int64_t row_rows = 1;    // UB rows of one row; more than 1 for wide rows

  std::int64_t at(std::int64_t plane, std::int64_t row) const {
    return origin + plane * plane_step + row * row_rows;
  }
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

/// How the unified buffer is divided.
struct BufferShares {
  std::uint64_t staging = 4;  // 1 / staging of all rows
  bool stay = true;           // sheets and constants may stay; else all is staging
};
inline constexpr BufferShares kNothingStays = {1, false};

class SheetMemory {
 public:
  SheetMemory(const MachineConfig& config, std::vector<Sheet> sheets, std::uint64_t margin,
              const BufferShares& shares, Stream& stream, MachineStep& step);

  const Sheet& sheet(std::size_t id) const { return states_[id].sheet; }
  std::int64_t plane_width(std::size_t id) const;
  std::int64_t planes(std::size_t id) const;
  bool resident(std::size_t id) const { return states_[id].base.has_value(); }
  std::uint32_t base(std::size_t id) const { return *states_[id].base; }
  /// The tensor of a sheet that lies on the host.
  std::optional<std::size_t> host_tensor(std::size_t id) const { return states_[id].tensor; }

  /// Loads a sheet that a layer reads into the unified buffer, if all of it fits.
  void prepare_input(std::size_t id);
  /// Takes room for a sheet that a layer writes; without room the sheet goes to the host.
  void prepare_output(std::size_t id);
  /// Writes zeros into the last plane of a resident float sheet if its channels do not fill that
  /// plane. Layers that write only their own lanes leave old bits in the others, and a product with
  /// these must not become NaN.
  void clear_last_plane(std::size_t id);
  /// Rows at the start of the buffer that nothing may take.
  std::int64_t margin() const { return margin_; }
  /// Throws ConfigError: the current layer needs `rows` rows of staging for `what` at once.
  [[noreturn]] void refuse(std::uint64_t rows, const std::string& what) const;
  /// Stores a resident sheet that has been written, if the host needs it.
  void finish_output(std::size_t id);
  /// Frees the rows of sheets that no layer after `layer` uses.
  void release_after(std::size_t layer);

  /// UB rows that a block takes in staging: 0 if the sheet is resident.
  std::uint64_t staging_need(std::size_t id, const Block& block) const;
  /// The block; loads it into staging if the sheet is not resident.
  Placement read(std::size_t id, const Block& block);
  /// Room for the block.
  Placement write(std::size_t id, const Block& block);
  /// Room for the block, to be written from channel `first` on. Layers write the channels of a row
  /// in order. If `first` lies within a plane, the channels before it are loaded again.
  Placement write_from(std::size_t id, const Block& block, std::int64_t first);
  /// Stores a written block if its sheet is not resident.
  void wrote(std::size_t id, const Block& block, const Placement& placement);

  Placement whole(std::size_t id) const;
  void load(std::size_t id, const Block& block, const Placement& placement);

  /// Adds a constant [1, channels], a wide row for every C channels; returns its first host row.
  std::uint64_t add_wide_constant(std::int64_t channels, std::function<Matrix()> make,
                                  ElementType type);
  /// Adds a constant [rows, channels], plane by plane like a sheet; returns its first host row.
  std::uint64_t add_narrow_constant(SheetSize size, std::function<Matrix()> make);
  void load_rows(std::uint64_t host, std::uint32_t base, std::uint32_t rows);
  /// Takes rows that a layer keeps until release_constants(); nullopt if there is no room.
  std::optional<std::uint32_t> take_constant(std::uint64_t rows);
  void release_constants();

  /// Adds a tensor of weights [k, n]; returns its first tile. `fixed`: the same in every run.
  std::uint64_t add_weights(std::int64_t k, std::int64_t n, std::function<Matrix()> make,
                            bool fixed);

  BufferRows& rows() { return rows_; }

 private:
  struct State {
    Sheet sheet;
    std::optional<std::uint32_t> base;
    std::optional<std::uint64_t> host;  // first host row
    std::optional<std::size_t> tensor;  // of the program
    bool spill_reported = false;
  };

  std::uint64_t host_rows(std::size_t id);
  std::uint64_t add_tensor(TensorRole role, ElementType type, std::int64_t rows, std::int64_t cols,
                           HostTensor behind);
  std::uint64_t total_rows(std::size_t id) const;
  std::optional<std::uint32_t> take(std::uint64_t rows);
  void store(std::size_t id, const Block& block, const Placement& placement);
  void transfer(std::size_t id, const Block& block, const Placement& placement, bool load);
  void report_spill(std::size_t id);

  const MachineConfig& config_;
  Stream& stream_;
  MachineStep& step_;
  std::vector<State> states_;
  std::int64_t margin_;
  bool stay_;
  BufferRows rows_;
  std::vector<std::uint32_t> constants_;
  std::uint64_t next_host_row_ = 0;
  std::uint64_t next_tile_ = 0;
};

}  // namespace weft::network
