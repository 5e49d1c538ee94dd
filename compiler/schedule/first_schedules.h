// What the first schedules of a network take, by exact replay.
#pragma once

#include <optional>
#include <utility>

#include "compiler/graph/graph.h"
#include "compiler/program/network_program.h"
#include "compiler/schedule/compile_network.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// What first schedules take, without a search: of one image if the batch can be divided into its
/// images, so that every batch has the same choice.
class FirstSchedules {
 public:
  /// All arguments must outlive this.
  FirstSchedules(const graph::Graph& graph, const MachineConfig& config,
                 const CompileOptions& options)
      : graph_(graph), config_(config), options_(options) {}

  /// True if all images stay in the unified buffer with the planner's own choices.
  bool fits_buffer() const { return fits_buffer_; }

  /// With the planner's own choices, and with `others`. Throws ConfigError if a layer does not fit.
  std::pair<Cycle, Cycle> compare(const CompileOptions& others);

 private:
  /// nullopt if one image is asked for and the batch cannot be divided.
  std::optional<Cycle> cycles_of(const CompileOptions& options, bool of_image);

  const graph::Graph& graph_;
  const MachineConfig& config_;
  const CompileOptions& options_;
  std::optional<std::optional<Cycle>> of_image_;  // with the planner's own choices
  std::optional<Cycle> of_batch_;
  bool fits_buffer_ = true;
};

}  // namespace weft::compiler
