// What the compiler decides about a program before it writes the instructions: how each layer is
// cut, and what lies where in the unified buffer while it runs.
//
//   | margin | sheets and constants that stay | staging (a ring) | tiles of weights (a ring) |
//
// The instructions follow from the layers and this, and from nothing else that could be chosen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/program/capacities.h"
#include "compiler/program/mapping.h"

namespace weft::compiler {

/// The parts of the unified buffer, in rows. The margin keeps row generators above row 0, since
/// their base may lie before the image. Staging holds what one layer needs for a short time: blocks
/// of sheets on the host, constants, wide intermediate rows. The slots after it hold tiles of
/// constant weights (Mapping::buffered_tiles), tile_slot_rows() rows each.
struct BufferParts {
  std::uint64_t margin = 0;
  std::uint64_t staging = 0;     // first row of staging
  std::uint64_t end = 0;         // the row after its last one, and the first slot
  std::uint32_t tile_slots = 0;  // how many

  std::uint64_t staging_rows() const { return end - staging; }
  friend bool operator==(const BufferParts&, const BufferParts&) = default;
};

/// A sheet stays in the unified buffer from a layer on, until the last layer that uses it.
struct SheetStay {
  std::size_t from_layer = 0;
  std::uint32_t base = 0;  // first UB row
  friend bool operator==(const SheetStay&, const SheetStay&) = default;
};

struct LayerSchedule {
  /// One for each part of the layer: concatenations have several, all others one.
  std::vector<Mapping> mappings;
  /// For each constant of the layer (compiler/blocks/constant_rows.h) its first UB row, in which it
  /// stays while the layer runs; nullopt if it is loaded through staging when needed.
  std::vector<std::optional<std::uint32_t>> constants;
  friend bool operator==(const LayerSchedule&, const LayerSchedule&) = default;
};

/// How many images of the batch each layer takes before the next layer goes on with them. Then the
/// first layers come back for the next images (depth first), so that what lies between layers can
/// stay in the unified buffer. A size divides the sizes of all later layers and the batch.
struct ImageGroups {
  std::int64_t images = 1;          // of the batch
  std::vector<std::int64_t> sizes;  // of each layer; empty: all layers take the whole batch
  /// What the host gives enters the unified buffer group by group, if it stays there. Otherwise
  /// that of a round stays there as a whole or not at all.
  bool cut_inputs = false;
  /// Images whose instructions are put into the order kByStart together; those of the next images
  /// follow. A layer that takes more at once belongs to the last round of its images. 0: all of the
  /// batch.
  std::int64_t round = 0;
  /// Rounds that are under way at once (compiler/program/order/round_merger.h), each in a part of
  /// its own of the unified buffer and of the accumulators. Schedule::capacities are those of a
  /// part. More than 1 only if no layer takes more than a round.
  std::int64_t rounds_at_once = 1;
  /// With rounds at once: images whose rounds are merged; those of the next images follow. 0: all
  /// of the batch.
  std::int64_t merged = 0;
  friend bool operator==(const ImageGroups&, const ImageGroups&) = default;
};

/// True if the layer takes more images at once than a round has.
bool outlasts_round(const ImageGroups& groups, std::size_t layer);

/// True if each size divides those of later layers and the batch, and if the round is a multiple of
/// all sizes up to it and divides the larger ones and the batch.
bool divide_each_other(const ImageGroups& groups);

/// Parts of layers into which groups cut the batch.
std::int64_t count_parts(const ImageGroups& groups);

/// The most of them, so that a large batch does not take the computer's memory. A part takes about
/// 1 KiB.
inline constexpr std::int64_t kMostLayerParts = std::int64_t{1} << 18U;

/// In how many bands of lines each layer takes an image (compiler/layers/line_bands.h).
struct LineBands {
  std::vector<std::int64_t> counts;  // of each layer; empty: 1 each
  /// Of each layer, true only with several bands: lines of its result that two bands read are
  /// copied for the second one. Otherwise they are computed again. Empty as `counts`.
  std::vector<bool> keeps_halo;
  friend bool operator==(const LineBands&, const LineBands&) = default;
};

/// The order of a program's instructions.
enum class InstructionOrder : std::uint8_t {
  kByLayer,  // those of a layer one after another
  kByStart,  // as the units can start them (compiler/program/order/list_scheduler.h)
  kByTile,   // likewise, and a tile serves several folds (compiler/program/order/tile_sharing.h)
};

inline constexpr auto kInstructionOrders = std::to_array(
    {InstructionOrder::kByStart, InstructionOrder::kByLayer, InstructionOrder::kByTile});

/// A layer has several parts if its form has several bodies, or if it takes the batch in groups or
/// an image in bands. Then a sheet has parts too (compiler/layers/layer_parts.h). `sheets` and
/// `layers` are the parts.
struct Schedule {
  /// What the rest was planned for, at most what the machine has. The order kByStart follows from
  /// it too.
  Capacities capacities;
  BufferParts buffer;
  std::vector<std::size_t> forms;  // the number of each layer's form; empty: all 0
  ImageGroups groups;
  LineBands bands;
  InstructionOrder order = InstructionOrder::kByLayer;
  std::vector<std::optional<SheetStay>> sheets;  // of each sheet; nullopt: on the host
  std::vector<LayerSchedule> layers;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// Such as "groups of 4 images"; empty if the layer takes the whole batch.
std::string to_text(const ImageGroups& groups, std::size_t layer);

/// Such as "8 bands of lines, halos computed again"; empty if the layer takes all lines at once.
std::string to_text(const LineBands& bands, std::size_t layer);

/// Both, with a comma between them.
std::string images_text(const Schedule& schedule, std::size_t layer);

/// "by layer", "by start" or "by tile".
std::string_view to_string(InstructionOrder order);

/// One line, such as "9 rows of margin, 12279 for what stays, 4096 of staging".
std::string to_text(const BufferParts& parts);

/// What begins to stay in the unified buffer with a layer, such as "sheet 0 from row 9, sheet 2
/// from row 793; constants: from row 1577, staged". Empty if there is nothing.
std::string stays_text(const Schedule& schedule, std::size_t layer);

}  // namespace weft::compiler
