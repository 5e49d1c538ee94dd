#include "compiler/graph/tensor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "sim/memory/physical_memory.h"

namespace weft::graph {

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      throw InputError(fmt::format("shape {}: an extent is negative", to_string(shape)));
    }
    empty = empty || extent == 0;
    // Leave zeros out of the product, so that 2^40 x 2^40 x 0 overflows in any order of extents.
    if (extent != 0 && __builtin_mul_overflow(count, extent, &count)) {
      throw InputError(fmt::format("shape {}: the number of elements overflows", to_string(shape)));
    }
  }
  return empty ? 0 : count;
}

std::string to_string(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

Shape row_major_strides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::string to_string(const ValueType& type) {
  return fmt::format("{} {}", to_string(type.type), to_string(type.shape));
}

Tensor::Tensor(DataType type, Shape shape)
    : type_(type), shape_(std::move(shape)), size_(element_count(shape_)) {
  const auto count = static_cast<std::uint64_t>(size_);
  if (count > physical_memory_bytes() / weft::graph::size_bytes(type)) {
    throw InputError(fmt::format("a tensor of {} does not fit in this computer's memory",
                                 to_string(value_type())));
  }
  bytes_ = std::make_shared<std::vector<std::byte>>(count * weft::graph::size_bytes(type));
}

std::span<std::byte> Tensor::mutable_bytes() {
  if (bytes_.use_count() > 1) bytes_ = std::make_shared<std::vector<std::byte>>(*bytes_);
  return *bytes_;
}

Tensor Tensor::reshaped(Shape shape) const {
  if (element_count(shape) != size_) {
    throw InputError(fmt::format("{} elements of shape {} cannot take the shape {}", size_,
                                 to_string(shape_), to_string(shape)));
  }
  Tensor result = *this;
  result.shape_ = std::move(shape);
  return result;
}

std::vector<std::int64_t> to_int64(const Tensor& tensor) {
  if (tensor.type() == DataType::kInt64) {
    const auto data = tensor.data<std::int64_t>();
    return {data.begin(), data.end()};
  }
  if (tensor.type() == DataType::kInt32) {
    const auto data = tensor.data<std::int32_t>();
    return {data.begin(), data.end()};
  }
  throw InputError(fmt::format("{} where int64 is expected", to_string(tensor.type())));
}

}  // namespace weft::graph
