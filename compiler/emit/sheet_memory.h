// Follows the sheets of a program while it is written: prepares each where its schedule says, and
// emits the loads and stores that follow.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/blocks/places.h"
#include "compiler/emit/staging_ring.h"
#include "compiler/emit/tile_ring.h"
#include "compiler/layers/layer_parts.h"
#include "compiler/layers/sheet.h"
#include "compiler/program/network_program.h"
#include "compiler/program/schedule.h"
#include "compiler/program/stream.h"
#include "compiler/rows/view.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

class SheetMemory {
 public:
  /// All must outlive this.
  SheetMemory(const MachineConfig& config, const PartedSegment& parts, const Schedule& schedule,
              Stream& stream, MachineStep& step);

  const Places& places() const { return places_; }
  const Sheet& sheet(std::size_t id) const { return places_.sheet(id); }
  StagingRing& staging() { return staging_; }
  TileRing& tile_ring() { return tile_rings_[part_]; }
  /// The tensor of a sheet that lies on the host.
  std::optional<std::size_t> host_tensor(std::size_t id) const {
    return states_[parts_[id].in_tensor_of].tensor;
  }

  /// The next round uses the rows of staging from the first one on. Of rounds under way at once,
  /// each has slots of its own for tiles (Stream::begin_round).
  void begin_round(bool apart);

  /// Everything from here on is for layer `index` of the step: for a part of body `body`. All parts
  /// of a body add the same constants in the same order, and the first one's serve all.
  void begin_layer(std::size_t index, std::size_t body);

  /// Takes room for a sheet that stays in the unified buffer from `layer` on, which reads it, and
  /// loads its first rows.
  void prepare_input(std::size_t id, std::size_t layer);
  /// Loads the rest of the sheets that prepare_input() has placed. Reads do this first. So the
  /// constants of the layer come before: the first results need all constants, but not all rows.
  void load_inputs();
  /// The same for a sheet that the layer writes, without a load. True if its stay begins.
  bool prepare_output(std::size_t id, std::size_t layer);
  /// Writes zeros into the last plane of a resident float sheet if its channels do not fill that
  /// plane. Layers that write only their own lanes leave old bits in the others, and a product with
  /// these must not become NaN.
  void clear_last_plane(std::size_t id);
  /// Stores rows [first, last) of a resident sheet that have been written, if the host needs them.
  void finish_output(std::size_t id, std::int64_t first, std::int64_t last);
  /// Forgets the sheets that no layer after `layer` uses.
  void release_after(std::size_t layer);

  /// The block; loads it into staging if the sheet is not resident.
  Placement read(std::size_t id, const Block& block);
  /// Room for the block.
  Placement write(std::size_t id, const Block& block);
  /// Room for the block, to be written from channel `first` on. Layers write the channels of a row
  /// in order. If `first` lies within a plane, the channels before it are loaded again.
  Placement write_from(std::size_t id, const Block& block, std::int64_t first);
  /// Stores a written block if its sheet is not resident.
  void wrote(std::size_t id, const Block& block, const Placement& placement);

  void load(std::size_t id, const Block& block, const Placement& placement);

  /// Adds a constant [1, channels], a wide row for every C channels; returns its first host row.
  std::uint64_t add_wide_constant(std::int64_t channels, std::function<Matrix()> make,
                                  ElementType type);
  /// Adds a constant [rows, channels], plane by plane like a sheet; returns its first host row.
  std::uint64_t add_narrow_constant(SheetSize size, std::function<Matrix()> make);
  void load_rows(std::uint64_t host, std::uint32_t base, std::uint32_t rows);

  /// Adds a tensor of weights [k, n]; returns its first tile. `fixed`: the same in every run.
  std::uint64_t add_weights(std::int64_t k, std::int64_t n, std::function<Matrix()> make,
                            bool fixed);
  /// Adds the same as rows of activations, plane by plane like a sheet; returns its first host row.
  std::uint64_t add_weight_rows(std::int64_t k, std::int64_t n, std::function<Matrix()> make,
                                bool fixed);

 private:
  struct SheetState {
    std::optional<std::uint64_t> host;  // first host row of its tensor
    std::optional<std::size_t> tensor;  // of the program
    bool spill_reported = false;
  };
  /// A constant in host memory.
  struct HostConstant {
    TensorRole role = TensorRole::kBias;
    ElementType type = ElementType::kInt32;
    SheetSize size;
  };

  /// The first host row of the tensor in which the sheet lies.
  std::uint64_t host_rows(std::size_t id);
  /// The host row of a plane's row, in rows of the tensor.
  std::int64_t host_row(std::size_t id, std::int64_t plane, std::int64_t row) const;
  std::uint64_t add_tensor(TensorRole role, ElementType type, std::int64_t rows, std::int64_t cols,
                           HostTensor behind);
  /// `piece`: rows of each transfer; patches are rounded up to whole lines.
  void load(std::size_t id, const Block& block, const Placement& placement, std::int64_t piece);
  void load_patches(std::size_t id, const Block& block, const Placement& placement,
                    std::int64_t piece);
  /// Plane `plane` of the windows from (y, x) of the image on, `width` along a line.
  Patches patches_of(const PatchWindows& windows, std::int64_t image, std::int64_t y,
                     std::int64_t x, std::int64_t width, std::int64_t plane) const;
  void store(std::size_t id, const Block& block, const Placement& placement);
  void transfer(std::size_t id, const Block& block, const Placement& placement, std::int64_t piece,
                bool load);
  std::uint64_t add_constant(const HostConstant& constant, std::function<Matrix()> make);
  /// Reports a sheet that does not stay, once, with all its parts.
  void report_spill(std::size_t id);

  const MachineConfig& config_;
  Stream& stream_;
  MachineStep& step_;
  const Schedule& schedule_;
  Places places_;
  StagingRing staging_;
  std::vector<TileRing> tile_rings_;     // of each round under way
  std::size_t part_ = 0;                 // of the machine that the round uses
  const std::vector<SheetPart>& parts_;  // what each sheet is a part of
  std::vector<SheetState> states_;
  std::map<std::size_t, std::pair<std::size_t, std::size_t>>
      spills_;                                                 // of whole sheets: layer, index
  std::vector<std::pair<std::size_t, std::int64_t>> to_load_;  // sheets, and from which row on
  std::size_t layer_ = 0;
  std::size_t body_ = 0;
  /// First host rows of the constants of each layer's body.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::uint64_t>> constants_;
  std::size_t next_constant_ = 0;  // of the body
  std::uint64_t next_host_row_ = 0;
  std::uint64_t next_tile_ = 0;
};

}  // namespace weft::compiler
