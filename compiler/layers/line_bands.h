// Bands: some lines of an image go through several layers before the next lines (depth first), so
// that an image larger than the unified buffer need not leave it.
//
//   layer    bands   parts in order
//   conv1      2     [lines 0-4]              [lines 4-8]
//   conv2      2                  [lines 0-3]              [lines 3-6]
//   conv3      1                                                        [all lines]
//
// Consecutive layers with as many bands are a stack. The results that leave a stack are cut evenly,
// and each layer before computes the lines that the later layers' windows read. Of a sheet between
// two layers of a stack only these lines have room. Where the windows of two bands overlap, the
// lines between them (the halo) are computed again, or copied from the sheet of the band before.
//
// Parts with all images of a batch, or with groups of several, cannot be cut in this way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "compiler/layers/layer_parts.h"
#include "compiler/program/schedule.h"

namespace weft::compiler {

/// The number of a body that only copies a halo.
inline constexpr std::size_t kHaloBody = 1000;

/// The most bands of a layer: the lines of its result, or its rows if these are no image; 1 if its
/// rows cannot be cut. Several images at once cannot.
std::int64_t most_bands(const LayerBody& body);

/// The parts in bands. The index in the segment of a layer if it cannot be cut into as many.
std::variant<PartedSegment, std::size_t> in_bands(PartedSegment parts, const LineBands& bands,
                                                  bool cut_inputs);

/// The segment in the parts of a schedule, which must be possible.
PartedSegment in_parts(const Segment& segment, const Schedule& schedule);

}  // namespace weft::compiler
