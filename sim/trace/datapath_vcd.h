// The waveform of a matmul datapath, or of several side by side, with the scopes and names of the
// RTL. Two engines that behave the same give the same bytes. Ten time units are one cycle:
//
//   time     10t        10t+5      10t+10
//   clk_i    rises      falls      rises
//   values   those of cycle t      those of cycle t+1
//
// x marks what nothing uses in a cycle: a weight without a push, a destination without a row,
// a result without a write. Cycles may be left out while the datapath sleeps: the clock then stands
// still, `cycle` is x and no port is active. Tables: docs/rtl.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace/datapath_snapshot.h"
#include "sim/trace/vcd_writer.h"

namespace weft {

/// The scope of a datapath that is recorded alone, with any engine.
inline constexpr std::string_view kDatapathScope = "matmul_datapath";

/// A waveform must have fewer signals; more would take gigabytes before the first cycle.
inline constexpr std::uint64_t kMaxWaveformSignals = std::uint64_t{1} << 23;

template <class Arithmetic>
class DatapathVcd {
 public:
  using Snapshot = DatapathSnapshot<Arithmetic>;

  /// Declares the signals of one datapath of rows x cols PEs for each of `top_scopes`, the names of
  /// the outermost scopes: kDatapathScope alone, or one name per engine. clock_hz only appears in
  /// the comment of the dump. `out` must outlive this object. Throws InputError for an invalid or
  /// repeated name, for kMaxWaveformSignals signals or more, and if writing fails.
  DatapathVcd(std::ostream& out, std::uint32_t rows, std::uint32_t cols, std::uint64_t clock_hz,
              const std::vector<std::string>& top_scopes);

  /// Adds one cycle: one snapshot for each top scope, in their order. Cycles may be left out only
  /// while no register changes. Throws InputError if writing fails (a full disk), and
  /// SimulationError if the snapshots' number, sizes or cycles do not fit.
  void add(std::span<const Snapshot* const> snapshots);

  /// Ends the dump at the end of the last cycle and flushes the stream. Throws like add().
  void finish();

 private:
  using Signal = VcdWriter::Signal;

  struct PeSignals {
    Signal act, swap, push, weight_active, weight_shadow, weight_out, psum;
  };

  struct Top {
    Signal cycle, clk, valid, swap, row, accumulate, push, write, write_row;
    std::vector<Signal> act;         // R
    std::vector<Signal> weight;      // C
    std::vector<Signal> write_data;  // C
    std::vector<PeSignals> pes;      // R x C, row-major
  };

  void declare_top(const std::string& name);
  void declare_ports(Top& top);
  void declare_pe(Top& top);
  std::vector<Signal> declare_lanes(std::string_view name, std::uint32_t lanes,
                                    std::uint32_t width);
  void check(std::span<const Snapshot* const> snapshots) const;
  void end_cycle();
  void sleep();
  void set_clock(bool high);
  void set_inputs(const Top& top, const Snapshot& snapshot);
  void set_write(const Top& top, const Snapshot& snapshot);
  void set_registers(const Top& top, const Snapshot& snapshot);

  VcdWriter vcd_;
  std::uint32_t rows_;
  std::uint32_t cols_;
  std::vector<Top> tops_;
  Cycle next_cycle_ = 0;  // after the last recorded one
  bool recording_ = false;
};

extern template class DatapathVcd<Int8Arithmetic>;
extern template class DatapathVcd<Bf16Arithmetic>;
extern template class DatapathVcd<Fp16Arithmetic>;

}  // namespace weft
