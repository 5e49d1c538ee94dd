// A dense row-major tensor. Copies share the elements until one copy is written to. So copies are
// cheap, and a network's weights are in memory only once.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/graph/data_type.h"

namespace weft::graph {

/// Extents, outermost first; empty for a scalar. If an extent is 0, the tensor has no elements.
using Shape = std::vector<std::int64_t>;

/// The product of the extents. Throws InputError if one is negative or the product overflows.
std::int64_t element_count(const Shape& shape);
/// "1x3x224x224", or "scalar".
std::string to_string(const Shape& shape);
/// For each dimension, the distance in elements between neighbors in a row-major tensor.
Shape row_major_strides(const Shape& shape);

/// The properties of a value that are known before its elements.
struct ValueType {
  DataType type = DataType::kFloat32;
  Shape shape;
  friend bool operator==(const ValueType&, const ValueType&) = default;
};

/// "float32 1x3x224x224".
std::string to_string(const ValueType& type);

class Tensor {
 public:
  /// Makes a float32 scalar with value 0.
  Tensor() : Tensor(DataType::kFloat32, {}) {}
  /// Makes a tensor of zeros. Throws InputError if an extent is negative, the size overflows, or
  /// the tensor does not fit in this computer's memory.
  Tensor(DataType type, Shape shape);
  explicit Tensor(const ValueType& type) : Tensor(type.type, type.shape) {}

  /// Makes a tensor of `values` in row-major order. Their number must match the shape.
  template <class T>
  static Tensor of(Shape shape, const std::vector<T>& values);
  /// vector() makes a tensor of rank 1, scalar() one of rank 0.
  template <class T>
  static Tensor vector(const std::vector<T>& values) {
    return of<T>({static_cast<std::int64_t>(values.size())}, values);
  }
  template <class T>
  static Tensor scalar(T value) {
    return of<T>({}, std::vector<T>{value});
  }

  DataType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  ValueType value_type() const { return {type_, shape_}; }
  std::int64_t rank() const { return static_cast<std::int64_t>(shape_.size()); }
  std::int64_t size() const { return size_; }

  std::span<const std::byte> bytes() const { return *bytes_; }
  /// The elements for writing. Copies them first if another tensor shares them.
  std::span<std::byte> mutable_bytes();

  /// The elements. T must be the C++ type of type().
  template <class T>
  std::span<const T> data() const {
    assert(data_type_of<T>() == type_);
    return {reinterpret_cast<const T*>(bytes_->data()), static_cast<std::size_t>(size_)};
  }
  template <class T>
  std::span<T> mutable_data() {
    assert(data_type_of<T>() == type_);
    return {reinterpret_cast<T*>(mutable_bytes().data()), static_cast<std::size_t>(size_)};
  }

  /// The same elements with another shape. Throws InputError if the number of elements differs.
  Tensor reshaped(Shape shape) const;

  /// Compares type, shape and bytes.
  friend bool operator==(const Tensor& a, const Tensor& b) {
    return a.type_ == b.type_ && a.shape_ == b.shape_ && *a.bytes_ == *b.bytes_;
  }

 private:
  DataType type_;
  Shape shape_;
  std::int64_t size_;
  std::shared_ptr<std::vector<std::byte>> bytes_;
};

template <class T>
Tensor Tensor::of(Shape shape, const std::vector<T>& values) {
  Tensor tensor(data_type_of<T>(), std::move(shape));
  assert(tensor.size_ == static_cast<std::int64_t>(values.size()));
  const std::span<T> out = tensor.mutable_data<T>();
  for (std::size_t i = 0; i < values.size(); ++i) out[i] = values[i];
  return tensor;
}

/// The elements of an int64 or int32 tensor. Throws InputError for another type.
std::vector<std::int64_t> to_int64(const Tensor& tensor);

}  // namespace weft::graph
