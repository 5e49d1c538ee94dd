#include "sim/trace/datapath_vcd.h"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <ostream>

#include "base/decimal.h"
#include "base/error.h"

namespace weft {
namespace {

using Scope = VcdWriter::Scope;
using Kind = VcdWriter::Kind;

constexpr std::uint32_t kCycleUnits = 10;  // time units of one cycle
constexpr std::uint32_t kClockHighUnits = kCycleUnits / 2;
constexpr std::uint32_t kPsumWidth = 32;
constexpr std::uint32_t kRowWidth = 32;  // bits of an accumulator row's number, for any depth
constexpr std::uint32_t kCycleWidth = 64;
constexpr std::uint64_t kSignalsOfPe = 7;
constexpr std::uint64_t kSignalsOfTop = 9;  // without lanes and PEs
// Viewers keep times as signed 64-bit numbers.
constexpr Cycle kLastCycle = std::numeric_limits<Cycle>::max() / kCycleUnits - 1;

template <class Arithmetic>
constexpr std::uint32_t kElementWidth = 8 * element_bytes(Arithmetic::kType);

std::uint64_t start_of(Cycle cycle) {
  return static_cast<std::uint64_t>(cycle) * kCycleUnits;
}

/// The comment of the dump. Throws InputError if there are too many signals.
template <class Arithmetic>
std::string described(std::uint64_t rows, std::uint64_t cols, std::uint64_t clock_hz,
                      std::uint64_t tops) {
  constexpr std::uint64_t kMaxSide = 1U << 16;  // products below stay far within 64 bits
  const bool small = rows <= kMaxSide && cols <= kMaxSide && tops <= kMaxSide;
  if (!small || tops * (rows * cols * kSignalsOfPe + rows + 2 * cols + kSignalsOfTop) >=
                    kMaxWaveformSignals) {
    throw InputError(
        fmt::format("waveform: an array of {} x {} PEs has too many signals; "
                    "record a smaller one",
                    rows, cols));
  }
  return fmt::format(
      "Matrix multiplication datapath, {} x {} PEs, {}.\n"
      "{} ns here are one cycle of the {} MHz clock. x: nothing uses the value in this cycle.",
      rows, cols, to_string(Arithmetic::kType), kCycleUnits, print_decimal(clock_hz, 6));
}

template <class Arithmetic>
std::uint64_t bits_of(typename Arithmetic::Element element) {
  return Arithmetic::to_bits(Arithmetic::widen(element));
}

template <class Psum>
std::uint64_t psum_bits(Psum psum) {
  return std::bit_cast<std::uint32_t>(psum);
}

}  // namespace

// --- Header --------------------------------------------------------------------------------------

template <class Arithmetic>
DatapathVcd<Arithmetic>::DatapathVcd(std::ostream& out, std::uint32_t rows, std::uint32_t cols,
                                     std::uint64_t clock_hz,
                                     const std::vector<std::string>& top_scopes)
    : vcd_(out, described<Arithmetic>(rows, cols, clock_hz, top_scopes.size())),
      rows_(rows),
      cols_(cols) {
  for (const std::string& name : top_scopes) declare_top(name);
}

template <class Arithmetic>
void DatapathVcd<Arithmetic>::declare_top(const std::string& name) {
  Top& top = tops_.emplace_back();
  vcd_.open_scope(Scope::kModule, name);
  declare_ports(top);
  vcd_.open_scope(Scope::kModule, "u_mxu");
  for (std::uint32_t r = 0; r < rows_; ++r) {
    vcd_.open_scope(Scope::kGenerate, fmt::format("gen_row[{}]", r));
    for (std::uint32_t c = 0; c < cols_; ++c) {
      vcd_.open_scope(Scope::kGenerate, fmt::format("gen_col[{}]", c));
      declare_pe(top);
      vcd_.close_scope();
    }
    vcd_.close_scope();
  }
  vcd_.close_scope();
  vcd_.close_scope();
}

template <class Arithmetic>
void DatapathVcd<Arithmetic>::declare_ports(Top& top) {
  constexpr std::uint32_t kElement = kElementWidth<Arithmetic>;
  top.cycle = vcd_.add_signal(Kind::kInteger, "cycle", kCycleWidth);
  top.clk = vcd_.add_signal(Kind::kWire, "clk_i", 1);
  top.valid = vcd_.add_signal(Kind::kWire, "valid_i", 1);
  top.act = declare_lanes("act_i", rows_, kElement);
  top.swap = vcd_.add_signal(Kind::kWire, "swap_i", 1);
  top.row = vcd_.add_signal(Kind::kWire, "row_i", kRowWidth);
  top.accumulate = vcd_.add_signal(Kind::kWire, "accumulate_i", 1);
  top.push = vcd_.add_signal(Kind::kWire, "push_i", 1);
  top.weight = declare_lanes("weight_i", cols_, kElement);
  top.write = vcd_.add_signal(Kind::kWire, "write_o", 1);
  top.write_row = vcd_.add_signal(Kind::kWire, "write_row_o", kRowWidth);
  top.write_data = declare_lanes("write_data_o", cols_, kPsumWidth);
}

template <class Arithmetic>
auto DatapathVcd<Arithmetic>::declare_lanes(std::string_view name, std::uint32_t lanes,
                                            std::uint32_t width) -> std::vector<Signal> {
  std::vector<Signal> signals;
  for (std::uint32_t i = 0; i < lanes; ++i) {
    signals.push_back(vcd_.add_signal(Kind::kWire, fmt::format("{}_{}", name, i), width));
  }
  return signals;
}

template <class Arithmetic>
void DatapathVcd<Arithmetic>::declare_pe(Top& top) {
  constexpr std::uint32_t kElement = kElementWidth<Arithmetic>;
  vcd_.open_scope(Scope::kGenerate, "gen_pe");
  vcd_.open_scope(Scope::kModule, "u_pe");
  vcd_.open_scope(Scope::kModule, "u_registers");
  PeSignals& pe = top.pes.emplace_back();
  pe.act = vcd_.add_signal(Kind::kReg, "act_q", kElement);
  pe.swap = vcd_.add_signal(Kind::kReg, "swap_q", 1);
  pe.push = vcd_.add_signal(Kind::kReg, "push_q", 1);
  pe.weight_active = vcd_.add_signal(Kind::kReg, "weight_active_q", kElement);
  pe.weight_shadow = vcd_.add_signal(Kind::kReg, "weight_shadow_q", kElement);
  pe.weight_out = vcd_.add_signal(Kind::kReg, "weight_out_q", kElement);
  pe.psum = vcd_.add_signal(Kind::kReg, "psum_q", kPsumWidth);
  for (int i = 0; i < 3; ++i) vcd_.close_scope();
}

// --- Cycles --------------------------------------------------------------------------------------

template <class Arithmetic>
void DatapathVcd<Arithmetic>::check(std::span<const Snapshot* const> snapshots) const {
  bool fits = snapshots.size() == tops_.size();
  for (const Snapshot* snapshot : snapshots) {
    const Snapshot& s = *snapshot;
    fits = fits && s.cycle == snapshots.front()->cycle && s.cycle >= next_cycle_ &&
           s.cycle <= kLastCycle && s.registers.size() == std::size_t{rows_} * cols_ &&
           s.act_row.size() == (s.valid ? rows_ : 0) &&
           s.weight_row.size() == (s.push ? cols_ : 0) &&
           s.write_data.size() == (s.write ? cols_ : 0);
  }
  if (!fits) throw SimulationError("waveform: the snapshots of a cycle do not fit the datapaths");
}

template <class Arithmetic>
void DatapathVcd<Arithmetic>::add(std::span<const Snapshot* const> snapshots) {
  check(snapshots);
  if (snapshots.empty()) return;
  const Cycle cycle = snapshots.front()->cycle;
  if (recording_) end_cycle();
  if (recording_ && cycle > next_cycle_) sleep();
  vcd_.set_time(start_of(cycle));
  set_clock(true);
  for (std::size_t i = 0; i < tops_.size(); ++i) {
    vcd_.set(tops_[i].cycle, static_cast<std::uint64_t>(cycle));
    set_inputs(tops_[i], *snapshots[i]);
    set_write(tops_[i], *snapshots[i]);
    set_registers(tops_[i], *snapshots[i]);
  }
  next_cycle_ = cycle + 1;
  recording_ = true;
}

template <class Arithmetic>
void DatapathVcd<Arithmetic>::end_cycle() {
  vcd_.set_time(start_of(next_cycle_ - 1) + kClockHighUnits);
  set_clock(false);
}

/// Sets the values for the cycles between the last recorded cycle and the next one.
template <class Arithmetic>
void DatapathVcd<Arithmetic>::sleep() {
  const Snapshot nothing;
  vcd_.set_time(start_of(next_cycle_));
  for (const Top& top : tops_) {
    vcd_.set_unknown(top.cycle);
    set_inputs(top, nothing);
    set_write(top, nothing);
  }
}

template <class Arithmetic>
void DatapathVcd<Arithmetic>::set_clock(bool high) {
  for (const Top& top : tops_) vcd_.set(top.clk, high ? 1 : 0);
}

template <class Arithmetic>
void DatapathVcd<Arithmetic>::set_inputs(const Top& top, const Snapshot& snapshot) {
  const Snapshot& s = snapshot;
  vcd_.set(top.valid, s.valid ? 1 : 0);
  vcd_.set(top.swap, s.swap ? 1 : 0);
  vcd_.set(top.push, s.push ? 1 : 0);
  // If no row enters, zeros do, and the PEs use them.
  for (std::size_t r = 0; r < top.act.size(); ++r) {
    vcd_.set(top.act[r], s.valid ? bits_of<Arithmetic>(s.act_row[r]) : 0);
  }
  for (std::size_t c = 0; c < top.weight.size(); ++c) {
    if (s.push) {
      vcd_.set(top.weight[c], bits_of<Arithmetic>(s.weight_row[c]));
    } else {
      vcd_.set_unknown(top.weight[c]);
    }
  }
  if (s.valid) {
    vcd_.set(top.row, s.acc_row);
    vcd_.set(top.accumulate, s.accumulate ? 1 : 0);
  } else {
    vcd_.set_unknown(top.row);
    vcd_.set_unknown(top.accumulate);
  }
}

template <class Arithmetic>
void DatapathVcd<Arithmetic>::set_write(const Top& top, const Snapshot& snapshot) {
  vcd_.set(top.write, snapshot.write ? 1 : 0);
  if (snapshot.write) {
    vcd_.set(top.write_row, snapshot.write_row);
  } else {
    vcd_.set_unknown(top.write_row);
  }
  for (std::size_t c = 0; c < top.write_data.size(); ++c) {
    if (snapshot.write) {
      vcd_.set(top.write_data[c], psum_bits(snapshot.write_data[c]));
    } else {
      vcd_.set_unknown(top.write_data[c]);
    }
  }
}

template <class Arithmetic>
void DatapathVcd<Arithmetic>::set_registers(const Top& top, const Snapshot& snapshot) {
  for (std::size_t i = 0; i < top.pes.size(); ++i) {
    const PeSignals& pe = top.pes[i];
    const PeRegisters<Arithmetic>& q = snapshot.registers[i];
    vcd_.set(pe.act, Arithmetic::to_bits(q.act));
    vcd_.set(pe.swap, q.swap ? 1 : 0);
    vcd_.set(pe.push, q.push ? 1 : 0);
    vcd_.set(pe.weight_active, Arithmetic::to_bits(q.weight_active));
    vcd_.set(pe.weight_shadow, Arithmetic::to_bits(q.weight_shadow));
    vcd_.set(pe.weight_out, Arithmetic::to_bits(q.weight_out));
    vcd_.set(pe.psum, psum_bits(q.psum));
  }
}

template <class Arithmetic>
void DatapathVcd<Arithmetic>::finish() {
  if (recording_) end_cycle();
  vcd_.finish(start_of(next_cycle_));
}

template class DatapathVcd<Int8Arithmetic>;
template class DatapathVcd<Bf16Arithmetic>;
template class DatapathVcd<Fp16Arithmetic>;

}  // namespace weft
