// Resize since opset 18 may name the axes that it resizes and keep their aspect ratio. The graph's
// Resize gives every dimension a scale or a size.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "base/printable.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/onnx/codec/newer/forms.h"

namespace weft::onnx_io {
namespace {

using graph::Shape;
using graph::Tensor;

constexpr std::size_t kRoi = 1;
constexpr std::size_t kScales = 2;
constexpr std::size_t kSizes = 3;

/// True if the input holds a list; an empty one stands for none.
bool has_list(const NewerNode& node, std::size_t i) {
  return node.has_input(i) && node.shape(i) != Shape{0};
}

std::vector<float> known_floats(const NewerNode& node, std::size_t i, std::size_t count,
                                std::string_view name) {
  const graph::Value& value = node.builder.graph().values[node.inputs[i]];
  const Tensor* const known = value.constant ? value.constant->ready() : nullptr;
  if (known == nullptr || known->type() != graph::DataType::kFloat32) {
    throw InputError(fmt::format("input {} ({}): must be constant float32 beside axes", i, name));
  }
  if (known->shape() != Shape{static_cast<std::int64_t>(count)}) {
    throw InputError(fmt::format("input {} ({}): shape {}, not {}", i, name,
                                 graph::to_string(known->shape()), count));
  }
  const auto data = known->data<float>();
  return {data.begin(), data.end()};
}

std::vector<std::int64_t> known_sizes(const NewerNode& node, std::size_t count) {
  std::vector<std::int64_t> sizes = node.known_list(kSizes, "sizes");
  if (sizes.size() == count) return sizes;
  throw InputError(fmt::format("input 3 (sizes): {} sizes for {} axes", sizes.size(), count));
}

/// Gives the dimensions outside `axes` the scale 1, their own size and the whole region.
void spread_over_all_dimensions(NewerNode& node, const std::vector<std::int64_t>& axes) {
  const Shape& in = node.shape(0);
  const auto place = [&](std::size_t i) { return static_cast<std::size_t>(axes[i]); };
  if (has_list(node, kScales)) {
    const std::vector<float> given = known_floats(node, kScales, axes.size(), "scales");
    std::vector<float> scales(in.size(), 1.0F);
    for (std::size_t i = 0; i < axes.size(); ++i) scales[place(i)] = given[i];
    node.set_input(kScales, Tensor::vector(scales), "scales");
  }
  if (has_list(node, kSizes)) {
    const std::vector<std::int64_t> given = known_sizes(node, axes.size());
    std::vector<std::int64_t> sizes = in;
    for (std::size_t i = 0; i < axes.size(); ++i) sizes[place(i)] = given[i];
    node.set_input(kSizes, Tensor::vector(sizes), "sizes");
  }
  if (has_list(node, kRoi)) {
    const std::vector<float> given = known_floats(node, kRoi, 2 * axes.size(), "roi");
    std::vector<float> roi(2 * in.size(), 0.0F);
    std::fill(roi.begin() + static_cast<std::ptrdiff_t>(in.size()), roi.end(), 1.0F);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      roi[place(i)] = given[i];
      roi[in.size() + place(i)] = given[axes.size() + i];
    }
    node.set_input(kRoi, Tensor::vector(roi), "roi");
  }
}

/// A scale as a fraction, size / extent.
struct Scale {
  std::int64_t size = 1;
  std::int64_t extent = 1;
};

/// The common scale of `axes`: the smallest or the largest of the sizes over the extents.
Scale common_scale(const Shape& in, const std::vector<std::int64_t>& sizes,
                   const std::vector<std::int64_t>& axes, bool largest) {
  std::vector<Scale> scales;
  for (const std::int64_t axis : axes) {
    const auto i = static_cast<std::size_t>(axis);
    if (in[i] < 1 || sizes[i] < 1) {
      throw InputError("attribute keep_aspect_ratio_policy: an extent or a size is 0 or negative");
    }
    scales.push_back({sizes[i], in[i]});
  }
  const auto is_less = [](const Scale& a, const Scale& b) {
    return graph::checked_mul(a.size, b.extent) < graph::checked_mul(b.size, a.extent);
  };
  return largest ? *std::ranges::max_element(scales, is_less)
                 : *std::ranges::min_element(scales, is_less);
}

/// Replaces sizes by those of the common scale, rounded half up. The graph's Resize divides a size
/// by the extent to get the scale; where rounding would change that scale, it gets scales instead.
void keep_aspect_ratio(NewerNode& node, const std::vector<std::int64_t>& axes, bool largest) {
  const Shape& in = node.shape(0);
  std::vector<std::int64_t> sizes = known_sizes(node, in.size());
  const Scale scale = common_scale(in, sizes, axes, largest);
  const double factor = static_cast<double>(scale.size) / static_cast<double>(scale.extent);
  std::vector<float> scales(in.size(), 1.0F);
  bool is_exact = true;
  bool scales_fit = true;
  for (const std::int64_t axis : axes) {
    const auto i = static_cast<std::size_t>(axis);
    const std::int64_t scaled = graph::checked_mul(in[i], scale.size);
    const std::int64_t rest = scaled % scale.extent;
    sizes[i] = scaled / scale.extent + (rest >= scale.extent - rest ? 1 : 0);
    scales[i] = static_cast<float>(factor);
    is_exact = is_exact && rest == 0;
    const float reached = std::floor(static_cast<float>(in[i]) * scales[i]);
    scales_fit = scales_fit && static_cast<double>(reached) == static_cast<double>(sizes[i]);
  }
  if (is_exact) {
    node.set_input(kSizes, Tensor::vector(sizes), "sizes");
    return;
  }
  if (!scales_fit) {
    throw InputError(
        fmt::format("attribute keep_aspect_ratio_policy: the scale {} rounds sizes up, "
                    "which is not supported; export it with scales",
                    factor));
  }
  node.drop_inputs_from(kSizes);
  node.set_input(kScales, Tensor::vector(scales), "scales");
}

/// True if no dimension shrinks.
bool only_enlarges(const NewerNode& node) {
  const Shape& in = node.shape(0);
  if (has_list(node, kScales)) {
    const auto scales = known_floats(node, kScales, in.size(), "scales");
    return std::ranges::all_of(scales, [](float scale) { return scale >= 1; });
  }
  const std::vector<std::int64_t> sizes = known_sizes(node, in.size());
  return std::ranges::equal(sizes, in, std::greater_equal<>());
}

bool has_text(const NewerNode& node, std::string_view name, std::string_view value) {
  return std::ranges::any_of(node.node.attribute(), [&](const auto& attribute) {
    return attribute.name() == name && attribute.s() == value;
  });
}

std::vector<std::int64_t> resized_axes(NewerNode& node) {
  const std::int64_t rank = graph::rank_of(node.shape(0));
  if (node.has_attribute("axes")) return checked_axes(node.take_integers("axes"), rank);
  std::vector<std::int64_t> all(static_cast<std::size_t>(rank));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Resize with sizes or scales that the graph can check; true if one of both is given.
bool has_target(const NewerNode& node) {
  return has_list(node, kScales) != has_list(node, kSizes);
}

}  // namespace

void lower_resize(NewerNode& node) {
  const std::string policy = node.take_text("keep_aspect_ratio_policy", "stretch");
  const bool antialias = node.take_integer("antialias", 0) != 0;
  const bool some_axes = node.has_attribute("axes");
  const std::vector<std::int64_t> axes = resized_axes(node);
  if (!has_target(node)) return;  // the graph's rule of shapes reports it
  if (some_axes) spread_over_all_dimensions(node, axes);
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller") {
    throw InputError(
        fmt::format("attribute keep_aspect_ratio_policy: {} is not known", printable(policy)));
  }
  if (policy != "stretch" && has_list(node, kSizes)) {
    keep_aspect_ratio(node, axes, policy == "not_smaller");
  }
  const bool interpolates = has_text(node, "mode", "linear") || has_text(node, "mode", "cubic");
  if (antialias && interpolates && !only_enlarges(node)) {
    throw InputError("attribute antialias: a filter for smaller images is not supported");
  }
}

void lower_symmetric_resize(NewerNode& node) {
  constexpr const char* kMode = "coordinate_transformation_mode";
  if (!has_text(node, kMode, "half_pixel_symmetric") || !has_target(node)) return;
  // Both modes are equal where no size is rounded.
  if (has_list(node, kScales)) {
    const Shape& in = node.shape(0);
    const auto scales = known_floats(node, kScales, in.size(), "scales");
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double size = static_cast<double>(in[i]) * static_cast<double>(scales[i]);
      if (size == std::floor(size)) continue;
      throw InputError(
          "attribute coordinate_transformation_mode: half_pixel_symmetric is "
          "supported only where extents times scales are integers");
    }
  }
  node.take_text(kMode, "");
  node.set_text(kMode, "half_pixel");
}

}  // namespace weft::onnx_io
