// Converts a network's elements to the machine's and back: float32 and float16 to the array's bf16
// or fp16, rounded to nearest even; int8 as it is; uint8 minus 128, so that it fits int8.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "compiler/graph/tensor.h"
#include "compiler/rows/image_lines.h"
#include "compiler/rows/view.h"
#include "pe/element_type.h"
#include "pe/float_formats.h"
#include "sim/memory/matrix.h"

namespace weft::compiler {

/// The offset to subtract from elements of `type` to make them int8: 128 for uint8, else 0.
constexpr std::int32_t int8_offset(graph::DataType type) {
  return type == graph::DataType::kUint8 ? 128 : 0;
}

inline float as_float(float value) {
  return value;
}
inline float as_float(graph::Half value) {
  return to_float(Fp16{value.bits});
}

namespace detail {

template <class Function>
void with_floats(const graph::Tensor& tensor, ElementType dtype, Function&& function) {
  const auto run = [&]<class Source>(Source) {
    const auto data = tensor.data<Source>();
    if (dtype == ElementType::kBf16) {
      function(
          [data](std::int64_t i) { return to_bf16(as_float(data[static_cast<std::size_t>(i)])); });
    } else {
      function(
          [data](std::int64_t i) { return to_fp16(as_float(data[static_cast<std::size_t>(i)])); });
    }
  };
  if (tensor.type() == graph::DataType::kFloat16) return run(graph::Half{});
  run(float{});
}

template <class Function>
void with_integers(const graph::Tensor& tensor, std::int32_t offset, Function&& function) {
  const auto run = [&]<class Source>(Source) {
    const auto data = tensor.data<Source>();
    function([data, offset](std::int64_t i) {
      return static_cast<std::int8_t>(data[static_cast<std::size_t>(i)] - offset);
    });
  };
  if (tensor.type() == graph::DataType::kUint8) return run(std::uint8_t{});
  run(std::int8_t{});
}

}  // namespace detail

/// Calls function(element), where element(i) is the tensor's element i in the array's type `dtype`;
/// `offset` is subtracted from integers. The tensor is float32 or float16 for a float array, int8
/// or uint8 for an int8 one.
template <class Function>
void with_elements(const graph::Tensor& tensor, ElementType dtype, std::int32_t offset,
                   Function&& function) {
  if (dtype == ElementType::kInt8) {
    detail::with_integers(tensor, offset, function);
  } else {
    detail::with_floats(tensor, dtype, function);
  }
}

/// Makes the sheet of a value: each element where the view says, zero elsewhere.
Matrix to_sheet(const graph::Tensor& tensor, const View& view, SheetSize size, ElementType dtype);

/// Reads a value from a sheet and converts it to the network's type. The sheet has elements of the
/// array's type, or 32-bit words if it is wide. uint8 is int8 plus 128; floats are widened exactly
/// or rounded to float16.
graph::Tensor from_sheet(const Matrix& sheet, const View& view, const graph::ValueType& type);

/// The image [N, C, H, W] of `type` from its joined lines [N, lanes, rows, W], without their
/// border.
graph::Tensor single_lines(const graph::Tensor& joined, const graph::ValueType& type,
                           const ImageLines& lines);

}  // namespace weft::compiler
