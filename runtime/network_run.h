// The result of a network's run: what its layers took, and what it computed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/mapping/bound/bound.h"
#include "compiler/program/network_program.h"
#include "sim/analysis/result.h"
#include "sim/trace/array_recording.h"

namespace weft::runtime {

using NamedTensors = std::map<std::string, graph::Tensor>;

/// One row of the layer table after the run.
struct LayerRun {
  compiler::LayerInfo info;
  bool on_host = false;     // then `info.note` says why, and there are no cycles
  double host_seconds = 0;  // what the host took for it here; 0 without values
  Cycle cycles = 0;         // those of its instructions (docs/timing.md, "Whose cycle it is")
  CycleLedger ledger;       // of these cycles
  EventCounts events;       // of its instructions
  CriticalPath path;        // the part of the program's critical path that belongs to the layer
  compiler::WorkBound bound = {};  // what its nodes ask of array and vector unit
};

struct NetworkRun {
  std::vector<LayerRun> layers;
  Cycle total = 0;  // of all programs, one after the other
  /// That no run of the same nodes takes fewer; nullopt if it is not known what the program
  /// computes.
  std::optional<compiler::Bound> bound = {};
  CycleLedger ledger;
  CriticalPath path;  // of all programs; its sum is `total`
  Traffic traffic;
  EventCounts events;
  std::uint64_t issued_macs = 0;
  std::uint64_t useful_macs = 0;
  std::size_t programs = 0;
  std::uint64_t instructions = 0;
  std::uint64_t compared_cycles = 0;  // by lock-step checking, without a difference
  NamedTensors outputs;               // empty without values
  /// Values that the machine computed: those that the host read and, with `keep_results`, the
  /// result of every layer that stayed in the unified buffer.
  std::map<graph::ValueId, graph::Tensor> values;
  std::vector<Timeline> timelines;          // of the programs, with `keep_timelines`
  std::optional<ArrayRecording> recording;  // with `record`
};

/// The names, made different where some are equal: the second x becomes "x:2", the third "x:3".
/// A number that makes a name that is taken is left out.
std::vector<std::string> told_apart(std::vector<std::string> names);

/// Gives the layers of a run names that differ.
void tell_apart(std::vector<LayerRun>& layers);

/// The row of a node that the host computes.
LayerRun host_layer(const graph::Graph& graph, const compiler::HostStep& step);

/// The rows of a program's layers; the other lists have one entry for each.
std::vector<LayerRun> layer_runs(std::span<const compiler::LayerInfo> layers,
                                 std::span<const CycleLedger> ledgers,
                                 std::span<const EventCounts> events,
                                 std::span<const CriticalPath> paths);

/// Adds a program that ran after the others, with the rows of its layers.
void add_program(NetworkRun& run, const Result& result, std::span<const LayerRun> layers);

}  // namespace weft::runtime
