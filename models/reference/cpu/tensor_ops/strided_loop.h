// One loop nest over N operands at once. Each operand has a separate stride along every dimension:
// stride 0 repeats (broadcasting, accumulating), a negative stride walks backwards. Adjacent
// dimensions are merged if every operand can walk them as one. In the common cases a single row
// remains, and the caller's loop over a row is the only hot one.
//
//   extents 2x3x4, strides {12,4,1} and {0,0,1}   ->   6 rows of 4, steps {1,1}
//   extents 2x3x4, strides {12,4,1} and {12,4,1}  ->   1 row of 24, steps {1,1}
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compiler/graph/tensor.h"

namespace weft::reference::tensor_ops {

template <std::size_t N>
class StridedLoop {
 public:
  using Offsets = std::array<std::int64_t, N>;

  /// Strides in elements; operand i's walk begins at element starts[i].
  StridedLoop(const graph::Shape& extents, const std::array<graph::Shape, N>& strides,
              Offsets starts = {})
      : starts_(starts) {
    for (std::size_t d = extents.size(); d-- > 0;) {
      Dimension dimension{extents[d], {}};
      for (std::size_t i = 0; i < N; ++i) dimension.strides[i] = strides[i][d];
      append(dimension);
    }
    if (dimensions_.empty()) dimensions_.push_back({1, {}});
    for (std::size_t d = 1; d < dimensions_.size(); ++d) rows_ *= dimensions_[d].extent;
    if (dimensions_[0].extent == 0) rows_ = 0;
  }

  /// Elements of a row, and each operand's stride within it (all 0 if there is only one element).
  std::int64_t row_length() const { return dimensions_[0].extent; }
  const Offsets& steps() const { return dimensions_[0].strides; }

  /// Calls row(offsets) for each row in row-major order, with the offset of each operand's first
  /// element.
  template <class Row>
  void for_each_row(Row&& row) const {
    Offsets at = starts_;
    std::vector<std::int64_t> index(dimensions_.size(), 0);
    for (std::int64_t i = 0; i < rows_; ++i) {
      row(static_cast<const Offsets&>(at));
      advance(at, index);
    }
  }

 private:
  struct Dimension {
    std::int64_t extent;
    Offsets strides;
  };

  // Called from the innermost dimension outward.
  void append(const Dimension& outer) {
    if (outer.extent == 1) return;
    if (!dimensions_.empty() && continues(dimensions_.back(), outer)) {
      dimensions_.back().extent *= outer.extent;
    } else {
      dimensions_.push_back(outer);
    }
  }

  static bool continues(const Dimension& inner, const Dimension& outer) {
    for (std::size_t i = 0; i < N; ++i) {
      if (outer.strides[i] != inner.strides[i] * inner.extent) return false;
    }
    return true;
  }

  void advance(Offsets& at, std::vector<std::int64_t>& index) const {
    for (std::size_t d = 1; d < dimensions_.size(); ++d) {
      const Dimension& dimension = dimensions_[d];
      for (std::size_t i = 0; i < N; ++i) at[i] += dimension.strides[i];
      if (++index[d] < dimension.extent) return;
      for (std::size_t i = 0; i < N; ++i) at[i] -= dimension.strides[i] * dimension.extent;
      index[d] = 0;
    }
  }

  std::vector<Dimension>
      dimensions_;  // innermost first; none of extent 1 unless it is the only one
  Offsets starts_;
  std::int64_t rows_ = 1;
};

}  // namespace weft::reference::tensor_ops
