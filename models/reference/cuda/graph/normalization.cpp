// BatchNormalization (inference), InstanceNormalization, LayerNormalization and LRN.
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "models/reference/cuda/graph/lanes.h"
#include "models/reference/cuda/graph/operators.h"

namespace weft::cuda {
namespace {

using graph::Shape;

struct LaneStatistics {
  Memory mean;
  Memory inverse;  // 1 / sqrt(variance + epsilon)
};

double epsilon_of(const NodeRun& node) {
  return static_cast<double>(node.attributes().real("epsilon", 1e-5F));
}

Memory inverse_deviation(NodeRun& node, const Memory& variance, std::int64_t count) {
  Memory inverse = node.device().allocate(count * 8);
  node.run(InverseDeviation{elements_of<double>(variance), elements_of<double>(inverse),
                            epsilon_of(node)},
           count);
  return inverse;
}

/// LaneStatistics of each of `count` lanes of `length` elements, which are contiguous.
LaneStatistics statistics(NodeRun& node, std::int64_t count, std::int64_t length) {
  const StridedLanes lanes = lanes_along({count, length}, {1});
  const float* x = node.input<float>(0);
  const auto divisor = static_cast<double>(length);
  Memory mean = reduce_lanes(node.device(), ReduceKind::kSum, x, lanes, nullptr, divisor);
  const Memory variance = reduce_lanes(node.device(), ReduceKind::kSumSquares, x, lanes,
                                       elements_of<double>(mean), divisor);
  return {std::move(mean), inverse_deviation(node, variance, count)};
}

/// The body with the fields that all operators share. The caller sets the others.
Normalize normalize(NodeRun& node, const LaneStatistics& of) {
  return {.x = node.input<float>(0),
          .mean = elements_of<double>(of.mean),
          .inverse = elements_of<double>(of.inverse),
          .scale = node.input<float>(1),
          .bias = node.input<float>(2),
          .y = node.result<float>(),
          .stat_inner = 1,
          .stats = 1,
          .param_inner = 1,
          .params = 1};
}

Memory widened(NodeRun& node, const float* x, std::int64_t count) {
  Memory result = node.device().allocate(count * 8);
  node.run(Widen{x, elements_of<double>(result)}, count);
  return result;
}

std::int64_t plane_of(const Shape& shape) {
  return graph::element_count({shape.begin() + 2, shape.end()});
}

void write_rounded(NodeRun& node, std::size_t output, const Memory& values) {
  if (!node.wants(output)) return;
  node.run(Round{elements_of<double>(values), node.result<float>(output)},
           node.result_count(output));
}

bool takes_batch_normalization(const graph::Graph& graph, const graph::Node& node) {
  return takes_floats(graph, node) && node.outputs.size() == 1 &&
         graph.type(node.inputs[0]).shape.size() >= 2 &&
         node.attributes.integer("training_mode", 0) == 0;
}

void run_batch_normalization(NodeRun& node) {
  const std::int64_t channels = node.count(1);
  const Memory variance = widened(node, node.input<float>(4), channels);
  const LaneStatistics of{widened(node, node.input<float>(3), channels),
                          inverse_deviation(node, variance, channels)};
  Normalize body = normalize(node, of);
  body.stat_inner = body.param_inner = plane_of(node.shape(0));
  body.stats = body.params = channels;
  node.run(body, node.result_count());
}

void run_instance_normalization(NodeRun& node) {
  const std::int64_t channels = node.count(1);
  const std::int64_t planes = node.shape(0)[0] * channels;
  const std::int64_t plane = plane_of(node.shape(0));
  const LaneStatistics of = statistics(node, planes, plane);
  Normalize body = normalize(node, of);
  body.stat_inner = body.param_inner = plane;
  body.stats = planes;
  body.params = channels;
  node.run(body, node.result_count());
}

void run_layer_normalization(NodeRun& node) {
  const Shape& shape = node.shape(0);
  const std::int64_t axis = graph::normalized_axis(node.attributes().integer("axis", -1),
                                                   static_cast<std::int64_t>(shape.size()));
  const std::int64_t runs = graph::element_count({shape.begin(), shape.begin() + axis});
  const std::int64_t length = graph::element_count({shape.begin() + axis, shape.end()});
  const LaneStatistics of = statistics(node, runs, length);
  Normalize body = normalize(node, of);
  body.stat_inner = length;
  body.stats = runs;
  body.params = length;
  node.run(body, node.result_count());
  write_rounded(node, 1, of.mean);
  write_rounded(node, 2, of.inverse);
}

void run_lrn(NodeRun& node) {
  const Shape& shape = node.shape(0);
  const std::int64_t size = node.attributes().integer("size", 1);
  const float alpha = node.attributes().real("alpha", 1e-4F);
  const float* x = node.input<float>(0);
  node.run(LocalResponse{x, node.result<float>(), shape[1], plane_of(shape), size,
                         alpha / static_cast<float>(size), node.attributes().real("beta", 0.75F),
                         node.attributes().real("bias", 1.0F)},
           node.result_count());
}

}  // namespace

DeviceOperators normalization_operators() {
  using enum Closeness;
  static constexpr auto kOperators = std::to_array<DeviceEntry>({
      {Op::kBatchNormalization, {{takes_batch_normalization, run_batch_normalization, kLastPlace}}},
      {Op::kInstanceNormalization, {{takes_floats, run_instance_normalization, kLastPlace}}},
      {Op::kLayerNormalization, {{takes_floats, run_layer_normalization, kLastPlace}}},
      {Op::kLrn, {{takes_floats, run_lrn, kLastPlace}}},
  });
  return kOperators;
}

}  // namespace weft::cuda
