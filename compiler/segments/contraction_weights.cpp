#include "compiler/segments/contraction_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace weft::compiler {

using graph::DataType;
using graph::Tensor;

MakeTensor make_of(const graph::Constant& constant) {
  return [constant] { return constant.tensor(); };
}

namespace {

/// The sum of each of the n columns of each matrix, over weights minus zero point.
std::vector<std::int64_t> column_sums(const ConstantWeights& weights, std::int64_t n,
                                      std::int64_t matrices) {
  const Tensor tensor = weights.make();
  const bool is_unsigned = tensor.type() == DataType::kUint8;
  std::vector<std::int64_t> sums(unsigned_of(matrices * n), 0);
  const std::int64_t count = tensor.size();
  const std::int64_t size = std::max<std::int64_t>(1, count / matrices);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t column = weights.form == WeightForm::kMatrix
                                    ? i / size * n + i % n
                                    : i / std::max<std::int64_t>(1, count / n);
    const auto at = unsigned_of(i);
    const std::int64_t value =
        is_unsigned ? tensor.data<std::uint8_t>()[at] : tensor.data<std::int8_t>()[at];
    sums[unsigned_of(column)] += value - weights.zero_point;
  }
  return sums;
}

}  // namespace

MakeTensor folded_bias(MakeTensor bias, ConstantWeights weights,
                       std::optional<std::int32_t> correction, std::int64_t n,
                       std::int64_t matrices) {
  if (!correction) return bias;
  return [bias = std::move(bias), weights = std::move(weights), zero = *correction, n, matrices] {
    const std::vector<std::int64_t> sums = column_sums(weights, n, matrices);
    Tensor folded(DataType::kInt32, {matrices * n});
    const auto out = folded.mutable_data<std::int32_t>();
    const Tensor given = bias ? bias() : Tensor(DataType::kInt32, {n});
    const auto in = given.data<std::int32_t>();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      out[i] = static_cast<std::int32_t>(
          static_cast<std::uint32_t>(in[i % unsigned_of(n)]) -
          static_cast<std::uint32_t>(static_cast<std::int64_t>(zero) * sums[i]));
    }
    return folded;
  };
}

std::int64_t int8_pieces(const graph::Constant& weights, std::int32_t zero_point) {
  const bool is_unsigned = weights.type().type == DataType::kUint8;
  std::int32_t low = (is_unsigned ? 0 : -128) - zero_point;
  std::int32_t high = (is_unsigned ? 255 : 127) - zero_point;
  if (low >= -128 && high <= 127) return 1;
  const Tensor tensor = weights.tensor();
  if (tensor.size() == 0) return 1;
  const auto measure = [&](auto data) {
    const auto [least, most] = std::ranges::minmax(data);
    low = least - zero_point;
    high = most - zero_point;
  };
  if (is_unsigned) {
    measure(tensor.data<std::uint8_t>());
  } else {
    measure(tensor.data<std::int8_t>());
  }
  if (low >= -128 && high <= 127) return 1;
  return high <= 254 ? 2 : 3;
}

std::string pieces_note(std::int64_t pieces) {
  if (pieces == 1) return {};
  return fmt::format("weights minus zero point do not fit int8: {} tiles for each, added up",
                     pieces);
}

std::optional<std::int32_t> weight_zero_point(const graph::Constant* constant) {
  if (constant == nullptr) return 0;
  const Tensor tensor = constant->tensor();
  std::optional<std::int32_t> common;
  for (std::size_t i = 0; i < unsigned_of(tensor.size()); ++i) {
    const std::int32_t value = tensor.type() == DataType::kUint8 ? tensor.data<std::uint8_t>()[i]
                                                                 : tensor.data<std::int8_t>()[i];
    if (common && *common != value) return std::nullopt;
    common = value;
  }
  return common.value_or(0);
}

}  // namespace weft::compiler
