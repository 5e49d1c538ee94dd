// A segment for some images of its batch.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/layers/layer_parts.h"
#include "compiler/layers/segment.h"

namespace weft::compiler {

/// The first `count` images of `segment`, which `division` divides. The images of a layer that
/// cannot be divided may be columns of the array, as those of a product with operands exchanged.
/// The result can be timed but not run, because the tensors of the host stay whole. nullopt if some
/// form of a layer has its images neither in rows nor in columns.
std::optional<Segment> first_images(const Segment& segment, const ImageDivision& division,
                                    std::int64_t count);

}  // namespace weft::compiler
