// Schedules the layers of a segment one after the other, for given choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/layers/segment.h"
#include "compiler/mapping/misfit.h"
#include "compiler/program/capacities.h"
#include "compiler/program/schedule.h"
#include "compiler/schedule/staying_rows.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// What a schedule is free to choose. The rest follows.
struct ScheduleChoices {
  Capacities capacities;  // of the machine for which the rest is planned
  BufferParts buffer;
  /// The most rows of a chunk of each layer on the array; 0: as map_contraction() estimates.
  std::vector<std::int64_t> chunk_rows;
  /// Mapping::buffered_tiles of each layer with constant weights; empty: 0 each.
  std::vector<std::uint32_t> buffered_tiles;
  std::vector<std::size_t> forms;  // the number of each layer's form
  ImageGroups groups;
  LineBands bands;
  InstructionOrder order = InstructionOrder::kByStart;
  Fit fit = Fit::kNext;
};

/// Estimated chunks and the whole batch; form `form` of the layers that have it, of others form 0.
ScheduleChoices first_choices(const Segment& segment, const MachineConfig& config,
                              std::size_t form);

/// The accumulator rows that a chunk of the layer may take at most, in whatever form; nullopt if no
/// form uses the array.
std::optional<std::int64_t> accumulator_rows(const Layer& layer, const MachineConfig& config);

/// True if the array multiplies by constants in some form of the layer.
bool has_constant_weights(const Layer& layer);

/// One of `parts` equal parts of these rows; 0 if `parts` is 0 or no form uses the array.
std::int64_t part_of_sums(const Layer& layer, const MachineConfig& config, std::int64_t parts);

/// A layer for which the rows of the unified buffer do not suffice. The misfit is empty if the
/// layer is in groups though its form cannot be divided, or if there would be more than
/// kMostLayerParts.
struct Obstacle {
  std::size_t layer = 0;
  Misfit misfit;
};

/// Why a machine cannot have rounds as in ImageGroups::rounds_at_once: the field and its value.
struct RoundsMisfit {
  std::string_view field;
  std::int64_t value = 0;
  std::string why;
};

/// `capacities`: for which a round is planned.
std::optional<RoundsMisfit> misfit_of_rounds(const ImageGroups& groups,
                                             const Capacities& capacities, InstructionOrder order,
                                             const MachineConfig& config);

/// The schedule for the choices, or what does not fit. `config` is the machine that runs it.
std::variant<Schedule, Obstacle> schedule_layers(const Segment& segment,
                                                 const MachineConfig& config,
                                                 const ScheduleChoices& choices);

}  // namespace weft::compiler
