// The transfers of BasicClock: load, fetch and store. Only sim/timing/analytic_clock.cpp includes
// it.
#pragma once

#include <algorithm>

#include "sim/timing/analytic_clock.h"

namespace weft {

inline constexpr std::array<Unit, 3> kTransferUnits = {Unit::kLoad, Unit::kFetch, Unit::kStore};

/// What bytes and the latency after them count as.
inline PathPart bytes_part(Channel channel) {
  return channel == Channel::kMemory ? PathPart::kMemory : PathPart::kHost;
}
inline PathPart latency_part(Channel channel) {
  return channel == Channel::kMemory ? PathPart::kMemoryLatency : PathPart::kHostLatency;
}

// Whether the unit has a head and its head needs a channel that other units share.
template <class Times>
bool BasicClock<Times>::arbitrated(Unit unit) const {
  if (!shared_ || queues_[unit].waiting.empty()) return false;
  const auto& request = queues_[unit].waiting.front().request;
  return request && request->channel == shared_;
}

// A unit starts transfers in order: no earlier than its previous start.
template <class Times>
std::optional<typename BasicClock<Times>::Candidate> BasicClock<Times>::transfer_ready(
    Unit unit) const {
  const auto cycle = ready(unit);
  if (!cycle) return cycle;
  return latest(*cycle, Candidate(queues_[unit].free));
}

template <class Times>
bool BasicClock<Times>::start_transfer(Unit unit) {
  const auto ready = transfer_ready(unit);
  if (!ready) return false;
  const WaitingInstruction& head = queues_[unit].waiting.front();
  if (!head.request) {
    read_buffer(*ready);
  } else if (head.request->channel) {
    use_channel(unit, *ready, *head.request->channel);
  } else {
    const Time start = times_.reach(*ready, head.group);
    record_transfer(unit, start, start, times_.after(start, 1, PathPart::kMemory));
  }
  return true;
}

template <class Times>
void BasicClock<Times>::use_channel(Unit unit, const Candidate& ready, Channel channel) {
  const WaitingInstruction& head = queues_[unit].waiting.front();
  const std::uint32_t group = head.group;
  const Cycle latency = latency_cycles(channel, config_);
  Time& free = channel_free_[static_cast<std::size_t>(channel)];
  const Time start = times_.reach(latest(Candidate(free), ready), group);
  const Cycle last_byte = clock_of(channel).occupy(ready.cycle, *head.request);
  const PathPart bytes = bytes_part(channel);
  free = times_.reach(times_.until(start, clock_of(channel).free_cycle(), bytes), group);
  // The last byte may take a part of a cycle in which the channel is free for the next transfer.
  const Time moved = times_.reach(times_.until(free, last_byte + 1, bytes), group);
  const PathPart waiting = latency_part(channel);
  record_transfer(unit, start, head.writes > 0 ? reach(start, latency, waiting, group) : start,
                  times_.after(moved, latency, waiting));
}

// The port is free when the previous fetch from the buffer has read its last row.
template <class Times>
void BasicClock<Times>::read_buffer(const Candidate& ready) {
  const WaitingInstruction& head = queues_[Unit::kFetch].waiting.front();
  const Time start = times_.reach(latest(Candidate(buffer_port_free_), ready), head.group);
  buffer_port_free_ = reach(start, head.reads, PathPart::kBufferRead, head.group);
  record_transfer(Unit::kFetch, start, start, Candidate(buffer_port_free_));
}

// Transfers arrive in order: a tile from memory waits for one that is still read from the buffer.
// A load of patches writes one row a cycle, none before the first byte and after the load before
// it, and the last one no earlier than the last byte.
template <class Times>
void BasicClock<Times>::record_transfer(Unit unit, Time start, Time first_byte, Candidate arrived) {
  const UnitQueue& own = queues_[unit];
  const WaitingInstruction& head = own.waiting.front();
  Candidate done = latest(arrived, Candidate(own.last_done));
  if (head.writes > 0) {
    const Time from = latest(first_byte, own.last_done);
    done = latest(arrived, times_.after(from, head.writes, PathPart::kPatchWrite));
  }
  record(unit, start, start, done);
}

// Gives the shared channel to the oldest transfer that waits when the channel becomes free.
template <class Times>
bool BasicClock<Times>::grant() {
  Cycle first_ready = kMaxCycle;
  for (const Unit unit : kTransferUnits) {
    if (!arbitrated(unit)) continue;
    if (const auto ready = transfer_ready(unit)) first_ready = std::min(first_ready, ready->cycle);
  }
  if (first_ready == kMaxCycle) return false;
  const Cycle free = clock_of(*shared_).free_cycle();
  return start_transfer(oldest_ready_by(std::max(first_ready, free)));
}

template <class Times>
Unit BasicClock<Times>::oldest_ready_by(Cycle cycle) const {
  Unit oldest = Unit::kLoad;
  std::uint64_t oldest_index = dispatched_;
  for (const Unit unit : kTransferUnits) {
    if (!arbitrated(unit)) continue;
    const auto ready = transfer_ready(unit);
    if (!ready || ready->cycle > cycle) continue;
    const std::uint64_t index = queues_[unit].waiting.front().index;
    if (index < oldest_index) {
      oldest_index = index;
      oldest = unit;
    }
  }
  return oldest;
}

}  // namespace weft
