#include "models/reference/cpu/tensor_ops/indexed/index_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/strided_loop.h"

namespace weft::reference::tensor_ops {

using graph::Shape;
using graph::Tensor;

IndexRuns element_runs(const Tensor& indices, const Shape& data, std::int64_t axis) {
  const auto at = static_cast<std::size_t>(axis);
  const std::vector<std::int64_t> values = graph::to_int64(indices);
  Shape strides = graph::row_major_strides(data);
  const std::int64_t stride = strides[at];
  strides[at] = 0;
  IndexRuns runs;
  runs.starts.reserve(values.size());
  const StridedLoop<1> loop(indices.shape(), {strides});
  loop.for_each_row([&](const auto& first) {
    for (std::int64_t i = 0; i < loop.row_length(); ++i) {
      const std::int64_t index = checked_index(values[runs.starts.size()], data[at]);
      runs.starts.push_back(first[0] + i * loop.steps()[0] + index * stride);
    }
  });
  return runs;
}

IndexRuns tuple_runs(const Tensor& indices, const Shape& data, std::int64_t batch_dims) {
  const std::vector<std::int64_t> values = graph::to_int64(indices);
  const auto batch = static_cast<std::size_t>(batch_dims);
  const auto length = static_cast<std::size_t>(indices.shape().back());
  const Shape strides = graph::row_major_strides(data);
  const Shape per_image(data.begin() + batch_dims, data.end());
  const std::int64_t image = graph::element_count(per_image);
  const std::size_t images = static_cast<std::size_t>(
      graph::element_count(Shape(data.begin(), data.begin() + batch_dims)));
  const std::size_t tuples = values.size() / length;
  const std::size_t per_batch = std::max<std::size_t>(1, tuples / std::max<std::size_t>(1, images));
  IndexRuns runs{{}, strides[batch + length - 1]};
  runs.starts.reserve(tuples);
  for (std::size_t t = 0; t < tuples; ++t) {
    std::int64_t start = static_cast<std::int64_t>(t / per_batch) * image;
    for (std::size_t j = 0; j < length; ++j) {
      const std::size_t d = batch + j;
      start += checked_index(values[t * length + j], data[d]) * strides[d];
    }
    runs.starts.push_back(start);
  }
  return runs;
}

ScatterFunction scatter_function(const graph::Attributes& attributes) {
  const std::string name = attributes.text("reduction", "none");
  if (name == "none") return ScatterFunction::kReplace;
  if (name == "add") return ScatterFunction::kAdd;
  if (name == "mul") return ScatterFunction::kMul;
  if (name == "max") return ScatterFunction::kMax;
  if (name == "min") return ScatterFunction::kMin;
  throw InputError(fmt::format("attribute reduction: '{}' is unknown", name));
}

}  // namespace weft::reference::tensor_ops
