// Which tiles of constant weights should come through the unified buffer (Mapping::buffered_tiles),
// by closed forms. There are two reasons for it: on split memories the host link can bring a part
// of the weights, and tiles that are used several times can stay in the buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/layers/segment.h"
#include "compiler/program/schedule.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// Which tiles come through the unified buffer.
enum class TileWay : std::uint8_t {
  kReused,  // those that stay for a second use
  kAll,
  kBalanced,          // as many as both channels of split memories bring in time
  kReusedOrBalanced,  // layer by layer the first of these, or the second if no tile stays
};
inline constexpr std::size_t kTileWays = 4;

/// Slots for tiles in the unified buffer, and Mapping::buffered_tiles of each layer.
struct TileChoice {
  TileWay way = TileWay::kReused;
  std::uint32_t slots = 0;
  std::vector<std::uint32_t> tiles;
};

/// Whether many layers use the same constant weights, as the steps of a recurrent layer do.
bool repeats_weights(const Segment& segment);

/// What a search should try for a schedule, with up to `most` slots: each power of two up to it,
/// or every second one if `coarse`, in ascending order.
///
/// On split memories a layer that waits for its weights takes as many of them through the host link
/// as arrive in time: those that come while it runs, and those for which the slots have had room
/// before. On all memories, tiles that are used several times come through the buffer, as many of
/// them as stay in the slots until their last use. All tiles may come through it too: loads run
/// further ahead than a short FIFO lets fetches from memory, and the host link may be the faster
/// channel of split memories.
std::vector<TileChoice> tile_choices(const Segment& segment, const Schedule& schedule,
                                     const MachineConfig& config, std::uint32_t most, bool coarse);

/// The same for these slots and split memories, if layers take longer than their work, since they
/// wait for each other, and if the host link has other work too.
std::vector<TileChoice> paced_choices(const Segment& segment, const Schedule& schedule,
                                      const MachineConfig& config, std::uint32_t slots);

/// What both channels of split memories can bring in time, with these slots; nullopt if no tile
/// should come through the buffer.
std::optional<TileChoice> balanced_choice(const Segment& segment, const Schedule& schedule,
                                          const MachineConfig& config, std::uint32_t slots);

/// The choice without a search; nullopt if no tile should come through the buffer.
std::optional<TileChoice> estimated_tiles(const Segment& segment, const Schedule& schedule,
                                          const MachineConfig& config, std::uint32_t most);

}  // namespace weft::compiler
