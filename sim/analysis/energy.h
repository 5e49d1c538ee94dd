// Energy: the events of a run times what each costs, plus static power times time. docs/energy.md
// says what is counted and what is not.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/analysis/events.h"
#include "sim/analysis/result.h"
#include "sim/config/energy_table.h"
#include "sim/config/machine_config.h"

namespace weft {

enum class EnergyUnit : std::uint8_t {
  kArray,
  kAccumulators,
  kBuffer,
  kFifo,
  kVector,
  kMemory,
  kHost,
  kStatic,
};
inline constexpr std::size_t kEnergyUnits = 8;

/// The units of the chip itself: all but the memory outside and the host link.
constexpr bool on_chip(EnergyUnit unit) {
  return unit != EnergyUnit::kMemory && unit != EnergyUnit::kHost;
}

enum class EnergyEvent : std::uint8_t {
  kUsefulMac,
  kPaddedMac,
  kActivationMove,  // an activation enters a register, of a PE or of the skew
  kSumMove,         // a partial sum, of a PE or of the deskew
  kWeightMove,      // a weight
  kAccumulatorRead,
  kAccumulatorWrite,
  kAccumulatorAdd,
  kBufferRead,
  kBufferWrite,
  kFifoRead,
  kFifoWrite,
  kVectorLane,
  kMemoryByte,
  kHostByte,
  kActiveCycle,  // static energy while rows enter the array, and in all other cycles
  kIdleCycle,
};

struct EnergyEventEntry {
  EnergyEvent event;
  EnergyUnit unit;
  std::string_view key;   // in JSON
  std::string_view name;  // in text
};

inline constexpr std::array<std::string_view, kEnergyUnits> kEnergyUnitKeys = {
    "array", "accumulators", "buffer", "fifo", "vector", "memory", "host", "static"};
inline constexpr std::array<std::string_view, kEnergyUnits> kEnergyUnitNames = {
    "array",       "accumulators", "unified buffer", "weight FIFO",
    "vector unit", "memory",       "host link",      "static"};

inline constexpr std::array<EnergyEventEntry, 17> kEnergyEvents = {{
    {EnergyEvent::kUsefulMac, EnergyUnit::kArray, "useful_macs", "useful MACs"},
    {EnergyEvent::kPaddedMac, EnergyUnit::kArray, "padded_macs", "MACs with padding"},
    {EnergyEvent::kActivationMove, EnergyUnit::kArray, "activation_moves", "activation moves"},
    {EnergyEvent::kSumMove, EnergyUnit::kArray, "sum_moves", "sum moves"},
    {EnergyEvent::kWeightMove, EnergyUnit::kArray, "weight_moves", "weight moves"},
    {EnergyEvent::kAccumulatorRead, EnergyUnit::kAccumulators, "accumulator_reads", "rows read"},
    {EnergyEvent::kAccumulatorWrite, EnergyUnit::kAccumulators, "accumulator_writes",
     "rows written"},
    {EnergyEvent::kAccumulatorAdd, EnergyUnit::kAccumulators, "accumulator_adds", "sums added"},
    {EnergyEvent::kBufferRead, EnergyUnit::kBuffer, "buffer_reads", "rows read"},
    {EnergyEvent::kBufferWrite, EnergyUnit::kBuffer, "buffer_writes", "rows written"},
    {EnergyEvent::kFifoRead, EnergyUnit::kFifo, "fifo_reads", "rows read"},
    {EnergyEvent::kFifoWrite, EnergyUnit::kFifo, "fifo_writes", "rows written"},
    {EnergyEvent::kVectorLane, EnergyUnit::kVector, "vector_lanes", "lanes"},
    {EnergyEvent::kMemoryByte, EnergyUnit::kMemory, "memory_bytes", "bytes"},
    {EnergyEvent::kHostByte, EnergyUnit::kHost, "host_bytes", "bytes"},
    {EnergyEvent::kActiveCycle, EnergyUnit::kStatic, "active_cycles", "active cycles"},
    {EnergyEvent::kIdleCycle, EnergyUnit::kStatic, "idle_cycles", "other cycles"},
}};

/// The counts of a run, or of a part of it, from which its energy follows.
struct EnergyCounts {
  EventCounts events = {};
  /// Multiply-accumulates of the array that are no padding; nullopt if the program does not say
  /// what it computes: then all count as useful.
  std::optional<std::uint64_t> useful_macs = {};
  Cycle cycles = 0;
  Cycle active_cycles = 0;  // in which a row enters the array
};

/// How often each event of kEnergyEvents happened, in that order. Throws SimulationError for more
/// than 2^64 - 1 events of one kind, or fewer MACs than useful ones.
std::array<std::uint64_t, kEnergyEvents.size()> energy_events(const EnergyCounts& counts,
                                                              const MachineConfig& config);

/// What one event of each kind costs, in picojoules, in the order of kEnergyEvents.
std::array<double, kEnergyEvents.size()> event_energies(const MachineConfig& config,
                                                        const EnergyTable& table);

/// An energy account: what every event took.
struct EnergyAccount {
  std::array<std::uint64_t, kEnergyEvents.size()> counts{};  // in the order of kEnergyEvents
  std::array<double, kEnergyEvents.size()> pj_each{};

  double joules_of(std::size_t event) const;
  double joules_of(EnergyUnit unit) const;
  /// Dynamic and static energy.
  double joules() const;
  double static_joules() const { return joules_of(EnergyUnit::kStatic); }
  /// Without the memory outside and the host link: what a power meter at the chip would see.
  double chip_joules() const;
};

EnergyAccount energy_account(const EnergyCounts& counts, const MachineConfig& config,
                             const EnergyTable& table);

/// Square millimeters of the cells of the array: R x C PEs, their skew and deskew registers. The
/// gates and flip-flops of a PE are those that Yosys counts (docs/rtl.md, "Synthesis"); memories,
/// vector unit and control have no synthesis table and are left out. Nullopt if the table has no
/// area of gates and flip-flops.
std::optional<double> area_mm2(const MachineConfig& config, const EnergyTable& table);

/// Gates and flip-flops of one PE.
struct PeCells {
  std::uint32_t gates = 0;
  std::uint32_t flip_flops = 0;
};
PeCells pe_cells(ElementType type);

}  // namespace weft
