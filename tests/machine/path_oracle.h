// Which cycles a critical path of a program can be spent on, from the lines of docs/timing.md and
// the times of a run. Each event lists what it may have waited for. Those predecessors that explain
// its time exactly are critical; over all paths along them, each part takes between a least and a
// most number of cycles.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/critical_path.h"
#include "sim/timing/transfers.h"

namespace weft::testing {

struct PathRange {
  CriticalPath least;
  CriticalPath most;
};

class PathOracle {
 public:
  /// `granted` lists the transfers over channels in the order in which they started.
  PathOracle(const MachineConfig& config, const Program& program, const Timeline& timeline,
             const std::vector<std::uint64_t>& granted)
      : config_(config), program_(program), timeline_(timeline) {
    for (std::size_t i = 0; i < program.code.size(); ++i) {
      of_unit_[program.code[i].unit()].push_back(i);
    }
    find_channel_times(granted);
    for (std::size_t i = 0; i < program.code.size(); ++i) add_instruction(i);
    add_pushes();
  }

  /// Every event happens exactly when the latest of its predecessors allows.
  bool explains_the_run() const {
    return std::ranges::all_of(events_, [](const Event& event) {
      Cycle latest = 0;
      for (const Edge& edge : event.edges) latest = std::max(latest, edge.arrival);
      return event.edges.empty() || latest == event.cycle;
    });
  }

  /// Over all critical paths, each part by itself.
  PathRange range() {
    Cycle total = 0;
    for (const InstructionTiming& timing : timeline_.instructions) {
      total = std::max(total, timing.retired + 1);
    }
    std::optional<PathRange> range;
    for (std::size_t i = 0; i < program_.code.size(); ++i) {
      if (timeline_.instructions[i].retired + 1 == total) widen(range, range_of(done(i)));
    }
    return *range;
  }

 private:
  using Parts = std::vector<std::pair<PathPart, Cycle>>;
  struct Edge {
    std::optional<std::size_t> from;  // nullopt: cycle 0
    Parts parts;
    Cycle arrival = 0;
  };
  struct Event {
    Cycle cycle = 0;
    std::vector<Edge> edges;
    std::optional<PathRange> range;
  };
  struct ChannelUse {
    std::optional<std::size_t> before;  // the transfer before it on the channel
    Cycle free = 0;                     // the first cycle in which a part of the channel is free
    Cycle rest = 0;                     // 1 if the transfer takes a part of that cycle
  };

  // --- Events: three for each instruction, then the channels and the pushes ---

  std::size_t dispatched(std::size_t i) const { return 4 * i; }
  std::size_t started(std::size_t i) const { return 4 * i + 1; }
  std::size_t done(std::size_t i) const { return 4 * i + 2; }
  std::size_t channel_free(std::size_t i) const { return 4 * i + 3; }
  std::size_t pushed(std::size_t tile) const { return 4 * program_.code.size() + tile; }

  void set(std::size_t event, Cycle cycle) {
    if (events_.size() <= event) events_.resize(event + 1);
    events_[event].cycle = cycle;
  }
  void wait(std::size_t event, std::optional<std::size_t> from, Parts parts) {
    Cycle arrival = from ? events_.at(*from).cycle : 0;
    for (const auto& [part, length] : parts) arrival += length;
    events_.at(event).edges.push_back({from, std::move(parts), arrival});
  }

  // --- The rules ---

  std::size_t position(std::size_t i) const {
    const auto& queue = of_unit_[program_.code[i].unit()];
    return static_cast<std::size_t>(std::ranges::find(queue, i) - queue.begin());
  }
  std::optional<std::size_t> before_in_queue(std::size_t i, std::size_t back) const {
    const std::size_t at = position(i);
    if (at < back) return std::nullopt;
    return of_unit_[program_.code[i].unit()][at - back];
  }
  Cycle rows_of(std::size_t i) const {
    const Operation& operation = program_.code[i].operation;
    if (const auto* matmul = std::get_if<Matmul>(&operation)) return matmul->rows;
    if (const auto* vector = std::get_if<Vector>(&operation)) return vector->rows;
    return 0;
  }
  std::optional<TransferRequest> request(std::size_t i) const {
    return transfer_request(program_.code[i].operation, config_);
  }

