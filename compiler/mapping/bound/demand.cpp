#include "compiler/mapping/bound/demand.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/windows.h"

namespace weft::compiler {
namespace {

using graph::Graph;
using graph::Node;
using graph::Shape;
using graph::WindowDim;

double elements(const Shape& shape) {
  double product = 1;
  for (const std::int64_t extent : shape) product *= static_cast<double>(extent);
  return product;
}

/// Positions first, ..., last.
struct Positions {
  std::int64_t first = 0;
  std::int64_t last = -1;
};

/// Maps n to the number of positions that lie in n ranges, for n > 0.
using Overlaps = std::map<std::int64_t, std::int64_t>;

void add_overlaps(const std::vector<Positions>& ranges, Overlaps& overlaps) {
  std::map<std::int64_t, std::int64_t> changes;
  for (const Positions& range : ranges) {
    ++changes[range.first];
    --changes[range.last + 1];
  }
  std::int64_t depth = 0;
  std::int64_t from = 0;
  for (const auto& [position, change] : changes) {
    if (depth > 0) overlaps[depth] += position - from;
    depth += change;
    from = position;
  }
}

std::int64_t covered(const Overlaps& overlaps) {
  std::int64_t all = 0;
  for (const auto& [depth, positions] : overlaps) all += positions;
  return all;
}

/// Which taps and positions of one dimension meet outside the padding.
struct Meetings {
  Overlaps windows;  // by number of taps that meet a position
  Overlaps sources;  // by number of pairs of window and tap that meet it
  std::int64_t taps = 0;
};

/// The quotient, rounded down.
std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// Tap t of window w meets source position w*stride + t*dilation - pad. Works on ranges of windows,
/// so the time depends on the kernel and not on the image.
Meetings meetings(const WindowDim& dim, std::int64_t windows, std::int64_t sources) {
  Meetings found;
  std::vector<Positions> of_windows;
  std::map<std::int64_t, std::vector<Positions>> of_sources;  // by remainder modulo the stride
  for (std::int64_t tap = 0; tap < dim.kernel; ++tap) {
    const std::int64_t offset = tap * dim.dilation - dim.pad_begin;
    const Positions met = {std::max<std::int64_t>(0, -floor_div(offset, dim.stride)),
                           std::min(windows - 1, floor_div(sources - 1 - offset, dim.stride))};
    if (met.first > met.last) continue;
    ++found.taps;
    of_windows.push_back(met);
    const std::int64_t moved = floor_div(offset, dim.stride);
    of_sources[offset - moved * dim.stride].push_back({met.first + moved, met.last + moved});
  }
  add_overlaps(of_windows, found.windows);
  for (const auto& [remainder, ranges] : of_sources) add_overlaps(ranges, found.sources);
  return found;
}

/// Combines the dimensions: how many positions have how many taps.
std::map<std::int64_t, double> combined(const std::vector<Overlaps>& dims) {
  std::map<std::int64_t, double> all = {{1, 1}};
  for (const Overlaps& dim : dims) {
    std::map<std::int64_t, double> next;
    for (const auto& [taps, count] : all) {
      for (const auto& [more, positions] : dim) {
        next[taps * more] += count * static_cast<double>(positions);
      }
    }
    all = std::move(next);
  }
  return all;
}

/// Images [N, C, spatial...] and weights [M, C / groups, taps...], or [C, M / groups, taps...] of a
/// transposed convolution.
ContractionDemand convolution(const Graph& graph, const Node& node, const graph::Product& product) {
  const bool transposed = product.form == graph::Product::Form::kTransposedConvolution;
  const Shape& x = graph.type(node.inputs[product.a]).shape;
  const Shape& w = graph.type(node.inputs[product.b]).shape;
  const Shape& y = graph.type(node.outputs.front()).shape;
  const Shape kernel(w.begin() + 2, w.end());
  const std::vector<WindowDim> dims =
      transposed ? graph::resolve_transposed_windows(node.attributes, x, kernel)
                 : graph::resolve_windows(node.attributes, x, kernel);
  // A transposed convolution spreads each input position over the windows of its output.
  std::vector<Overlaps> results;
  ContractionDemand demand;
  demand.first = static_cast<double>(x[0]) * static_cast<double>(x[1]);
  demand.second = static_cast<double>(w[0]) * static_cast<double>(w[1]);
  for (const WindowDim& dim : dims) {
    const Meetings met =
        transposed ? meetings(dim, dim.input, dim.output) : meetings(dim, dim.output, dim.input);
    results.push_back(transposed ? met.sources : met.windows);
    demand.first *= static_cast<double>(covered(transposed ? met.windows : met.sources));
    demand.second *= static_cast<double>(met.taps);
  }
  const std::int64_t groups = node.attributes.integer("group", 1);
  const std::int64_t channels = x[1] / groups;  // that each result adds up
  demand.depthwise = groups > 1 && channels == 1;
  const double planes = static_cast<double>(y[0]) * static_cast<double>(y[1]);
  for (const auto& [taps, positions] : combined(results)) {
    demand.sums.push_back({planes * positions, taps * channels});
  }
  return demand;
}

ContractionDemand matrices(const Graph& graph, const Node& node, const graph::Product& product) {
  const Shape& a = graph.type(node.inputs[product.a]).shape;
  const Shape& b = graph.type(node.inputs[product.b]).shape;
  const bool turned =
      product.form == graph::Product::Form::kGemm && node.attributes.integer("transA", 0) != 0;
  ContractionDemand demand;
  demand.first = elements(a);
  demand.second = elements(b);
  demand.sums.push_back(
      {elements(graph.type(node.outputs.front()).shape), turned ? a.front() : a.back()});
  return demand;
}

}  // namespace

double ContractionDemand::results() const {
  double all = 0;
  for (const Sums& each : sums) all += each.count;
  return all;
}

double ContractionDemand::products() const {
  double all = 0;
  for (const Sums& each : sums) all += each.count * static_cast<double>(each.depth);
  return all;
}

double elements_of(const Graph& graph, graph::ValueId value) {
  return elements(graph.type(value).shape);
}

std::optional<ContractionDemand> contraction_demand(const Graph& graph, const Node& node) {
  using enum graph::Product::Form;
  const graph::Product& product = graph::operator_of(node.op).product;
  switch (product.form) {
    case kConvolution:
    case kTransposedConvolution:
      return convolution(graph, node, product);
    case kMatrices:
    case kGemm:
      return matrices(graph, node, product);
    case kNone:
    case kRecurrent:
      break;
  }
  return std::nullopt;
}

}  // namespace weft::compiler
