#include "sim/analysis/channel_use.h"

#include <algorithm>
#include <cstdint>

#include "sim/timing/channel_clock.h"

namespace weft {
namespace {

class ChannelReplay {
 public:
  ChannelReplay(const MachineConfig& config, Channel channel)
      : clock_(config.clock_hz, bytes_per_second(channel, config)) {}

  /// Replays a transfer that began in cycle `started`. Returns the cycle after its last byte.
  Cycle serve(Cycle started, const TransferRequest& request) {
    if (started > clock_.free_cycle()) fall_idle();
    step(started, 1);
    return clock_.occupy(started, request) + 1;
  }

  std::vector<ChannelStep> finish() && {
    fall_idle();
    return std::move(steps_);
  }

 private:
  // Adds the steps to share 0; the last transfer may end within a cycle.
  void fall_idle() {
    if (steps_.empty()) return;
    const Cycle last = clock_.free_cycle();
    if (clock_.free_share() > 0) step(last, clock_.free_share());
    step(clock_.free_share() > 0 ? last + 1 : last, 0);
  }

  void step(Cycle cycle, double share) {
    if (!steps_.empty() && steps_.back().cycle == cycle) steps_.pop_back();
    const double before = steps_.empty() ? 0 : steps_.back().share;
    if (share != before) steps_.push_back({cycle, share});
  }

  ChannelClock clock_;
  std::vector<ChannelStep> steps_;
};

struct Transfer {
  std::uint32_t instruction = 0;
  Cycle started = 0;
  TransferRequest request;
};

/// Transfers on `channel` in the order in which they were granted: by start, and in one cycle by
/// their place in the program, as the arbiter chooses.
std::vector<Transfer> granted(const MachineConfig& config, const Program& program,
                              const Timeline& timeline, Channel channel) {
  std::vector<Transfer> transfers;
  for (std::uint32_t i = 0; i < program.code.size(); ++i) {
    const auto request = transfer_request(program.code[i].operation, config);
    if (!request || request->channel != channel) continue;
    transfers.push_back({i, timeline.instructions[i].started, *request});
  }
  std::ranges::stable_sort(transfers, {}, &Transfer::started);
  return transfers;
}

}  // namespace

ChannelUse channel_use(const MachineConfig& config, const Program& program,
                       const Timeline& timeline) {
  ChannelUse use;
  use.channel_end.assign(program.code.size(), -1);
  for (std::size_t c = 0; c < kChannelCount; ++c) {
    const auto channel = static_cast<Channel>(c);
    ChannelReplay replay(config, channel);
    for (const Transfer& transfer : granted(config, program, timeline, channel)) {
      use.channel_end[transfer.instruction] = replay.serve(transfer.started, transfer.request);
    }
    use.steps[c] = std::move(replay).finish();
  }
  return use;
}

}  // namespace weft
