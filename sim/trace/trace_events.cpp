#include "sim/trace/trace_events.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

#include "sim/analysis/ledger.h"
#include "sim/analysis/occupancy.h"
#include "sim/analysis/summary.h"
#include "sim/isa/text/instruction_table.h"
#include "sim/isa/text/text.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/transfers.h"
#include "sim/timing/unit_streams.h"

namespace weft {
namespace {

using Track = TraceStream::Track;

// Viewers show the tracks in this order.
constexpr Track kLayers = 1;
constexpr Track kLedger = 2;
constexpr Track kLoad = 3;
constexpr Track kFetch = 4;
constexpr Track kBufferFetch = 5;
constexpr Track kPushes = 6;
constexpr Track kMatmul = 7;
constexpr Track kVector = 8;
constexpr Track kStore = 9;
constexpr Track kHost = 10;

/// The track of each BarTrack.
constexpr std::array<Track, kBarTrackCount> kUnitTracks = {kLoad,   kFetch,  kBufferFetch,
                                                           kMatmul, kVector, kStore};

std::string track_name(Track track) {
  for (std::size_t t = 0; t < kBarTrackCount; ++t) {
    if (kUnitTracks[t] == track) return std::string(to_string(static_cast<BarTrack>(t)));
  }
  if (track == kLayers) return "layers";
  if (track == kLedger) return "ledger";
  return track == kPushes ? "weight push" : "host";
}

TraceArguments facts(const MachineConfig& config) {
  TraceArguments facts;
  facts.add("producer", "weft").add("time", "1 us is 1 cycle");
  return facts.add("machine", config.name).add("clock_hz", config.clock_hz);
}

std::string_view channel_name(Channel channel, const MachineConfig& config) {
  if (channel == Channel::kHost) return "host link";
  return config.memory_kind == MemoryKind::kShared ? "memory" : "weight memory";
}

}  // namespace

TraceEvents::TraceEvents(std::ostream& out, const MachineConfig& config, std::string_view title)
    : config_(config), stream_(out, facts(config)) {
  stream_.name_process(title);
}

void TraceEvents::add_program(const Program& program, const Timeline& timeline, Cycle begin,
                              const DescribeInstruction& describe) {
  const ChannelUse use = channel_use(config_, program, timeline);
  add_ledger(program, timeline, begin);
  add_units(unit_bars(config_, program, timeline, use), program, timeline, begin, describe);
  add_pushes(program, timeline, begin);
  add_counter("unified buffer", "rows", buffer_occupancy(config_, program, timeline), begin);
  add_counter("accumulators", "rows", accumulator_occupancy(config_, program, timeline), begin);
  add_counter("weight FIFO", "tiles", fifo_occupancy(config_, program, timeline), begin);
  add_channels(use, begin);
}

void TraceEvents::add_ledger(const Program& program, const Timeline& timeline, Cycle begin) {
  for (const LedgerSpan& span : ledger_spans(config_, program, timeline, total_cycles(timeline))) {
    bar(kLedger, kLedgerClasses[span.ledger_class].name, begin + span.begin, begin + span.end, {});
  }
}

void TraceEvents::add_units(const std::vector<std::vector<UnitBar>>& tracks, const Program& program,
                            const Timeline& timeline, Cycle begin,
                            const DescribeInstruction& describe) {
  TraceArguments args;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const Track track = kUnitTracks[t];
    for (const UnitBar& unit_bar : tracks[t]) {
      const InstructionTiming& timing = timeline.instructions[unit_bar.instruction];
      if (!unit_bar.wait_for.empty()) {
        args.clear();
        args.add("index", unit_bar.instruction).add("for", unit_bar.wait_for);
        bar(track, "wait", begin + unit_bar.wait_begin, begin + unit_bar.begin, args);
      }
      args.clear();
      args.add("index", unit_bar.instruction);
      args.add("text", format(program.code[unit_bar.instruction]));
      if (describe) describe(unit_bar.instruction, args);
      args.add("dispatched", begin + timing.dispatched).add("retired", begin + timing.retired);
      bar(track, opcode_name(program.code[unit_bar.instruction].opcode()), begin + unit_bar.begin,
          begin + unit_bar.end, args);
    }
  }
}

void TraceEvents::add_pushes(const Program& program, const Timeline& timeline, Cycle begin) {
  const UnitStreams streams(program);
  const Cycle push = ArrayTiming(config_).push();
  for (std::size_t tile = 0; tile < timeline.pushes.size(); ++tile) {
    const Cycle first = begin + timeline.pushes[tile];
    TraceArguments args;
    args.add("fetch", streams[Unit::kFetch][tile]);
    if (tile < streams.tile_takers.size()) {
      args.add("matmul", streams[Unit::kMatmul][streams.tile_takers[tile]]);
    }
    bar(kPushes, "push", first, first + push, args);
  }
}

// Where the count changes in steps, its last value before the next point gets a separate sample, so
// that every peak is shown.
void TraceEvents::add_counter(std::string_view name, std::string_view series,
                              const Staircase& points, Cycle begin) {
  const auto sample = [&](Cycle cycle, std::int64_t count) {
    stream_.counter(name, begin + cycle, TraceArguments().add(series, count));
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const StaircasePoint& point = points[i];
    sample(point.cycle, point.count);
    if (point.step == 0 || i + 1 == points.size()) continue;
    const Cycle last = points[i + 1].cycle - 1;
    if (last > point.cycle) sample(last, point.at(last));
  }
}

void TraceEvents::add_channels(const ChannelUse& use, Cycle begin) {
  for (std::size_t c = 0; c < kChannelCount; ++c) {
    const auto channel = static_cast<Channel>(c);
    const double bytes_per_cycle = static_cast<double>(bytes_per_second(channel, config_)) /
                                   static_cast<double>(config_.clock_hz);
    for (const ChannelStep& step : use.steps[c]) {
      stream_.counter(channel_name(channel, config_), begin + step.cycle,
                      TraceArguments().add("bytes per cycle", step.share * bytes_per_cycle));
    }
  }
}

void TraceEvents::bar(Track track, std::string_view name, Cycle begin, Cycle end,
                      const TraceArguments& args) {
  used_.insert(track);
  stream_.bar(track, name, begin, end, args);
}

void TraceEvents::add_layer(std::string_view name, Cycle begin, Cycle end,
                            const TraceArguments& args) {
  bar(kLayers, name, begin, end, args);
}

void TraceEvents::add_host_node(std::string_view name, Cycle at, const TraceArguments& args) {
  used_.insert(kHost);
  stream_.mark(kHost, name, at, args);
}

void TraceEvents::finish() {
  for (const Track track : used_) stream_.name_track(track, track_name(track));
  stream_.finish();
}

}  // namespace weft
