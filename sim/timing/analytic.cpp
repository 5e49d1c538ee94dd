#include "sim/timing/analytic.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "sim/timing/array_timing.h"
#include "sim/timing/channel_clock.h"
#include "sim/timing/stall_report.h"
#include "sim/timing/transfers.h"
#include "sim/timing/unit_streams.h"

namespace weft {
namespace {

// Solves the recurrences in any order in which their right-hand sides are known. Only a channel
// that several units share needs time order. It is granted when nothing else can be solved: every
// unit whose next transfer is still unknown then waits for a later cycle than this grant's.
class Recurrences {
 public:
  Recurrences(const MachineConfig& config, const Program& program)
      : config_(config), program_(program), streams_(program), array_(config) {
    timeline_.instructions.resize(program.code.size());
    timeline_.pushes.reserve(streams_.tile_takers.size());
    swaps_.reserve(streams_.tile_takers.size());
    for (std::size_t c = 0; c < kChannelCount; ++c) {
      clocks_.emplace_back(config.clock_hz, bytes_per_second(static_cast<Channel>(c), config));
    }
  }

  Timeline solve() {
    while (progress_.dispatched < program_.code.size() || started_ < program_.code.size()) {
      while (settle()) {
      }
      if (started_ < program_.code.size() && !grant()) {
        throw DeadlockError(stall_report(config_, program_, streams_, progress_, timeline_));
      }
    }
    while (push_tile()) {
    }
    return std::move(timeline_);
  }

 private:
  // Makes one pass over the steps that need no arbitration. Returns true if anything moved.
  bool settle() {
    bool moved = false;
    while (dispatch()) moved = true;
    for (const Unit unit : {Unit::kLoad, Unit::kFetch, Unit::kStore}) {
      while (!arbitrated(unit) && start_transfer(unit)) moved = true;
    }
    while (push_tile()) moved = true;
    while (start_matmul()) moved = true;
    while (start_vector()) moved = true;
    return moved;
  }

  std::uint32_t& started(Unit unit) { return progress_.started[static_cast<std::size_t>(unit)]; }
  InstructionTiming& timing(Unit unit, std::uint32_t position) {
    return timeline_.instructions[streams_[unit][position]];
  }

  // A slot is free from the cycle after the start of the instruction that held it.
  bool dispatch() {
    if (progress_.dispatched == program_.code.size()) return false;
    const Unit unit = program_.code[progress_.dispatched].unit();
    std::uint32_t& position = dispatched_[static_cast<std::size_t>(unit)];
    Cycle cycle = last_dispatch_ + 1;
    if (position >= config_.queue_depth) {
      const std::uint32_t holder = position - config_.queue_depth;
      if (holder >= started(unit)) return false;
      cycle = std::max(cycle, timing(unit, holder).started + 1);
    }
    timeline_.instructions[progress_.dispatched].dispatched = cycle;
    last_dispatch_ = cycle;
    ++position;
    ++progress_.dispatched;
    return true;
  }

  // The first cycle in which dispatch and `after` let the unit's head start; nullopt if unknown.
  std::optional<Cycle> ready(Unit unit) {
    const std::uint32_t position = started(unit);
    if (position >= dispatched_[static_cast<std::size_t>(unit)]) return std::nullopt;
    const std::uint32_t index = streams_[unit][position];
    Cycle cycle = timeline_.instructions[index].dispatched + 1;
    const After& after = program_.code[index].after;
    for (std::size_t u = 0; u < kUnitCount; ++u) {
      if (after.count[u] == 0) continue;
      if (after.count[u] > progress_.started[u]) return std::nullopt;
      cycle = std::max(cycle, timing(static_cast<Unit>(u), after.count[u] - 1).retired + 1);
    }
    return cycle;
  }

  void record(Unit unit, Cycle start, Cycle retired) {
    InstructionTiming& entry = timing(unit, started(unit));
    entry.started = start;
    entry.retired = checked(retired);
    ++started(unit);
    ++started_;
  }

