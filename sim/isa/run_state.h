// The state of a run in progress, number by number, so that two moments can be compared and the
// state can be moved ahead. Every part of the run shows its numbers to a visitor, always in the
// same order. A number is one of these:
//
//   equal    must not change, such as the rows of a waiting instruction
//   moving   a cycle, a position in the program, or a count of a unit's instructions
//   total    only grows and decides nothing, such as the cycles of a ledger class
//   path     the event behind a cycle, for the critical path; decides nothing either
//
// If a loop of the program begins twice in the same state, except that every moving number has
// moved by the same distance as the clock that it belongs to, then both passes of the loop do the
// same, that much later. A moving number may also stay where it is if nothing in the loop can ask
// for it any more: then it is settled.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/isa/instruction.h"

namespace weft {

class PathRecorder;

class StateVisitor {
 public:
  /// What a moving number counts. From kFirstUnit on: instructions of a unit.
  enum class Scale : std::uint8_t { kCycle, kProgram, kFirstUnit };
  static constexpr std::size_t kScales = 2 + kUnitCount;
  static constexpr Scale of_unit(Unit unit) {
    return static_cast<Scale>(static_cast<std::size_t>(Scale::kFirstUnit) + index_of(unit));
  }
  /// The units whose instructions cannot ask for a number any more, as a bit for each.
  using Units = std::uint8_t;
  static constexpr Units kNoUnit = 0;
  static constexpr Units bit_of(Unit unit) { return static_cast<Units>(1U << index_of(unit)); }
  static constexpr Units kAllUnits = (1U << kUnitCount) - 1;

  StateVisitor() = default;
  StateVisitor(const StateVisitor&) = delete;
  StateVisitor& operator=(const StateVisitor&) = delete;
  virtual ~StateVisitor() = default;

  template <class T>
  void equal(T& value) {
    change(value, Kind::kEqual, Scale::kCycle, kNoUnit);
  }
  template <class T>
  void total(T& value) {
    change(value, Kind::kTotal, Scale::kCycle, kNoUnit);
  }
  /// The number that shows how far a scale has moved. It is visited before the others.
  template <class T>
  void origin(Scale scale, T& value) {
    change(value, Kind::kOrigin, scale, kNoUnit);
  }
  template <class T>
  void moving(Scale scale, T& value, Units settled = kNoUnit) {
    change(value, Kind::kMoving, scale, settled);
  }
  template <class T>
  void cycle(T& value, bool settled = false) {
    moving(Scale::kCycle, value, settled ? kAllUnits : kNoUnit);
  }
  /// The recorder's node of an event. If it is settled, no path of a later event leads to it.
  virtual void path(PathRecorder& /*recorder*/, std::uint32_t& /*node*/, bool /*settled*/) {}

 protected:
  enum class Kind : std::uint8_t { kEqual, kTotal, kOrigin, kMoving };

 private:
  /// Takes a number and returns its new value.
  virtual std::int64_t visit(std::int64_t value, Kind kind, Scale scale, Units settled) = 0;

  template <class T>
  void change(T& value, Kind kind, Scale scale, Units settled) {
    value = static_cast<T>(visit(static_cast<std::int64_t>(value), kind, scale, settled));
  }
};

}  // namespace weft
