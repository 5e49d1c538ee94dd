#include <fmt/format.h>

#include <cstring>
#include <span>
#include <vector>

#include "base/error.h"
#include "compiler/emit/matmul.h"

namespace weft {
namespace {

void check_types(const Matrix& weights, const Matrix* bias) {
  if (weights.type() != ElementType::kInt8) {
    throw InputError(
        fmt::format("zero point: the weights are {}, must be int8", to_string(weights.type())));
  }
  if (bias == nullptr) return;
  if (bias->type() != ElementType::kInt32 || bias->rows() != 1 || bias->cols() != weights.cols()) {
    throw InputError(fmt::format("zero point: the bias is {} [{},{}], must be int32 [1,{}]",
                                 to_string(bias->type()), bias->rows(), bias->cols(),
                                 weights.cols()));
  }
}

/// The sum of each column modulo 2^32, added row by row as the matrix lies in memory.
std::vector<std::uint32_t> column_sums(const Matrix& weights) {
  std::vector<std::uint32_t> sums(weights.cols());
  const std::span<const std::byte> bytes = weights.bytes();
  for (std::size_t i = 0, col = 0; i < bytes.size(); ++i) {
    const auto value = static_cast<std::int8_t>(std::to_integer<std::uint8_t>(bytes[i]));
    sums[col] += static_cast<std::uint32_t>(std::int32_t{value});
    col = col + 1 == sums.size() ? 0 : col + 1;
  }
  return sums;
}

}  // namespace

Matrix fold_zero_point(const Matrix& weights, std::int32_t zero_point, const Matrix* bias) {
  check_types(weights, bias);
  std::vector<std::uint32_t> folded(weights.cols());
  if (bias != nullptr && !folded.empty()) {
    std::memcpy(folded.data(), bias->bytes().data(), folded.size() * sizeof(folded[0]));
  }
  const std::vector<std::uint32_t> sums = column_sums(weights);
  for (std::size_t col = 0; col < folded.size(); ++col) {
    folded[col] -= static_cast<std::uint32_t>(zero_point) * sums[col];
  }
  Matrix result(ElementType::kInt32, 1, weights.cols());
  if (!folded.empty()) {
    std::memcpy(result.bytes().data(), folded.data(), folded.size() * sizeof(folded[0]));
  }
  return result;
}

}  // namespace weft
