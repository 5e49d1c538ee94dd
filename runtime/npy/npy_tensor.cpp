#include "runtime/npy/npy_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "runtime/npy/npy_header.h"

namespace weft::runtime {
namespace {

using graph::DataType;
using graph::Shape;
using graph::Tensor;

constexpr std::array<std::pair<NpyType, DataType>, 8> kTensorTypes = {
    {{NpyType::kBool, DataType::kBool},
     {NpyType::kInt8, DataType::kInt8},
     {NpyType::kUint8, DataType::kUint8},
     {NpyType::kInt32, DataType::kInt32},
     {NpyType::kInt64, DataType::kInt64},
     {NpyType::kFloat16, DataType::kFloat16},
     {NpyType::kFloat32, DataType::kFloat32},
     {NpyType::kFloat64, DataType::kFloat64}}};

DataType tensor_type(NpyType type) {
  return std::ranges::find(kTensorTypes, type, &std::pair<NpyType, DataType>::first)->second;
}

NpyType npy_type(DataType type) {
  return std::ranges::find(kTensorTypes, type, &std::pair<NpyType, DataType>::second)->first;
}

Shape tensor_shape(const NpyArray& array) {
  Shape shape;
  for (const std::uint64_t extent : array.shape) {
    if (extent > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      throw InputError(fmt::format("{}: an extent of {} is too large; save a smaller array",
                                   array.file, extent));
    }
    shape.push_back(static_cast<std::int64_t>(extent));
  }
  return shape;
}

void check_bools(const NpyArray& array) {
  if (array.type != NpyType::kBool) return;
  const bool sound =
      std::ranges::all_of(array.data, [](std::byte value) { return value <= std::byte{1}; });
  if (sound) return;
  throw InputError(array.file + ": has a bool that is neither 0 nor 1; save it again");
}

/// Copies elements into row-major order from one in which the first index moves fastest.
void copy_transposed(std::span<const std::byte> from, std::span<std::byte> to, const Shape& shape,
                     std::size_t element_size) {
  std::vector<std::size_t> steps;
  std::size_t step = 1;
  for (const std::int64_t extent : shape) {
    steps.push_back(step);
    step *= static_cast<std::size_t>(extent);
  }
  std::vector<std::int64_t> index(shape.size(), 0);
  std::size_t source = 0;
  for (std::size_t at = 0; at < to.size(); at += element_size) {
    std::memcpy(&to[at], &from[source * element_size], element_size);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      source += steps[axis];
      if (++index[axis] < shape[axis]) break;
      source -= steps[axis] * static_cast<std::size_t>(index[axis]);
      index[axis] = 0;
    }
  }
}

}  // namespace

Tensor to_tensor(const NpyArray& array) {
  check_bools(array);
  const Shape shape = tensor_shape(array);
  Tensor tensor(tensor_type(array.type), shape);
  const std::span<std::byte> bytes = tensor.mutable_bytes();
  if (array.fortran_order) {
    copy_transposed(array.data, bytes, shape, size_of(array.type));
  } else {
    std::ranges::copy(array.data, bytes.begin());
  }
  return tensor;
}

std::string encode_npy(const Tensor& tensor) {
  const std::vector<std::uint64_t> shape(tensor.shape().begin(), tensor.shape().end());
  std::string file =
      encode_npy_header({std::string(to_string(npy_type(tensor.type()))), false, shape});
  const std::span<const std::byte> data = tensor.bytes();
  file.append(reinterpret_cast<const char*>(data.data()), data.size());
  return file;
}

}  // namespace weft::runtime
