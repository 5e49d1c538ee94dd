// The nodes that can read or write images with several lines in a row.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/graph/graph.h"
#include "compiler/graph/shapes/windows.h"

namespace weft::compiler {

/// A convolution of images with constant filters.
struct ImageConvolution {
  graph::ValueId x = graph::kNoValue;
  graph::ValueId y = graph::kNoValue;
  std::int64_t k = 1;
  std::int64_t n = 1;
  std::int64_t groups = 1;
  graph::WindowDim lines;
  graph::WindowDim columns;
  graph::ValueId x_zero = graph::kNoValue;  // zero points of quantized images
  graph::ValueId y_zero = graph::kNoValue;
  bool from_host = false;  // loads cut its windows

  bool is_depthwise() const { return groups > 1 && groups == k && n == k; }
};

struct ImageMaxPool {
  graph::ValueId x = graph::kNoValue;
  graph::ValueId y = graph::kNoValue;
  std::int64_t channels = 1;
  graph::WindowDim lines;
  graph::WindowDim columns;
};

/// True for a computed value [N, C, H, W] with elements.
bool is_image(const graph::Graph& graph, graph::ValueId value);

/// nullopt if the node is no such convolution. `from_host` is left to the caller.
std::optional<ImageConvolution> image_convolution(const graph::Graph& graph,
                                                  const graph::Node& node);
/// nullopt if the node is no maximum over the windows of an image.
std::optional<ImageMaxPool> image_max_pool(const graph::Graph& graph, const graph::Node& node);

/// True for operators that compute each element from elements of other images in the same place.
bool is_lane_by_lane(const graph::Graph& graph, const graph::Node& node);

/// True for the three kinds of nodes above.
bool reads_joined_lines(const graph::Graph& graph, const graph::Node& node);

/// True if both are the same value, or constants with the same elements.
bool same_constant(const graph::Graph& graph, graph::ValueId a, graph::ValueId b);

}  // namespace weft::compiler
