// MaxPool, AveragePool and the global pools.
#include "models/reference/cuda/graph/operators.h"
#include "models/reference/cuda/graph/window.h"

namespace weft::cuda {
namespace {

ConvolutionWindow pool_window(const NodeRun& node) {
  return make_window(graph::resolve_windows(node.attributes(), node.shape(0),
                                            node.attributes().integers("kernel_shape")));
}

void run_max_pool(NodeRun& node) {
  const float* x = node.input<float>(0);
  float* y = node.result<float>();
  const bool column_major = node.attributes().integer("storage_order", 0) != 0;
  node.run(MaxPool{x, y, node.result<std::int64_t>(1), column_major, pool_window(node)},
           node.result_count());
}

void run_average_pool(NodeRun& node) {
  const float* x = node.input<float>(0);
  const bool count_padding = node.attributes().integer("count_include_pad", 0) != 0;
  node.run(AveragePool{x, node.result<float>(), count_padding, pool_window(node)},
           node.result_count());
}

template <bool maximum>
void run_global_pool(NodeRun& node) {
  const float* x = node.input<float>(0);
  const std::int64_t planes = node.result_count();
  const std::int64_t size = planes == 0 ? 0 : node.count(0) / planes;
  node.run(GlobalPool{maximum, x, node.result<float>(), size}, planes);
}

}  // namespace

DeviceOperators pool_operators() {
  using enum Closeness;
  static constexpr auto kOperators = std::to_array<DeviceEntry>({
      {Op::kMaxPool, {{takes_window, run_max_pool, kBits}}},
      {Op::kAveragePool, {{takes_window, run_average_pool, kBits}}},
      {Op::kGlobalAveragePool, {{takes_floats, run_global_pool<false>, kBits}}},
      {Op::kGlobalMaxPool, {{takes_floats, run_global_pool<true>, kBits}}},
  });
  return kOperators;
}

}  // namespace weft::cuda
