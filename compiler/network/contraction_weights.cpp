#include "compiler/network/contraction_weights.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace weft::network {

using graph::DataType;
using graph::Tensor;

MakeTensor make_of(const graph::Constant& constant) {
  return [constant] { return constant.tensor(); };
}

namespace {

/// Sum over the weights of each column n, less the zero point, times -zero: what the bias takes so
/// that activations may enter with their zero point.
std::vector<std::int64_t> column_sums(const ConstantWeights& weights, std::int64_t n) {
  const Tensor tensor = weights.make();
  const bool is_unsigned = tensor.type() == DataType::kUint8;
  std::vector<std::int64_t> sums(unsigned_of(n), 0);
  const std::int64_t count = tensor.size();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t column =
        weights.form == WeightForm::kMatrix ? i % n : i / std::max<std::int64_t>(1, count / n);
    const auto at = unsigned_of(i);
    const std::int64_t value =
        is_unsigned ? tensor.data<std::uint8_t>()[at] : tensor.data<std::int8_t>()[at];
    sums[unsigned_of(column)] += value - weights.zero_point;
  }
  return sums;
}

}  // namespace

MakeTensor folded_bias(MakeTensor bias, ConstantWeights weights, std::int32_t zero,
                       std::int64_t n) {
  if (zero == 0) return bias;
  return [bias = std::move(bias), weights = std::move(weights), zero, n] {
    const std::vector<std::int64_t> sums = column_sums(weights, n);
    Tensor folded(DataType::kInt32, {n});
    const auto out = folded.mutable_data<std::int32_t>();
    const Tensor given = bias ? bias() : Tensor(DataType::kInt32, {n});
    const auto in = given.data<std::int32_t>();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      out[i] = static_cast<std::int32_t>(
          static_cast<std::uint32_t>(in[i]) -
          static_cast<std::uint32_t>(static_cast<std::int64_t>(zero) * sums[i]));
    }
    return folded;
  };
}

bool fits_int8(const graph::Constant& weights, std::int32_t zero_point) {
  const bool is_unsigned = weights.type().type == DataType::kUint8;
  const std::int32_t low = (is_unsigned ? 0 : -128) - zero_point;
  const std::int32_t high = (is_unsigned ? 255 : 127) - zero_point;
  if (low >= -128 && high <= 127) return true;
  const Tensor tensor = weights.tensor();
  const auto fits = [&](std::int32_t value) {
    return value - zero_point >= -128 && value - zero_point <= 127;
  };
  if (is_unsigned) return std::ranges::all_of(tensor.data<std::uint8_t>(), fits);
  return std::ranges::all_of(tensor.data<std::int8_t>(), fits);
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

}  // namespace weft::network