  // --- load, fetch, store ---

  const Operation& head(Unit unit) {
    return program_.code[streams_[unit][started(unit)]].operation;
  }
  bool has_head(Unit unit) { return started(unit) < dispatched_[static_cast<std::size_t>(unit)]; }

  // Whether the unit has a head and its head needs a channel that other units share.
  bool arbitrated(Unit unit) {
    const auto channel = channel_of(unit, config_.memory_kind);
    if (!channel || !has_head(unit)) return false;
    if (unit != Unit::kFetch) return true;
    return config_.memory_kind == MemoryKind::kShared &&
           buffer_read_cycles(head(unit), config_) == 0;
  }

  // A unit starts transfers in order: no earlier than its previous start.
  std::optional<Cycle> transfer_ready(Unit unit) {
    const auto cycle = ready(unit);
    if (!cycle || started(unit) == 0) return cycle;
    return std::max(*cycle, timing(unit, started(unit) - 1).started);
  }

  bool start_transfer(Unit unit) {
    const auto cycle = transfer_ready(unit);
    if (!cycle) return false;
    const Cycle reads = buffer_read_cycles(head(unit), config_);
    const auto channel = channel_of(unit, config_.memory_kind);
    if (reads > 0) {
      read_buffer(*cycle, reads);
    } else if (!channel) {
      record_transfer(unit, *cycle, *cycle);
    } else {
      ChannelClock& clock = clocks_[static_cast<std::size_t>(*channel)];
      const Cycle start = std::max(*cycle, clock.free_cycle());
      const Cycle last_byte = clock.occupy(*cycle, transfer_bytes(head(unit), config_));
      record_transfer(unit, start, last_byte + latency_cycles(*channel, config_));
    }
    return true;
  }

  // The port is free when the previous fetch from the buffer has read its last row.
  void read_buffer(Cycle ready, Cycle reads) {
    const Cycle start = std::max(ready, buffer_port_free_);
    buffer_port_free_ = start + reads;
    record_transfer(Unit::kFetch, start, start + reads - 1);
  }

  // Transfers arrive in order: a tile from memory waits for one that is still read from the buffer.
  void record_transfer(Unit unit, Cycle start, Cycle arrived) {
    const bool first = started(unit) == 0;
    record(unit, start,
           first ? arrived : std::max(arrived, timing(unit, started(unit) - 1).retired));
  }

  // Gives the shared channel to the oldest transfer that waits when the channel becomes free.
  bool grant() {
    Cycle first_ready = kMaxCycle;
    for (const Unit unit : {Unit::kLoad, Unit::kFetch, Unit::kStore}) {
      if (!arbitrated(unit)) continue;
      if (const auto cycle = transfer_ready(unit)) first_ready = std::min(first_ready, *cycle);
    }
    if (first_ready == kMaxCycle) return false;
    const Channel channel = *channel_of(Unit::kLoad, config_.memory_kind);
    const Cycle free = clocks_[static_cast<std::size_t>(channel)].free_cycle();
    return start_transfer(oldest_ready_by(std::max(first_ready, free)));
  }

  Unit oldest_ready_by(Cycle cycle) {
    Unit oldest = Unit::kLoad;
    auto oldest_index = static_cast<std::uint32_t>(program_.code.size());
    for (const Unit unit : {Unit::kLoad, Unit::kFetch, Unit::kStore}) {
      if (!arbitrated(unit)) continue;
      const auto ready_cycle = transfer_ready(unit);
      if (!ready_cycle || *ready_cycle > cycle) continue;
      const std::uint32_t index = streams_[unit][started(unit)];
      if (index < oldest_index) {
        oldest_index = index;
        oldest = unit;
      }
    }
    return oldest;
  }

  // --- matmul ---

  const Matmul& matmul(std::uint32_t position) const {
    return std::get<Matmul>(program_.code[streams_[Unit::kMatmul][position]].operation);
  }