  // The channel is busy for bytes * clock / rate cycles, as an exact fraction.
  void find_channel_times(const std::vector<std::uint64_t>& granted) {
    channel_.resize(program_.code.size());
    std::array<std::optional<std::size_t>, kChannelCount> last{};
    std::array<std::uint64_t, kChannelCount> fraction{};
    for (const std::uint64_t i : granted) {
      const Channel channel = *request(i)->channel;
      const auto c = static_cast<std::size_t>(channel);
      const std::uint64_t rate =
          channel == Channel::kMemory ? config_.memory_bytes_per_s : config_.host_bytes_per_s;
      const Cycle start = timeline_.instructions[i].started;
      if (!last[c] || start > channel_[*last[c]].free) fraction[c] = 0;
      const std::uint64_t busy = request(i)->bytes * config_.clock_hz + fraction[c];
      fraction[c] = busy % rate;
      channel_[i] = {last[c], start + static_cast<Cycle>(busy / rate), fraction[c] > 0 ? 1 : 0};
      last[c] = i;
    }
  }

  void add_instruction(std::size_t i) {
    const InstructionTiming& timing = timeline_.instructions[i];
    set(dispatched(i), timing.dispatched);
    set(started(i), timing.started);
    set(done(i), timing.retired + 1);
    set(channel_free(i), channel_[i].free);
  }

  void add_edges(std::size_t i) {
    const Instruction& instruction = program_.code[i];
    wait(dispatched(i), i == 0 ? std::nullopt : std::optional(dispatched(i - 1)),
         {{PathPart::kDispatch, i == 0 ? 0 : 1}});
    if (const auto holder = before_in_queue(i, config_.queue_depth)) {
      wait(dispatched(i), started(*holder), {{PathPart::kQueueFull, 1}});
    }
    wait(started(i), dispatched(i), {{PathPart::kDispatch, 1}});
    for (const Unit unit : kUnits) {
      const std::uint32_t count = instruction.after[unit];
      if (count > 0) wait(started(i), done(of_unit_[unit].at(count - 1)), {});
    }
    if (instruction.unit() == Unit::kMatmul) {
      add_unit(i, PathPart::kArray,
               {PathPart::kDrain, Cycle{config_.array_rows} + config_.array_cols - 1});
    } else if (instruction.unit() == Unit::kVector) {
      add_unit(i, PathPart::kVector,
               {PathPart::kVectorLatency, Cycle{config_.vector_latency_cycles} - 1});
    } else {
      add_transfer(i);
    }
  }

  void add_unit(std::size_t i, PathPart part, std::pair<PathPart, Cycle> drain) {
    if (const auto before = before_in_queue(i, 1)) {
      wait(started(i), started(*before), {{part, rows_of(*before)}});
    }
    wait(done(i), started(i), {{part, rows_of(i)}, drain});
  }

  void add_transfer(std::size_t i) {
    const Operation& operation = program_.code[i].operation;
    const auto before = before_in_queue(i, 1);
    if (before) wait(started(i), started(*before), {});
    const auto* load = std::get_if<Load>(&operation);
    const Cycle patches = load != nullptr && load->patches ? load->rows : 0;
    if (before) {
      wait(done(i), done(*before), {{PathPart::kPatchWrite, patches}});
    }
    if (!request(i)) return add_buffer_read(i);
    if (!request(i)->channel) {
      wait(done(i), started(i), {{PathPart::kMemory, 1}});
      if (patches > 0) wait(done(i), started(i), {{PathPart::kPatchWrite, patches}});
      return;
    }
    const bool memory = *request(i)->channel == Channel::kMemory;
    const PathPart bytes = memory ? PathPart::kMemory : PathPart::kHost;
    const PathPart waiting = memory ? PathPart::kMemoryLatency : PathPart::kHostLatency;
    const Cycle latency = memory ? config_.memory_latency_cycles : config_.host_latency_cycles;
    const ChannelUse& use = channel_[i];
    if (use.before) wait(started(i), channel_free(*use.before), {});
    wait(channel_free(i), started(i), {{bytes, use.free - timeline_.instructions[i].started}});
    wait(done(i), channel_free(i), {{bytes, use.rest}, {waiting, latency}});
    if (patches > 0) {
      wait(done(i), started(i), {{waiting, latency}, {PathPart::kPatchWrite, patches}});
    }
  }

