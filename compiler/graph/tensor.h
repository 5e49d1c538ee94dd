// A dense row-major tensor. Copies share the elements until one of them is written to, so that
// values may be handed about freely; a network's weights exist once.
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

/// Extents, outermost first; empty for a scalar. An extent may be 0: then there are no elements.
using Shape = std::vector<std::int64_t>;

/// The product of the extents. Throws InputError if one is negative or the product overflows.
std::int64_t element_count(const Shape& shape);
/// "1x3x224x224", or "scalar".
std::string to_string(const Shape& shape);
/// Elements between neighbours along each dimension of a row-major tensor.
Shape row_major_strides(const Shape& shape);

/// What is known of a value before it exists.
struct ValueType {
  DataType type = DataType::kFloat32;
  Shape shape;
  friend bool operator==(const ValueType&, const ValueType&) = default;
};

/// "float32 1x3x224x224".
std::string to_string(const ValueType& type);

class Tensor {
 public:
  /// A float32 scalar 0.
  Tensor() : Tensor(DataType::kFloat32, {}) {}
  /// Zeros. Throws InputError if a size is negative, overflows, or is more than this computer's
  /// memory.
  Tensor(DataType type, Shape shape);
  explicit Tensor(const ValueType& type) : Tensor(type.type, type.shape) {}

  /// `values` in row-major order; as many as the shape has elements.
  template <class T>
  static Tensor of(Shape shape, const std::vector<T>& values);
  /// A tensor of rank 1, or a scalar.
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
  /// For writing; the elements are copied first if another tensor shares them.
  std::span<std::byte> mutable_bytes();

  /// The elements. T must be the type's element.
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

  /// The same elements under another shape of as many. Throws InputError if it has not as many.
  Tensor reshaped(Shape shape) const;

  /// Same type, shape and bytes.
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
