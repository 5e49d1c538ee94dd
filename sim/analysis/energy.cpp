#include "sim/analysis/energy.h"

#include "base/error.h"

namespace weft {
namespace {

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) {
    throw SimulationError(
        "the run has more than 2^64 events of one kind, too many for an account of its energy; "
        "choose smaller sizes");
  }
  return result;
}

/// Registers of a triangle of chains with 0, 1, .. n-1 registers.
std::uint64_t triangle(std::uint64_t n) {
  return n * (n - 1) / 2;
}

double bits(ElementType type) {
  return 8.0 * element_bytes(type);
}

}  // namespace

std::array<std::uint64_t, kEnergyEvents.size()> energy_events(const EnergyCounts& counts,
                                                              const MachineConfig& config) {
  const EventCounts& events = counts.events;
  const std::uint64_t rows = config.array_rows;
  const std::uint64_t cols = config.array_cols;
  const std::uint64_t pes = rows * cols;
  const std::uint64_t macs = product(events.streamed_rows, pes);
  const std::uint64_t useful = counts.useful_macs.value_or(macs);
  if (useful > macs) throw SimulationError("the run has fewer MACs than useful ones");
  // Each row of a pushed tile passes the weight skew. Each of the R pushes is seen by every PE,
  // which takes one weight and hands the older one to the register that leads down.
  const std::uint64_t push_moves = rows * triangle(cols) + 2 * rows * pes;
  const auto active = static_cast<std::uint64_t>(counts.active_cycles);
  const auto idle = static_cast<std::uint64_t>(counts.cycles - counts.active_cycles);
  return {useful,
          macs - useful,
          product(events.streamed_rows, pes + triangle(rows)),
          product(events.streamed_rows, pes + triangle(cols)),
          product(events.pushes, push_moves) + product(events.swaps, pes),
          events.accumulator_reads,
          events.accumulator_writes,
          product(events.accumulated_rows, cols),
          events.buffer_reads,
          events.buffer_writes,
          product(events.pushes, rows),
          product(events.tiles, rows),
          events.vector_lanes,
          events.memory_bytes,
          events.host_bytes,
          active,
          idle};
}

std::array<double, kEnergyEvents.size()> event_energies(const MachineConfig& config,
                                                        const EnergyTable& table) {
  constexpr double kWordBits = 64;  // to which the memories' energies refer
  const double element = bits(config.dtype);
  const double sum = bits(accumulator_type(config.dtype));
  const double mac = table.mac(config.dtype);
  // Each column adds into a memory of its own.
  const double column_bytes = sum / 8 * config.accumulator_rows;
  const double accumulators = config.array_cols * sum / kWordBits * table.sram(column_bytes);
  const double buffer_bytes = 1024.0 * config.unified_buffer_kib;
  const double buffer = config.array_rows * element / kWordBits * table.sram(buffer_bytes);
  const double fifo_bytes = static_cast<double>(config.weight_fifo_tiles * config.tile_bytes());
  const double fifo = config.array_cols * element / kWordBits * table.sram(fifo_bytes);
  const double watts = static_cast<double>(config.static_milliwatts) / 1e3;
  const double static_pj = watts / static_cast<double>(config.clock_hz) * 1e12;
  return {mac,
          mac * table.padding,
          element * table.register_bit,
          sum * table.register_bit,
          element * table.register_bit,
          accumulators,
          accumulators,
          table.add(config.dtype),
          buffer,
          buffer,
          fifo,
          fifo,
          table.vector_lane,
          table.memory(config.memory_technology) * 8 / kWordBits,
          table.host_link * 8 / kWordBits,
          static_pj,
          static_pj};
}

double EnergyAccount::joules_of(std::size_t event) const {
  return static_cast<double>(counts[event]) * pj_each[event] * 1e-12;
}

double EnergyAccount::joules_of(EnergyUnit unit) const {
  double sum = 0;
  for (std::size_t i = 0; i < kEnergyEvents.size(); ++i) {
    if (kEnergyEvents[i].unit == unit) sum += joules_of(i);
  }
  return sum;
}

double EnergyAccount::joules() const {
  double sum = 0;
  for (std::size_t i = 0; i < kEnergyEvents.size(); ++i) sum += joules_of(i);
  return sum;
}

double EnergyAccount::chip_joules() const {
  return joules() - joules_of(EnergyUnit::kMemory) - joules_of(EnergyUnit::kHost);
}

EnergyAccount energy_account(const EnergyCounts& counts, const MachineConfig& config,
                             const EnergyTable& table) {
  return {energy_events(counts, config), event_energies(config, table)};
}

PeCells pe_cells(ElementType type) {
  if (type == ElementType::kBf16) return {3218, 98};
  if (type == ElementType::kFp16) return {3923, 98};
  return {707, 66};
}

std::optional<double> area_mm2(const MachineConfig& config, const EnergyTable& table) {
  if (!table.gate_um2 || !table.flip_flop_um2) return std::nullopt;
  const double pes = static_cast<double>(config.array_rows) * config.array_cols;
  const PeCells pe = pe_cells(config.dtype);
  const double element = bits(config.dtype);
  const double sum = bits(accumulator_type(config.dtype));
  const double skew = static_cast<double>(triangle(config.array_rows)) * element;
  const double column_skew = static_cast<double>(triangle(config.array_cols)) * (element + sum);
  const double flip_flops = pes * pe.flip_flops + skew + column_skew;
  return (pes * pe.gates * *table.gate_um2 + flip_flops * *table.flip_flop_um2) / 1e6;
}

}  // namespace weft
