// In which bands of lines a schedule should be tried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/layers/line_bands.h"
#include "compiler/program/schedule.h"
#include "compiler/schedule/schedule_layers.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// The segment in these forms and groups, but with all lines at once.
PartedSegment without_bands(const Segment& segment, const ScheduleChoices& choices);

/// For each layer of the segment the most bands that all its parts can take.
std::vector<std::int64_t> most_bands_of_layers(const PartedSegment& parts, std::size_t layers);

/// True if rows that a layer hands to another do not stay in the unified buffer.
bool spills(const Segment& segment, const Schedule& schedule);

/// True if whole images stay in the unified buffer on their way from layer to layer.
bool fits_buffer(const Segment& segment, const Schedule& schedule);

/// Rows of the unified buffer that the sheets of one image need at once, without bands of lines.
std::uint64_t most_live_rows(const Segment& segment, const ScheduleChoices& choices,
                             const MachineConfig& config);

/// Bands by what fits: layers whose sheets need more than a part of the buffer are cut into as many
/// as make them fit, with halos kept and computed again. One entry for each of several parts of the
/// buffer. `parts` are those of without_bands(), `layers` counts the segment's.
std::vector<LineBands> fitting_bands(const PartedSegment& parts, std::size_t layers,
                                     const MachineConfig& config);

/// Layers [begin, end) of a segment.
struct LayerRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The bands with the halos of these layers the other way: of the first of them that has bands, and
/// of the others like that one.
LineBands with_other_halos(LineBands bands, const LayerRange& layers);

/// Like `bands`, but with one change: more or fewer bands of a stack, a stack that begins or ends
/// earlier or later by some layers, or the halos of all stacks or of one the other way.
std::vector<LineBands> neighbors_of(const LineBands& bands, const PartedSegment& parts);

/// Like `bands`, but a stack has one band more or less, or a quarter more or less, with its halos
/// as they are or the other way.
std::vector<LineBands> near_counts_of(const LineBands& bands, const PartedSegment& parts);

}  // namespace weft::compiler
