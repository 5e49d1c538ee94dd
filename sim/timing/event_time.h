// The times with which the clock computes. A clock without paths computes with bare cycles; one
// with paths also remembers for each event by which of its predecessors it was reached. The
// recurrences are written once, over either kind.
//
//   candidate   "`length` cycles after that event, spent on this part"
//   latest()    the later of two candidates; of two equal ones the first
//   reach()     the event of a candidate that has been chosen
#pragma once

#include <cstdint>
#include <utility>

#include "sim/timing/critical_path.h"
#include "sim/timing/path_recorder.h"
#include "sim/timing/timeline.h"

namespace weft {

/// Times without paths.
class PlainTimes {
 public:
  static constexpr bool kWithPaths = false;
  struct Time {
    Cycle cycle = 0;
  };
  using Candidate = Time;

  static Candidate after(Time from, Cycle length, PathPart) { return {from.cycle + length}; }
  static Candidate until(Time, Cycle cycle, PathPart) { return {cycle}; }
  static Time reach(Candidate chosen, std::uint32_t) { return chosen; }
  static std::uint32_t group() { return 0; }
  static void tile_accepted() {}
  static std::uint32_t tile_pushed() { return 0; }
};

/// Times with their paths, which a PathRecorder keeps.
class PathTimes {
 public:
  static constexpr bool kWithPaths = true;
  struct Time {
    Cycle cycle = 0;
    PathRecorder::Node node = PathRecorder::kStart;
  };
  struct Candidate {
    Cycle cycle = 0;
    PathRecorder::Node from = PathRecorder::kStart;
    PathPart part = {};
    Cycle length = 0;

    Candidate() = default;
    /// 0 cycles after the event.
    explicit Candidate(Time time) : cycle(time.cycle), from(time.node) {}
  };

  explicit PathTimes(PathRecorder& recorder) : recorder_(recorder) {}

  Candidate after(Time from, Cycle length, PathPart part) const {
    return until(from, from.cycle + recorder_.scaled(length, part), part);
  }
  /// The cycle in which an event that began at `from` is over, whatever the hook of scaled() says.
  static Candidate until(Time from, Cycle cycle, PathPart part) {
    Candidate candidate(from);
    candidate.cycle = cycle;
    candidate.part = part;
    candidate.length = cycle - from.cycle;
    return candidate;
  }
  /// `group` is whose the cycles are, such as a layer.
  Time reach(const Candidate& chosen, std::uint32_t group) {
    return {chosen.cycle, recorder_.add(chosen.from, chosen.part, chosen.length, group)};
  }
  std::uint32_t group() const { return recorder_.group(); }
  void tile_accepted() { recorder_.tile_accepted(); }
  std::uint32_t tile_pushed() { return recorder_.tile_pushed(); }
  PathRecorder& recorder() { return recorder_; }

 private:
  PathRecorder& recorder_;
};

/// The later of two; of two equal ones `first`. As a branch, because most are taken the same way.
template <class Candidate>
Candidate latest(Candidate first, const Candidate& second) {
  if (second.cycle > first.cycle) first = second;
  return first;
}

}  // namespace weft
