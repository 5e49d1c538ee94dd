#include "sim/memory/matrix.h"

#include <fmt/format.h>

#include "base/error.h"
#include "sim/memory/physical_memory.h"

namespace weft {
namespace {

std::size_t checked_bytes(ElementType type, std::uint64_t rows, std::uint64_t cols) {
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(rows, cols, &elements) ||
      __builtin_mul_overflow(elements, element_bytes(type), &bytes) ||
      bytes > physical_memory_bytes()) {
    throw InputError(fmt::format("a {} matrix of {} x {} is larger than this computer's memory",
                                 to_string(type), rows, cols));
  }
  return bytes;
}

}  // namespace

Matrix::Matrix(ElementType type, std::uint64_t rows, std::uint64_t cols)
    : type_(type), rows_(rows), cols_(cols), bytes_(checked_bytes(type, rows, cols)) {}

std::span<std::byte> Matrix::row_from(std::uint64_t row, std::uint64_t col) {
  const std::uint64_t size = element_bytes(type_);
  return std::span(bytes_).subspan((row * cols_ + col) * size, (cols_ - col) * size);
}

std::span<const std::byte> Matrix::row_from(std::uint64_t row, std::uint64_t col) const {
  const std::uint64_t size = element_bytes(type_);
  return std::span(bytes_).subspan((row * cols_ + col) * size, (cols_ - col) * size);
}

}  // namespace weft
