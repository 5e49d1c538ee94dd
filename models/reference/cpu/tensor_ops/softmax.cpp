// Softmax and LogSoftmax. The largest element is subtracted first, so that no exponential
// overflows; everything is evaluated in binary64 and rounded once.
//
//   softmax(x)_i = exp(x_i - m) / s      log: (x_i - m) - log(s)      m = max x, s = sum exp(x - m)
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/convert.h"
#include "models/reference/cpu/tensor_ops/elements.h"
#include "models/reference/cpu/tensor_ops/extrema.h"
#include "models/reference/cpu/tensor_ops/kernels.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::NodeCall;
using graph::Tensor;

double largest(const std::vector<double>& lane) {
  double result = -std::numeric_limits<double>::infinity();
  for (const double x : lane) result = Larger{}(result, x);
  return result;
}

void softmax(std::vector<double>& lane) {
  const double shift = largest(lane);
  double sum = 0;
  for (double& x : lane) sum += x = std::exp(x - shift);
  for (double& x : lane) x /= sum;
}

void log_softmax(std::vector<double>& lane) {
  const double shift = largest(lane);
  double sum = 0;
  for (const double x : lane) sum += std::exp(x - shift);
  const double log_sum = std::log(sum);
  for (double& x : lane) x = (x - shift) - log_sum;
}

// Calls function(lane), which changes it in place, for every line of elements along the axis.
template <class T, class Function>
Tensor map_lanes(const Tensor& x, const AxisView& view, Function function) {
  Tensor result(x.value_type());
  const std::span<const T> in = x.data<T>();
  const std::span<T> out = result.mutable_data<T>();
  std::vector<double> lane(static_cast<std::size_t>(view.extent));
  const auto stride = static_cast<std::size_t>(view.inner);
  for (std::int64_t line = 0; line < view.outer * view.inner; ++line) {
    const std::int64_t outer = line / view.inner;
    const auto first =
        static_cast<std::size_t>(outer * view.extent * view.inner + line % view.inner);
    for (std::size_t i = 0; i < lane.size(); ++i) lane[i] = convert<double>(in[first + i * stride]);
    function(lane);
    for (std::size_t i = 0; i < lane.size(); ++i) out[first + i * stride] = convert<T>(lane[i]);
  }
  return result;
}

template <void (*function)(std::vector<double>& lane)>
std::vector<Tensor> evaluate_softmax(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const AxisView view = view_along(x.shape(), axis_of(call, -1, x.rank()));
  return {with_floats(x.type(), [&]<class T>(T) { return map_lanes<T>(x, view, function); })};
}

}  // namespace

Kernels softmax_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kSoftmax, evaluate_softmax<softmax>},
      {Op::kLogSoftmax, evaluate_softmax<log_softmax>},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