  void add_buffer_read(std::size_t i) {
    const Cycle reads = buffer_read_cycles(program_.code[i].operation, config_);
    wait(done(i), started(i), {{PathPart::kBufferRead, reads}});
    for (std::size_t back = 1; const auto before = before_in_queue(i, back); ++back) {
      if (request(*before)) continue;
      const Cycle others = buffer_read_cycles(program_.code[*before].operation, config_);
      wait(started(i), started(*before), {{PathPart::kBufferRead, others}});
      return;
    }
  }

  void add_pushes() {
    for (std::size_t t = 0; t < timeline_.pushes.size(); ++t) set(pushed(t), timeline_.pushes[t]);
    for (std::size_t i = 0; i < program_.code.size(); ++i) add_edges(i);
    const Cycle rows = config_.array_rows;
    const Cycle cols = config_.array_cols;
    std::vector<std::size_t> takers;
    for (const std::size_t i : of_unit_[Unit::kMatmul]) {
      if (std::get<Matmul>(program_.code[i].operation).next_weights) takers.push_back(i);
    }
    for (std::size_t t = 0; t < timeline_.pushes.size(); ++t) {
      wait(pushed(t), done(of_unit_[Unit::kFetch].at(t)), {});
      if (t > 0) wait(pushed(t), pushed(t - 1), {{PathPart::kWeightShift, rows}});
      if (t > 0 && config_.double_buffer) wait(pushed(t), started(takers.at(t - 1)), {});
      if (t < takers.size()) wait(started(takers[t]), pushed(t), {{PathPart::kWeightShift, rows}});
      if (config_.double_buffer) continue;
      wait(pushed(t), dispatched(takers.at(t)), {{PathPart::kDispatch, 1}});
      if (const auto before = before_in_queue(takers[t], 1)) {
        wait(pushed(t), started(*before),
             {{PathPart::kArray, rows_of(*before)}, {PathPart::kDrain, rows + cols - 2}});
      }
    }
  }

  // --- Paths ---

  static void widen(std::optional<PathRange>& range, const PathRange& other) {
    if (!range) {
      range = other;
      return;
    }
    for (std::size_t p = 0; p < kPathParts; ++p) {
      range->least.cycles[p] = std::min(range->least.cycles[p], other.least.cycles[p]);
      range->most.cycles[p] = std::max(range->most.cycles[p], other.most.cycles[p]);
    }
  }

  PathRange range_of(std::size_t event) {
    if (events_[event].range) return *events_[event].range;
    std::optional<PathRange> range;
    for (const Edge& edge : std::vector<Edge>(events_[event].edges)) {
      if (edge.arrival != events_[event].cycle) continue;
      PathRange before = edge.from ? range_of(*edge.from) : PathRange{};
      for (const auto& [part, length] : edge.parts) {
        before.least[part] += length;
        before.most[part] += length;
      }
      widen(range, before);
    }
    events_[event].range = range.value_or(PathRange{});
    return *events_[event].range;
  }

  const MachineConfig& config_;
  const Program& program_;
  const Timeline& timeline_;
  PerUnit<std::vector<std::size_t>> of_unit_;
  std::vector<ChannelUse> channel_;
  std::vector<Event> events_;
};

}  // namespace weft::testing
