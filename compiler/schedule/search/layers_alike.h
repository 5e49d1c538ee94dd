// What layers have in common: those of one shape choose together, so that long networks need few
// replays, and a segment may take the choices of another one with the same layers.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compiler/layers/segment.h"
#include "compiler/schedule/schedule_layers.h"

namespace weft::compiler {

/// The layers with the shape of layer `first`. Empty if `first` is not the first of them: then they
/// have chosen.
std::vector<std::size_t> layers_alike(const Segment& segment, std::size_t first);

/// True if some form of the layer is a convolution in groups.
bool has_groups(const Layer& layer);

/// The most other forms that a layer has.
std::size_t most_other_forms(const Segment& segment);

/// Choices for another segment, as far as this one can have them. nullopt if it has other layers or
/// another batch.
std::optional<ScheduleChoices> choices_like(ScheduleChoices choices, const Segment& segment);

}  // namespace weft::compiler
