#include "sim/trace/unit_bars.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "sim/timing/array_timing.h"
#include "sim/timing/transfers.h"
#include "sim/timing/unit_streams.h"

namespace weft {
namespace {

constexpr std::array<std::string_view, kBarTrackCount> kTracks = {
    "load", "fetch", "fetch from buffer", "matmul", "vector", "store"};

class BarBuilder {
 public:
  BarBuilder(const MachineConfig& config, const Program& program, const Timeline& timeline,
             const ChannelUse& use)
      : config_(config),
        program_(program),
        timeline_(timeline),
        use_(use),
        streams_(program),
        array_(config),
        tracks_(kBarTrackCount) {}

  std::vector<std::vector<UnitBar>> build() && {
    for (std::uint32_t i = 0; i < program_.code.size(); ++i) add(i);
    return std::move(tracks_);
  }

 private:
  /// A cycle before which the instruction could not start, and the reason.
  struct Limit {
    Cycle cycle = 0;
    std::string_view cause;
  };

  void add(std::uint32_t index) {
    const Operation& operation = program_.code[index].operation;
    const InstructionTiming& timing = timeline_.instructions[index];
    std::vector<UnitBar>& track = tracks_[static_cast<std::size_t>(bar_track(operation))];
    UnitBar bar{index, timing.dispatched + 1, {}, timing.started, end(index)};
    if (!track.empty()) {
      track.back().end = std::min(track.back().end, bar.begin);
      bar.wait_begin = std::max(bar.wait_begin, track.back().end);
    }
    Cycle& previous = previous_start_[unit_of(operation)];  // starts are in order
    bar.wait_begin = std::max(bar.wait_begin, std::exchange(previous, bar.begin));
    const Limit limit = last_limit(index);
    if (bar.wait_begin < bar.begin) {
      bar.wait_for = limit.cycle >= bar.begin ? limit.cause : "channel";
    }
    track.push_back(bar);
  }

  Cycle end(std::uint32_t index) const {
    const Operation& operation = program_.code[index].operation;
    const InstructionTiming& timing = timeline_.instructions[index];
    if (const auto* matmul = std::get_if<Matmul>(&operation)) return timing.started + matmul->rows;
    if (const auto* vector = std::get_if<Vector>(&operation)) return timing.started + vector->rows;
    if (const Cycle reads = buffer_read_cycles(operation, config_)) return timing.started + reads;
    return use_.channel_end[index] < 0 ? timing.started + 1 : use_.channel_end[index];
  }

  // Must be called once for each instruction, in order, because it counts the tiles.
  Limit last_limit(std::uint32_t index) {
    Limit last;
    const After& after = program_.code[index].after;
    for (const Unit unit : kUnits) {
      if (after[unit] == 0) continue;
      const std::uint32_t waited_for = streams_[unit][after[unit] - 1];
      const Cycle reached = timeline_.instructions[waited_for].retired + 1;
      if (reached > last.cycle) last = {reached, unit_name(unit)};
    }
    const auto* matmul = std::get_if<Matmul>(&program_.code[index].operation);
    if (matmul == nullptr || !matmul->next_weights) return last;
    const Cycle pushed = timeline_.pushes[tile_++] + array_.push();
    return pushed > last.cycle ? Limit{pushed, "weights"} : last;
  }

  const MachineConfig& config_;
  const Program& program_;
  const Timeline& timeline_;
  const ChannelUse& use_;
  const UnitStreams streams_;
  const ArrayTiming array_;
  std::size_t tile_ = 0;
  PerUnit<Cycle> previous_start_;
  std::vector<std::vector<UnitBar>> tracks_;
};

}  // namespace

BarTrack bar_track(const Operation& operation) {
  constexpr PerUnit<BarTrack> kTrackOf{
      {BarTrack::kLoad, BarTrack::kFetch, BarTrack::kMatmul, BarTrack::kVector, BarTrack::kStore}};
  const auto* fetch = std::get_if<Fetch>(&operation);
  if (fetch != nullptr && fetch->buffer) return BarTrack::kBufferFetch;
  return kTrackOf[unit_of(operation)];
}

std::string_view to_string(BarTrack track) {
  return kTracks[static_cast<std::size_t>(track)];
}

std::vector<std::vector<UnitBar>> unit_bars(const MachineConfig& config, const Program& program,
                                            const Timeline& timeline, const ChannelUse& use) {
  return BarBuilder(config, program, timeline, use).build();
}

}  // namespace weft
