// Which tiles of constant weights should come through the unified buffer (Mapping::buffered_tiles),
// by closed forms. There are two reasons for it: on split memories the host link can bring a part
// of the weights, and tiles that are used several times can stay in the buffer.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/layers/segment.h"
#include "compiler/program/schedule.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// Mapping::buffered_tiles of each layer.
using BufferedTiles = std::vector<std::uint32_t>;

/// How fast a program is, beside the closed form.
struct ChannelPace {
  double layers = 1;  // times as long as its array or vector unit works
  double host = 1;    // part of the host link that is free for weights
};

/// For a schedule whose buffer has `slots` slots for tiles. A layer that waits for its weights
/// takes as many of them through the host link as arrive in time: those that come while it runs,
/// and those for which the slots have had room before. The memories must be split.
BufferedTiles balanced_tiles(const Segment& segment, const Schedule& schedule,
                             const MachineConfig& config, std::uint32_t slots,
                             const ChannelPace& pace);

/// The same for tiles that are used more than once: as many of them as stay in the slots until
/// their last use. No others.
BufferedTiles reused_tiles(const Segment& segment, const Schedule& schedule,
                           const MachineConfig& config, std::uint32_t slots);

}  // namespace weft::compiler
