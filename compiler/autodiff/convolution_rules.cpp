// Convolutions. The wide side is the input of a Conv or the output of a ConvTranspose; the narrow
// side is the other one. Position o of the narrow side meets position o*s - p + k*d of the wide
// side through tap k. Both operators and all their gradients have one of these forms:
//
//     narrow[m,o] = sum over c, k of wide[c, o*s-p+k*d] w[m,c,k]    a Conv
//     wide[c,i]   = sum over m, o, k that meet i                    a ConvTranspose
//     w[m,c,k]    = sum over n, o of wide[n,c, o*s-p+k*d] narrow[n,m,o]
//
// The last form is also a Conv: its input is wide, its weights are narrow, batch and channels are
// exchanged, and strides and dilations are exchanged.
#include <utility>

#include "compiler/autodiff/rules.h"
#include "compiler/autodiff/window_attributes.h"

namespace weft::autodiff {
namespace {

using graph::WindowDim;
using Windows = std::vector<WindowDim>;

Shape spatial(const Shape& shape) {
  return {shape.begin() + 2, shape.end()};
}

/// `value` with batch and channels exchanged. With groups, [N, g*C, ...] becomes [C, g*N, ...], so
/// that each group's channels meet the filters of the same group.
ValueId exchanged(NodeGradient& g, ValueId value, std::int64_t groups) {
  const Shape shape = g.shape(value);
  const Shape plane = spatial(shape);
  Shape apart = {shape[0], groups, shape[1] / groups};
  Shape whole = {shape[1] / groups, groups * shape[0]};
  apart.insert(apart.end(), plane.begin(), plane.end());
  whole.insert(whole.end(), plane.begin(), plane.end());
  Ints perm = iota(static_cast<std::int64_t>(apart.size()));
  std::swap(perm[0], perm[2]);
  return g.reshape(g.transpose(g.reshape(value, apart), perm), whole);
}

ValueId exchanged(NodeGradient& g, ValueId value) {
  Ints perm = iota(g.rank(value));
  std::swap(perm[0], perm[1]);
  return g.transpose(value, perm);
}

/// The attributes for the narrow side as a filter over the wide side. The result for tap k starts
/// at k*d, so d becomes the stride.
Attributes exchanged_attributes(Windows windows, std::int64_t groups) {
  for (WindowDim& dim : windows) {
    std::swap(dim.stride, dim.dilation);
    std::swap(dim.output, dim.kernel);
  }
  return covering_attributes(std::move(windows), groups);
}

/// The gradient of weights [M, C/g, taps...].
ValueId weight_gradient(NodeGradient& g, ValueId wide, ValueId narrow, const Windows& windows,
                        std::int64_t groups) {
  const ValueId filters = exchanged(g, narrow);
  const ValueId input = groups == 1 ? exchanged(g, wide) : exchanged(g, wide, groups);
  ValueId product = g.add(Op::kConv, {input, filters}, exchanged_attributes(windows, groups));
  for (std::size_t d = 0; d < windows.size(); ++d) {
    product = g.slice(product, static_cast<std::int64_t>(2 + d), 0, windows[d].kernel);
  }
  return exchanged(g, product);
}

void give_bias(NodeGradient& g) {
  if (!g.needs(2)) return;
  Ints axes = iota(g.rank(g.dy()));
  axes.erase(axes.begin() + 1);
  g.give(2, g.reduce_sum(g.dy(), axes, false));
}

void conv_gradient(NodeGradient& g) {
  g.expect_unfused(3);
  const ValueId x = g.input(0);
  const ValueId w = g.input(1);
  const std::int64_t groups = g.attributes().integer("group", 1);
  const Windows windows = graph::resolve_windows(g.attributes(), g.shape(x), spatial(g.shape(w)));
  if (g.needs(0)) {
    g.give(0, g.add(Op::kConvTranspose, {g.dy(), w}, transposed_attributes(windows, groups)));
  }
  if (g.needs(1)) g.give(1, weight_gradient(g, x, g.dy(), windows, groups));
  give_bias(g);
}

// Here dy is the wide side, so the windows' input and output are exchanged.
void conv_transpose_gradient(NodeGradient& g) {
  g.expect_unfused(3);
  const ValueId x = g.input(0);
  const ValueId w = g.input(1);
  const std::int64_t groups = g.attributes().integer("group", 1);
  Windows windows =
      graph::resolve_transposed_windows(g.attributes(), g.shape(x), spatial(g.shape(w)));
  for (WindowDim& dim : windows) std::swap(dim.input, dim.output);
  if (g.needs(0)) {
    ValueId dx = g.add(Op::kConv, {g.dy(), w}, covering_attributes(windows, groups));
    for (std::size_t d = 0; d < windows.size(); ++d) {
      dx = g.slice(dx, static_cast<std::int64_t>(2 + d), 0, windows[d].output);
    }
    g.give(0, dx);
  }
  if (g.needs(1)) g.give(1, weight_gradient(g, g.dy(), x, windows, groups));
  give_bias(g);
}

}  // namespace

Rules convolution_rules() {
  static constexpr auto kRules = std::to_array<RuleEntry>({
      {Op::kConv, conv_gradient},
      {Op::kConvTranspose, conv_transpose_gradient},
      RuleEntry::none(Op::kConvInteger, "it rounds or computes with integers"),
      RuleEntry::none(Op::kQLinearConv, "it rounds or computes with integers"),
  });
  return kRules;
}

}  // namespace weft::autodiff
