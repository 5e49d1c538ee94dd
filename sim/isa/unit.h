// What is done, and who does it.
//
//   opcode   the kind of an operation: its encoding, its name in text, statistics by kind
//   unit     an instance in the machine, with its own queue and count of retired instructions:
//            `after`, dispatch, the order of accesses, the rows of a timeline
//
// kUnitTable relates the two. The machine has one unit for each opcode, and both have the same
// name. Two instructions of one opcode need not belong to one unit, so code that means the queue
// asks for the unit, and code that means the operation asks for the opcode.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft {

/// The opcodes. sim/isa/text/instruction_table.h has their names and operands.
enum class Opcode : std::uint8_t { kLoad, kFetch, kMatmul, kVector, kStore };
inline constexpr std::size_t kOpcodeCount = 5;

/// The units of the machine, each with its own in-order queue.
enum class Unit : std::uint8_t { kLoad, kFetch, kMatmul, kVector, kStore };

/// A unit, its name, and the opcode whose instructions it runs.
struct UnitEntry {
  Unit unit;
  std::string_view name;
  Opcode opcode;
};

/// The machine's units, in the order of Unit.
inline constexpr auto kUnitTable = std::to_array<UnitEntry>({
    {Unit::kLoad, "load", Opcode::kLoad},
    {Unit::kFetch, "fetch", Opcode::kFetch},
    {Unit::kMatmul, "matmul", Opcode::kMatmul},
    {Unit::kVector, "vector", Opcode::kVector},
    {Unit::kStore, "store", Opcode::kStore},
});
inline constexpr std::size_t kUnitCount = kUnitTable.size();

constexpr std::size_t index_of(Unit unit) {
  return static_cast<std::size_t>(unit);
}

static_assert(std::ranges::is_sorted(kUnitTable, {}, &UnitEntry::unit));

/// All units, for loops, in the order of Unit. It counts, because an array of them would be read
/// from memory in the innermost loops of the clock.
class UnitRange {
 public:
  class Iterator {
   public:
    constexpr explicit Iterator(std::size_t index) : index_(index) {}
    constexpr Unit operator*() const { return static_cast<Unit>(index_); }
    constexpr Iterator& operator++() {
      ++index_;
      return *this;
    }
    friend constexpr bool operator==(const Iterator&, const Iterator&) = default;

   private:
    std::size_t index_;
  };
  constexpr Iterator begin() const { return Iterator(0); }
  constexpr Iterator end() const { return Iterator(kUnitCount); }
};
inline constexpr UnitRange kUnits;

/// The opcode whose instructions the unit runs.
constexpr Opcode opcode_of(Unit unit) {
  return kUnitTable[index_of(unit)].opcode;
}

/// The unit's name, as `after` writes it.
constexpr std::string_view unit_name(Unit unit) {
  return kUnitTable[index_of(unit)].name;
}

/// The inverse of unit_name(). Returns nullopt for an unknown name.
constexpr std::optional<Unit> unit_from_name(std::string_view name) {
  const auto found = std::ranges::find(kUnitTable, name, &UnitEntry::name);
  return found == kUnitTable.end() ? std::nullopt : std::optional(found->unit);
}

/// A value for each unit.
template <class T>
struct PerUnit {
  std::array<T, kUnitCount> of{};

  constexpr T& operator[](Unit unit) { return of[index_of(unit)]; }
  constexpr const T& operator[](Unit unit) const { return of[index_of(unit)]; }
  constexpr auto begin() { return of.begin(); }
  constexpr auto end() { return of.end(); }
  constexpr auto begin() const { return of.begin(); }
  constexpr auto end() const { return of.end(); }
};

}  // namespace weft
