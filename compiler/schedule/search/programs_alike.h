// A network may have the same program several times: the blocks of a transformer, with a node for
// the host in each. It is searched once.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compiler/layers/segment.h"
#include "compiler/program/network_program.h"
#include "compiler/schedule/schedule_layers.h"
#include "compiler/schedule/search/schedule_search.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"

namespace weft::compiler {

class ProgramsAlike {
 public:
  /// `config` must outlive this.
  explicit ProgramsAlike(const MachineConfig& config) : config_(config) {}

  /// schedule_segment(), with the result of an earlier segment of the same program if there is one.
  /// The same: layers of the same shapes and forms, and without a search the same instructions.
  CostedSchedule schedule(const Segment& segment, const MappingOptions& options,
                          const FoundChoices* like);

 private:
  struct Known {
    std::vector<std::string> layers;
    std::vector<Instruction> program;
    CostedSchedule found;
  };
  std::optional<std::vector<Instruction>> unsearched_program(const Segment& segment,
                                                             MappingOptions options) const;
  const Known* known(const std::vector<std::string>& layers,
                     const std::vector<Instruction>& program) const;

  const MachineConfig& config_;
  std::vector<Known> all_;
};

}  // namespace weft::compiler
