// Layers of one shape choose together, so that long networks need few replays.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/layers/segment.h"

namespace weft::compiler {

/// The layers with the shape of layer `first`. Empty if `first` is not the first of them: then they
/// have chosen.
std::vector<std::size_t> layers_alike(const Segment& segment, std::size_t first);

/// The most other forms that a layer has.
std::size_t most_other_forms(const Segment& segment);

}  // namespace weft::compiler
