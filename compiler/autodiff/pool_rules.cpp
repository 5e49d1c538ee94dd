// Pools. An average spreads its gradient evenly over the window. A maximum gives its gradient to
// the first element, in window order, that equals the maximum, as in PyTorch.
#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/autodiff/first_extreme.h"
#include "compiler/autodiff/rules.h"
#include "compiler/autodiff/window_attributes.h"

namespace weft::autodiff {
namespace {

using graph::Tensor;
using graph::WindowDim;
using Windows = std::vector<WindowDim>;

/// Limits the size of the graph, because max_pool_gradient() adds several nodes per tap.
constexpr std::int64_t kMostTaps = 4096;

Windows windows_of(NodeGradient& g) {
  return graph::resolve_windows(g.attributes(), g.shape(g.input(0)),
                                g.attributes().integers("kernel_shape"));
}

Shape kernel_of(const Windows& windows) {
  Shape kernel;
  for (const WindowDim& dim : windows) kernel.push_back(dim.kernel);
  return kernel;
}

/// The coordinates of position `number` in a row-major grid of `extents`.
Ints position_of(std::int64_t number, const Shape& extents) {
  Ints position(extents.size());
  for (std::size_t d = extents.size(); d-- > 0; number /= extents[d]) {
    position[d] = number % extents[d];
  }
  return position;
}

/// Weights [C * taps, 1, kernel...] for C groups. The filter for tap t of a channel has a 1 at tap
/// t and zeros elsewhere.
graph::Constant one_hot_filters(std::int64_t channels, const Shape& kernel) {
  const std::int64_t taps = graph::element_count(kernel);
  Shape shape = {channels * taps, 1};
  shape.insert(shape.end(), kernel.begin(), kernel.end());
  const graph::ValueType type{graph::DataType::kFloat32, shape};
  return {type, [type, taps] {
            Tensor tensor(type);
            const auto values = tensor.mutable_data<float>();
            const auto count = static_cast<std::size_t>(taps);
            for (std::size_t i = 0; i * count < values.size(); ++i)
              values[i * count + i % count] = 1;
            return tensor;
          }};
}

graph::Constant ones(const Shape& shape) {
  const graph::ValueType type{graph::DataType::kFloat32, shape};
  return {type, [type] {
            Tensor tensor(type);
            std::ranges::fill(tensor.mutable_data<float>(), 1.0F);
            return tensor;
          }};
}

/// x, padded with -infinity so that it covers all windows.
ValueId padded(NodeGradient& g, const Windows& windows) {
  Ints pads(2 * (windows.size() + 2), 0);
  for (std::size_t d = 0; d < windows.size(); ++d) {
    const WindowDim& dim = windows[d];
    const std::int64_t reach = (dim.output - 1) * dim.stride + dim.extent();
    pads[2 + d] = dim.pad_begin;
    pads[4 + windows.size() + d] = std::max<std::int64_t>(0, reach - dim.pad_begin - dim.input);
  }
  return g.pad(g.input(0), pads, -std::numeric_limits<double>::infinity());
}

/// The element at tap `tap` of every window, [N, C, output...].
ValueId seen_by(NodeGradient& g, ValueId padded, const Windows& windows, const Ints& tap) {
  Ints starts, ends, steps;
  for (std::size_t d = 0; d < windows.size(); ++d) {
    starts.push_back(tap[d] * windows[d].dilation);
    ends.push_back(starts[d] + (windows[d].output - 1) * windows[d].stride + 1);
    steps.push_back(windows[d].stride);
  }
  const Ints axes = iota(static_cast<std::int64_t>(windows.size()), 2);
  return g.add(Op::kSlice, {padded, g.list(starts), g.list(ends), g.list(axes), g.list(steps)});
}

/// For each tap, the gradient of the element there: dy where the tap is the first in its window to
/// equal the maximum, else 0.
std::vector<ValueId> by_tap(NodeGradient& g, const Windows& windows) {
  const Shape kernel = kernel_of(windows);
  const std::int64_t taps = graph::element_count(kernel);
  const ValueId x = padded(g, windows);
  const ValueId zero = g.number(g.dy(), 0);
  std::vector<ValueId> parts;
  ValueId left = g.dy();
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    const ValueId seen = seen_by(g, x, windows, position_of(tap, kernel));
    const ValueId is_first = g.add(Op::kEqual, {seen, g.output()});
    parts.push_back(g.where(is_first, left, zero));
    if (tap + 1 < taps) left = g.where(is_first, zero, left);
  }
  return parts;
}

/// The parts in one tensor [N, C, output..., taps].
ValueId stacked(NodeGradient& g, std::vector<ValueId> parts) {
  Shape shape = g.shape(g.dy());
  shape.push_back(1);
  for (ValueId& part : parts) part = g.reshape(part, shape);
  return g.add(Op::kConcat, parts, {{"axis", std::int64_t{-1}}});
}

/// True if the windows are adjacent, without overlap, gaps or padding. Each element then belongs to
/// at most one tap.
bool side_by_side(const Windows& windows) {
  return std::ranges::all_of(windows, [](const WindowDim& dim) {
    return dim.stride == dim.extent() && dim.dilation == 1 && dim.pad_begin == 0 &&
           dim.output * dim.stride <= dim.input;
  });
}

/// Puts the taps of adjacent windows back by a transpose: [N, C, o, p, kh, kw] becomes
/// [N, C, o, kh, p, kw].
ValueId interleaved(NodeGradient& g, ValueId stack, const Windows& windows) {
  const Shape x = g.shape(g.input(0));
  const auto rank = static_cast<std::int64_t>(windows.size());
  Shape apart = {x[0], x[1]}, whole = {x[0], x[1]};
  Ints perm = {0, 1};
  Ints pads(2 * x.size(), 0);
  for (const WindowDim& dim : windows) apart.push_back(dim.output);
  for (std::int64_t d = 0; d < rank; ++d) {
    const WindowDim& dim = windows[static_cast<std::size_t>(d)];
    apart.push_back(dim.kernel);
    whole.push_back(dim.output * dim.kernel);
    perm.insert(perm.end(), {2 + d, 2 + rank + d});
    pads[static_cast<std::size_t>(4 + rank + d)] = dim.input - dim.output * dim.kernel;
  }
  return g.pad(g.reshape(g.transpose(g.reshape(stack, apart), perm), whole), pads);
}

/// Puts the taps of any windows back and adds them where windows overlap. It is a ConvTranspose of
/// each channel's taps with one-hot filters.
ValueId scattered(NodeGradient& g, ValueId stack, const Windows& windows) {
  const Shape kernel = kernel_of(windows);
  Shape shape = g.shape(g.dy());
  Ints perm = iota(g.rank(stack));
  std::rotate(perm.begin() + 2, perm.end() - 1, perm.end());
  const std::int64_t channels = shape[1];
  shape[1] *= graph::element_count(kernel);
  const ValueId filters = g.constant(one_hot_filters(channels, kernel), "taps");
  return g.add(Op::kConvTranspose, {g.reshape(g.transpose(stack, perm), shape), filters},
               transposed_attributes(windows, channels));
}

/// The number of elements in each window, [1, 1, output...], or a scalar if all are equal.
graph::Constant divisors(const Windows& windows, bool with_padding) {
  Shape shape = {1, 1};
  for (const WindowDim& dim : windows) shape.push_back(dim.output);
  Tensor tensor(graph::DataType::kFloat32, shape);
  const auto values = tensor.mutable_data<float>();
  const Shape outputs(shape.begin() + 2, shape.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Ints at = position_of(static_cast<std::int64_t>(i), outputs);
    double count = 1;
    for (std::size_t d = 0; d < windows.size(); ++d) {
      const WindowDim& dim = windows[d];
      const std::int64_t low = with_padding ? -dim.pad_begin : 0;
      const std::int64_t high = dim.input + (with_padding ? dim.pad_end : 0);
      const std::int64_t start = at[d] * dim.stride - dim.pad_begin;
      count *= static_cast<double>(std::min(start + dim.kernel, high) - std::max(start, low));
    }
    values[i] = static_cast<float>(count);
  }
  const bool same = std::ranges::all_of(values, [&](float each) { return each == values[0]; });
  return same && !values.empty() ? Tensor::scalar(values[0]) : tensor;
}

Ints spatial_axes(NodeGradient& g) {
  return iota(g.rank(g.input(0)) - 2, 2);
}

void max_pool_gradient(NodeGradient& g) {
  const Windows windows = windows_of(g);
  if (graph::element_count(kernel_of(windows)) > kMostTaps) {
    g.refuse("the windows have more than 4096 elements; use GlobalMaxPool or smaller windows");
  }
  const ValueId stack = stacked(g, by_tap(g, windows));
  g.give(0, side_by_side(windows) ? interleaved(g, stack, windows) : scattered(g, stack, windows));
}

void average_pool_gradient(NodeGradient& g) {
  const Windows windows = windows_of(g);
  const bool with_padding = g.attributes().integer("count_include_pad", 0) != 0;
  const ValueId counts = g.constant(divisors(windows, with_padding), "counts");
  const std::int64_t channels = g.shape(g.input(0))[1];
  Shape shape = {channels, 1};
  for (const WindowDim& dim : windows) shape.push_back(dim.kernel);
  g.give(0, g.add(Op::kConvTranspose,
                  {g.add(Op::kDiv, {g.dy(), counts}), g.constant(ones(shape), "ones")},
                  transposed_attributes(windows, channels)));
}

void global_average_pool_gradient(NodeGradient& g) {
  const Shape x = g.shape(g.input(0));
  const double plane = static_cast<double>(graph::element_count({x.begin() + 2, x.end()}));
  g.give(0, g.expand(g.divided(g.dy(), plane), x));
}

void global_max_pool_gradient(NodeGradient& g) {
  g.give(0, to_first_extreme(g, g.output(), g.dy(), spatial_axes(g)));
}

}  // namespace

Rules pool_rules() {
  static constexpr auto kRules = std::to_array<RuleEntry>({
      {Op::kMaxPool, max_pool_gradient},
      {Op::kAveragePool, average_pool_gradient},
      {Op::kGlobalAveragePool, global_average_pool_gradient},
      {Op::kGlobalMaxPool, global_max_pool_gradient},
  });
  return kRules;
}

}  // namespace weft::autodiff
