// An owning row-major matrix of one element type, for the inputs and results of a run.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "pe/element_type.h"

namespace weft {

class Matrix {
 public:
  Matrix() = default;
  /// Zero-filled. Throws InputError if rows * cols * element size overflows, or is more than this
  /// computer's memory.
  Matrix(ElementType type, std::uint64_t rows, std::uint64_t cols);

  ElementType type() const { return type_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t cols() const { return cols_; }
  std::span<std::byte> bytes() { return bytes_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  /// The elements [row][col .. cols) as bytes. row < rows(), col <= cols().
  std::span<std::byte> row_from(std::uint64_t row, std::uint64_t col);
  std::span<const std::byte> row_from(std::uint64_t row, std::uint64_t col) const;

  /// Element [row][col] as T, which must have the size of the element type. row < rows(),
  /// col < cols().
  template <class T>
  T at(std::uint64_t row, std::uint64_t col) const;
  template <class T>
  void set(std::uint64_t row, std::uint64_t col, T value);

  friend bool operator==(const Matrix&, const Matrix&) = default;

 private:
  ElementType type_ = ElementType::kInt8;
  std::uint64_t rows_ = 0;
  std::uint64_t cols_ = 0;
  std::vector<std::byte> bytes_;
};

template <class T>
T Matrix::at(std::uint64_t row, std::uint64_t col) const {
  static_assert(std::is_trivially_copyable_v<T>);
  assert(sizeof(T) == element_bytes(type_) && row < rows_ && col < cols_);
  T value;
  std::memcpy(&value, bytes_.data() + (row * cols_ + col) * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void Matrix::set(std::uint64_t row, std::uint64_t col, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  assert(sizeof(T) == element_bytes(type_) && row < rows_ && col < cols_);
  std::memcpy(bytes_.data() + (row * cols_ + col) * sizeof(T), &value, sizeof(T));
}

}  // namespace weft
