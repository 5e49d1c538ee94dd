// Which image groups a schedule should be tried with.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/layers/layer_parts.h"
#include "compiler/program/network_program.h"
#include "compiler/program/schedule.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// The images of the batch: the extent of the outermost dimension of what the segment reads, and
/// what it has in common with those of the results.
std::int64_t batch_of(const Segment& segment);

/// The largest equal part of the batch, half of it if possible. nullopt for one image, and if
/// images do not go on in groups.
std::optional<Segment> part_of_batch(const Segment& segment, const MappingOptions& options);
/// The part of the part, and so on: one image if all layers can be divided so.
Segment least_part(Segment segment, const MappingOptions& options);

/// Group sizes by what fits: each layer takes as many images as the unified buffer has room for,
/// with the sheets that stay beside them. One entry for each of several parts of the buffer;
/// without those that are equal to an earlier one or cut nothing.
std::vector<ImageGroups> fitting_groups(const Segment& segment, const ImageDivision& division,
                                        const MachineConfig& config);

/// No groups if all layers take the whole batch, else the groups.
ImageGroups without_one_group(ImageGroups groups, const LineBands& bands);

/// The groups with smaller ones before larger ones, as the layers can be divided: from the first
/// one that cannot be, all take the whole batch.
ImageGroups as_divided(ImageGroups groups, const ImageDivision& division);

/// UB rows of what layers in groups leave for those that take the whole batch.
std::uint64_t rows_beside_rounds(const PartedSegment& formed, const ImageGroups& groups,
                                 const MachineConfig& config);

/// Like `groups`, but with one step of the sizes earlier or later by some layers, or with one size
/// left out.
std::vector<ImageGroups> neighbors_of(const ImageGroups& groups, const ImageDivision& division);

}  // namespace weft::compiler
