// Finds a body's operands: maps a row-major index into the result to an offset into each of N
// operands. Stride 0 repeats (broadcasting), a negative stride walks backwards.
//
//   extents 4x6, strides {6,1} and {0,1}:  index 13 -> row 2, column 1 -> offsets 13 and 1
//
// strided() merges dimensions that all operands can walk as one, so that operands of the same shape
// need no division.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "models/reference/host_device.h"

namespace weft::cuda {

/// The most dimensions after merging; a Tile of rank 4 has 8.
inline constexpr std::size_t kMaxDims = 8;

template <std::size_t N>
using Offsets = std::array<std::int64_t, N>;

/// Plain data, copied into a kernel's arguments.
template <std::size_t N>
struct Strided {
  std::int32_t dims = 0;
  std::array<std::int64_t, kMaxDims> extents = {};                 // innermost first
  std::array<std::array<std::int64_t, kMaxDims>, N> strides = {};  // by operand
  Offsets<N> starts = {};

  WEFT_HOST_DEVICE Offsets<N> at(std::int64_t index) const {
    Offsets<N> result = starts;
    for (std::size_t d = 0; d < static_cast<std::size_t>(dims); ++d) {
      // The outermost dimension takes the rest, without a division.
      const bool last = d + 1 == static_cast<std::size_t>(dims);
      const std::int64_t rest = last ? 0 : index / extents[d];
      const std::int64_t position = index - rest * extents[d];
      for (std::size_t i = 0; i < N; ++i) result[i] += position * strides[i][d];
      index = rest;
    }
    return result;
  }
};

/// The walk over `extents` (outermost first) with a stride in elements for each dimension of each
/// operand. Throws InputError if more than kMaxDims dimensions are left after merging.
template <std::size_t N>
Strided<N> strided(const std::vector<std::int64_t>& extents,
                   const std::array<std::vector<std::int64_t>, N>& strides,
                   const Offsets<N>& starts = {}) {
  Strided<N> walk;
  walk.starts = starts;
  for (std::size_t d = extents.size(); d-- > 0;) {
    if (extents[d] == 1) continue;
    const auto dims = static_cast<std::size_t>(walk.dims);
    bool continues = dims > 0;
    for (std::size_t i = 0; continues && i < N; ++i) {
      continues = strides[i][d] == walk.strides[i][dims - 1] * walk.extents[dims - 1];
    }
    if (continues) {
      walk.extents[dims - 1] *= extents[d];
      continue;
    }
    if (dims == kMaxDims) throw InputError("the CUDA backend supports at most 8 dimensions");
    walk.extents[dims] = extents[d];
    for (std::size_t i = 0; i < N; ++i) walk.strides[i][dims] = strides[i][d];
    ++walk.dims;
  }
  return walk;
}

}  // namespace weft::cuda