  // The recurrence for W, a tile's first push.
  bool push_tile() {
    const auto tile = static_cast<std::uint32_t>(timeline_.pushes.size());
    if (tile >= started(Unit::kFetch)) return false;
    Cycle cycle = timing(Unit::kFetch, tile).retired + 1;
    if (tile > 0) cycle = std::max(cycle, timeline_.pushes.back() + array_.push());
    const auto free = config_.double_buffer ? shadow_free(tile) : array_free(tile);
    if (!free) return false;
    timeline_.pushes.push_back(std::max(cycle, *free));
    ++progress_.tiles_pushed;
    return true;
  }

  // Double-buffered: the cycle in which the swap of the previous tile has passed PE(0,0).
  std::optional<Cycle> shadow_free(std::uint32_t tile) const {
    if (tile == 0) return 0;
    if (swaps_.size() < tile) return std::nullopt;
    return swaps_[tile - 1];
  }

  // Not double-buffered: the cycle in which the array is empty and the matmul that takes the tile
  // is the head of its queue.
  std::optional<Cycle> array_free(std::uint32_t tile) {
    if (tile >= streams_.tile_takers.size()) return std::nullopt;
    const std::uint32_t taker = streams_.tile_takers[tile];
    const bool heads_queue = started(Unit::kMatmul) == taker &&
                             dispatched_[static_cast<std::size_t>(Unit::kMatmul)] > taker;
    if (!heads_queue) return std::nullopt;
    Cycle cycle = timing(Unit::kMatmul, taker).dispatched + 1;
    if (taker > 0) {
      const Cycle previous = timing(Unit::kMatmul, taker - 1).started;
      cycle = std::max(cycle, array_.empty(previous, matmul(taker - 1).rows));
    }
    return cycle;
  }

  // The recurrence for A, the cycle in which a matmul's first row enters.
  bool start_matmul() {
    auto cycle = ready(Unit::kMatmul);
    if (!cycle) return false;
    const std::uint32_t position = started(Unit::kMatmul);
    const Matmul& head = matmul(position);
    if (head.next_weights) {
      if (timeline_.pushes.size() <= swaps_.size()) return false;
      cycle = std::max(*cycle, timeline_.pushes[swaps_.size()] + array_.push());
    }
    if (position > 0) {
      const Cycle previous = timing(Unit::kMatmul, position - 1).started;
      cycle = std::max(*cycle, previous + Cycle{matmul(position - 1).rows});
    }
    if (head.next_weights) swaps_.push_back(*cycle);
    record(Unit::kMatmul, *cycle, array_.retire(*cycle, head.rows));
    return true;
  }

  // --- vector ---

  bool start_vector() {
    auto cycle = ready(Unit::kVector);
    if (!cycle) return false;
    const auto& stream = streams_[Unit::kVector];
    const std::uint32_t position = started(Unit::kVector);
    const auto rows = [&](std::uint32_t i) {
      return Cycle{std::get<Vector>(program_.code[stream[i]].operation).rows};
    };
    if (position > 0) {
      cycle = std::max(*cycle, timing(Unit::kVector, position - 1).started + rows(position - 1));
    }
    record(Unit::kVector, *cycle, vector_retire(*cycle, rows(position), config_));
    return true;
  }

  const MachineConfig& config_;
  const Program& program_;
  const UnitStreams streams_;
  const ArrayTiming array_;
  Timeline timeline_;
  RunProgress progress_;
  std::size_t started_ = 0;
  std::array<std::uint32_t, kUnitCount> dispatched_{};
  Cycle last_dispatch_ = -1;
  Cycle buffer_port_free_ = 0;
  std::vector<Cycle> swaps_;  // A of the matmul that swapped in each tile
  std::vector<ChannelClock> clocks_;
};

}  // namespace

Timeline analytic_timeline(const MachineConfig& config, const Program& program) {
  return Recurrences(config, program).solve();
}

}  // namespace weft
