// A run as bars and counters over time, in the trace event format (docs/trace.md). There is one
// track for each unit, the weight port, the ledger, the layers of a network and the host. Counters
// show how full the buffers and how busy the channels are.
//
//   construct | add_program, at its own first cycle, add_layer, add_host_node ... | finish
//
// The programs of a run follow each other. The output depends only on the calls.
#pragma once

#include <functional>
#include <iosfwd>
#include <set>
#include <string_view>
#include <vector>

#include "sim/analysis/channel_use.h"
#include "sim/analysis/staircase.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"
#include "sim/timing/timeline.h"
#include "sim/trace/trace_stream.h"
#include "sim/trace/unit_bars.h"

namespace weft {

class TraceEvents {
 public:
  /// Adds what the caller knows about an instruction beyond the program: tiles, a layer.
  using DescribeInstruction = std::function<void(std::size_t instruction, TraceArguments& args)>;

  /// `title` names the run. `out` must outlive the writer.
  TraceEvents(std::ostream& out, const MachineConfig& config, std::string_view title);

  /// Adds all bars and counters of a program, from a complete timeline without hazards. The program
  /// starts at cycle `begin` of the run, not before the previous program ends. `describe` may be
  /// empty.
  void add_program(const Program& program, const Timeline& timeline, Cycle begin,
                   const DescribeInstruction& describe);

  /// Adds a layer. No other layer ran in its cycles [begin, end) of the run. Add layers in order.
  void add_layer(std::string_view name, Cycle begin, Cycle end, const TraceArguments& args);
  /// Adds a node that the host computed between programs; it takes no cycles.
  void add_host_node(std::string_view name, Cycle at, const TraceArguments& args);

  /// Ends the file.
  void finish();

  std::uint64_t events() const { return stream_.events(); }

  // Every function may write to the stream and throws what the stream throws.

 private:
  void add_ledger(const Program& program, const Timeline& timeline, Cycle begin);
  void add_units(const std::vector<std::vector<UnitBar>>& tracks, const Program& program,
                 const Timeline& timeline, Cycle begin, const DescribeInstruction& describe);
  void add_pushes(const Program& program, const Timeline& timeline, Cycle begin);
  void add_counter(std::string_view name, std::string_view series, const Staircase& points,
                   Cycle begin);
  void add_channels(const ChannelUse& use, Cycle begin);
  void bar(TraceStream::Track track, std::string_view name, Cycle begin, Cycle end,
           const TraceArguments& args);

  const MachineConfig& config_;
  TraceStream stream_;
  std::set<TraceStream::Track> used_;
};

}  // namespace weft
