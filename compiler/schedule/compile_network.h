// From a graph to programs of the machine and nodes for the host, in two steps: schedules, which
// hold all decisions, and the instructions that follow from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/layers/segment.h"
#include "compiler/program/network_program.h"
#include "compiler/program/schedule.h"
#include "compiler/schedule/schedule_layers.h"
#include "compiler/schedule/search/schedule_search.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// What the machine runs as one program, and how.
struct ScheduledSegment {
  Segment segment;
  Schedule schedule;
  std::optional<ScheduleChoices> choices;  // from which `schedule` follows; nullopt: a product
  std::optional<Cycle> cycles = {};        // if it was replayed
  std::shared_ptr<const FoundChoices> of_part = nullptr;  // CostedSchedule::of_part
};

/// Choices for all layers of a network that have them, as in MappingOptions.
struct NetworkChoices {
  std::optional<bool> packed_taps;
  std::optional<bool> joined_lines;
  std::optional<bool> line_borders;
  std::optional<bool> line_slices;
  std::optional<bool> turned_results;
  std::optional<bool> turned_values;
  std::optional<bool> depthwise_on_vector_unit;
  friend bool operator==(const NetworkChoices&, const NetworkChoices&) = default;
};

/// All of them, with the names that plans use.
inline constexpr std::array<std::pair<std::string_view, std::optional<bool> NetworkChoices::*>, 7>
    kNetworkChoices = {{{"packed_taps", &NetworkChoices::packed_taps},
                        {"joined_lines", &NetworkChoices::joined_lines},
                        {"line_borders", &NetworkChoices::line_borders},
                        {"line_slices", &NetworkChoices::line_slices},
                        {"turned_results", &NetworkChoices::turned_results},
                        {"turned_values", &NetworkChoices::turned_values},
                        {"depthwise_on_vector_unit", &NetworkChoices::depthwise_on_vector_unit}}};

/// A network before its instructions are written.
struct ScheduledNetwork {
  graph::Graph graph;
  std::vector<std::variant<ScheduledSegment, HostStep>> steps;  // in order of execution
  NetworkChoices choices;                                       // of the caller and of the search
};

/// `graph` has been through the passes (compiler/passes). Throws InputError if the machine cannot
/// run the network, ConfigError if the unified buffer or the accumulators are too small for a
/// layer.
ScheduledNetwork schedule_network(graph::Graph graph, const MachineConfig& config,
                                  const CompileOptions& options = {});

/// The program of a scheduled segment. Throws InputError if it would have more than `most`
/// instructions, if possible before they take memory.
MachineStep program_of(const ScheduledSegment& scheduled, const MachineConfig& config,
                       std::size_t most = kMaxInstructions);

/// The most instructions that a program may have if `memory_bytes` are left for it.
std::size_t most_instructions(std::uint64_t memory_bytes);

/// Writes all programs of a network. Throws InputError before the instructions exceed
/// `memory_bytes` or the limit of 2^26 per program.
NetworkProgram write_programs(
    ScheduledNetwork network, const MachineConfig& config,
    std::uint64_t memory_bytes = std::numeric_limits<std::uint64_t>::max());

/// Both steps in one. Throws like them.
NetworkProgram compile_network(graph::Graph graph, const MachineConfig& config,
                               const CompileOptions& options = {});

}  // namespace weft::compiler
