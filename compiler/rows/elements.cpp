#include "compiler/rows/elements.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace weft::compiler {
namespace {

/// Calls function(index, row, channel) for every element of the view, in row-major order.
template <class Function>
void for_each_element(const View& view, Function&& function) {
  const std::int64_t count = graph::element_count(view.shape());
  std::vector<std::int64_t> position(view.dims.size(), 0);
  std::int64_t row = view.row;
  std::int64_t channel = view.channel;
  for (std::int64_t index = 0; index < count; ++index) {
    function(index, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(channel));
    for (std::size_t axis = view.dims.size(); axis-- > 0;) {
      const ViewDim& dim = view.dims[axis];
      row += dim.row_step;
      channel += dim.channel_step;
      if (++position[axis] < dim.extent) break;
      row -= dim.row_step * dim.extent;
      channel -= dim.channel_step * dim.extent;
      position[axis] = 0;
    }
  }
}

float element_as_float(const Matrix& sheet, std::uint64_t row, std::uint64_t channel) {
  switch (sheet.type()) {
    case ElementType::kBf16:
      return to_float(sheet.at<Bf16>(row, channel));
    case ElementType::kFp16:
      return to_float(sheet.at<Fp16>(row, channel));
    default:
      return sheet.at<float>(row, channel);
  }
}

std::int32_t element_as_integer(const Matrix& sheet, std::uint64_t row, std::uint64_t channel) {
  if (sheet.type() == ElementType::kInt32) return sheet.at<std::int32_t>(row, channel);
  return sheet.at<std::int8_t>(row, channel);
}

template <class T>
void read_integers(const Matrix& sheet, const View& view, std::int32_t offset,
                   graph::Tensor& tensor) {
  const auto out = tensor.mutable_data<T>();
  for_each_element(view, [&](std::int64_t i, std::uint64_t row, std::uint64_t channel) {
    out[static_cast<std::size_t>(i)] =
        static_cast<T>(element_as_integer(sheet, row, channel) + offset);
  });
}

void read_floats(const Matrix& sheet, const View& view, graph::Tensor& tensor) {
  for_each_element(view, [&](std::int64_t i, std::uint64_t row, std::uint64_t channel) {
    const float value = element_as_float(sheet, row, channel);
    const auto at = static_cast<std::size_t>(i);
    if (tensor.type() == graph::DataType::kFloat16) {
      tensor.mutable_data<graph::Half>()[at] = {to_fp16(value).bits};
    } else {
      tensor.mutable_data<float>()[at] = value;
    }
  });
}

/// Reads truth values: 0 is false.
void read_truths(const Matrix& sheet, const View& view, graph::Tensor& tensor) {
  const auto out = tensor.mutable_data<bool>();
  for_each_element(view, [&](std::int64_t i, std::uint64_t row, std::uint64_t channel) {
    out[static_cast<std::size_t>(i)] = element_as_float(sheet, row, channel) != 0;
  });
}

}  // namespace

Matrix to_sheet(const graph::Tensor& tensor, const View& view, SheetSize size, ElementType dtype) {
  Matrix sheet(dtype, static_cast<std::uint64_t>(size.rows),
               static_cast<std::uint64_t>(size.channels));
  with_elements(tensor, dtype, int8_offset(tensor.type()), [&](auto element) {
    for_each_element(view, [&](std::int64_t i, std::uint64_t row, std::uint64_t channel) {
      sheet.set(row, channel, element(i));
    });
  });
  return sheet;
}

graph::Tensor from_sheet(const Matrix& sheet, const View& view, const graph::ValueType& type) {
  graph::Tensor tensor(type);
  switch (type.type) {
    case graph::DataType::kInt8:
      read_integers<std::int8_t>(sheet, view, 0, tensor);
      break;
    case graph::DataType::kUint8:
      read_integers<std::uint8_t>(sheet, view, 128, tensor);
      break;
    case graph::DataType::kInt32:
      read_integers<std::int32_t>(sheet, view, 0, tensor);
      break;
    case graph::DataType::kBool:
      read_truths(sheet, view, tensor);
      break;
    default:
      read_floats(sheet, view, tensor);
  }
  return tensor;
}

graph::Tensor single_lines(const graph::Tensor& joined, const graph::ValueType& type,
                           const ImageLines& lines) {
  graph::Tensor image(type);
  const Shape& shape = type.shape;
  const std::int64_t rows = lines.rows_of(shape[2]);
  const std::size_t bytes = graph::size_bytes(type.type) * static_cast<std::size_t>(shape[3]);
  std::span<std::byte> to = image.mutable_bytes();
  for (std::int64_t i = 0; i < shape[0] * shape[1]; ++i) {
    const std::int64_t before = i / shape[1] * lines.lanes(shape[1]);
    for (std::int64_t line = lines.border; line < lines.border + shape[2]; ++line) {
      const std::int64_t channel = before + lines.lane(shape[1], line % lines.joined, i % shape[1]);
      const auto from = static_cast<std::size_t>(channel * rows + line / lines.joined);
      std::ranges::copy(joined.bytes().subspan(from * bytes, bytes), to.begin());
      to = to.subspan(bytes);
    }
  }
  return image;
}

}  // namespace weft::compiler
