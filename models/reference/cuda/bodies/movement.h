// Bodies that move elements without reading their values. Unit is an unsigned integer of the
// elements' size.
#pragma once

#include <cstdint>

#include "models/reference/cuda/bodies/strided.h"

namespace weft::cuda {

/// Copies one strided view to another: Transpose, Slice, Expand, Tile, Concat, Split, Pad.
template <class Unit>
struct Copy {
  const Unit* from;
  Unit* to;
  Strided<2> walk;  // of `from` and `to`
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const Offsets<2> at = walk.at(i);
    to[at[1]] = from[at[0]];
  }
};

/// to[i] = *value.
template <class Unit>
struct Fill {
  const Unit* value;
  Unit* to;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = *value; }
};

/// to[i] = 0.
template <class Unit>
struct Clear {
  Unit* to;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const { to[i] = 0; }
};

/// from [outer, extent, inner], indices [count] below extent, to [outer, count, inner].
template <class Unit>
struct Gather {
  const Unit* from;
  const std::int64_t* indices;
  Unit* to;
  std::int64_t extent;
  std::int64_t count;
  std::int64_t inner;
  WEFT_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t block = i / inner;
    const std::int64_t index = indices[block % count];
    to[i] = from[(block / count * extent + index) * inner + i % inner];
  }
};

}  // namespace weft::cuda
