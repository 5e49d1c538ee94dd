// Operators whose output extents are computed from numbers: Pad, Resize and Range.
#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "compiler/graph/shapes/inference.h"

namespace weft::graph {
namespace {

// Larger extents are refused, so that the conversion from floating point cannot overflow.
constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 62;

std::int64_t extent_from(double value, std::string_view what) {
  if (!(value <= static_cast<double>(kMostExtent))) {
    throw InputError(fmt::format("{}: {} is not a valid extent", what, value));
  }
  return static_cast<std::int64_t>(value);
}

void expect_pads_fit(std::string_view mode, std::int64_t extent, std::int64_t pad) {
  if (mode == "reflect" && pad >= extent && pad > 0) {
    throw InputError(
        fmt::format("input 1 (pads): {} cannot be reflected from extent {}", pad, extent));
  }
  if (mode == "edge" && extent == 0 && pad > 0) {
    throw InputError("input 1 (pads): there is no edge where the extent is 0");
  }
}

// Whether the input holds a list. Older exporters write an empty list instead of omitting it.
bool has_list(const NodeTypes& node, std::size_t i) {
  const ValueType* type = optional_input(node, i);
  return type != nullptr && type->shape != Shape{0};
}

bool crops(const Attributes& attributes) {
  return attributes.text("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize";
}

// The parts of each dimension that the region of interest covers; 1 without a region.
std::vector<float> covered(const NodeTypes& node, std::size_t rank) {
  std::vector<float> parts(rank, 1.0F);
  if (!crops(node.attributes)) return parts;
  const std::vector<double> roi = known_reals(node, 1);
  for (std::size_t i = 0; i < rank; ++i) parts[i] = static_cast<float>(roi[rank + i] - roi[i]);
  return parts;
}

Shape scaled(const NodeTypes& node, const Shape& in) {
  expect_shape(node, 2, {rank_of(in)});
  const auto scales = known(node, 2).data<float>();
  const std::vector<float> parts = covered(node, in.size());
  Shape shape;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!(scales[i] > 0))
      throw InputError(fmt::format("input 2 (scales): {} is not above 0", scales[i]));
    // Multiply in float: 10 * 0.7f is 7 in float but less than 7 in double.
    const float extent = std::floor(static_cast<float>(in[i]) * parts[i] * scales[i]);
    if (extent < 0) throw InputError("input 1 (roi): an end lies before its start");
    shape.push_back(extent_from(static_cast<double>(extent), "input 2 (scales)"));
  }
  return shape;
}

Shape sized(const NodeTypes& node, const Shape& in) {
  expect_shape(node, 3, {rank_of(in)});
  return known_list(node, 3);
}

std::int64_t range_length(std::int64_t start, std::int64_t limit, std::int64_t delta) {
  if (delta > 0 ? limit <= start : limit >= start) return 0;
  // The difference of two signed 64-bit numbers fits in unsigned 64 bits.
  const auto low = static_cast<std::uint64_t>(delta > 0 ? start : limit);
  const auto high = static_cast<std::uint64_t>(delta > 0 ? limit : start);
  const auto magnitude = static_cast<std::uint64_t>(delta);
  const std::uint64_t length = 1 + (high - low - 1) / (delta > 0 ? magnitude : 0 - magnitude);
  if (length > kMostExtent)
    throw InputError(fmt::format("a range of {} elements is too long", length));
  return static_cast<std::int64_t>(length);
}

std::int64_t range_length(double start, double limit, double delta) {
  const double length = std::ceil((limit - start) / delta);
  return length <= 0 ? 0 : extent_from(length, "the range's length");
}

// T is the inputs' element type. Computes int32 ranges in int64 and float32 ranges in float64.
template <class T>
std::int64_t range_length(const NodeTypes& node) {
  using Wide = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;
  const auto value = [&](std::size_t i) -> Wide {
    return static_cast<Wide>(known(node, i).data<T>()[0]);
  };
  if (value(2) == 0) throw InputError("input 2 (delta) is 0");
  return range_length(value(0), value(1), value(2));
}

std::int64_t range_length_of(const NodeTypes& node) {
  switch (input(node, 0).type) {
    case DataType::kInt32:
      return range_length<std::int32_t>(node);
    case DataType::kInt64:
      return range_length<std::int64_t>(node);
    case DataType::kFloat64:
      return range_length<double>(node);
    default:
      return range_length<float>(node);
  }
}

}  // namespace

ValueTypes infer_pad(const NodeTypes& node) {
  expect_one_of(node.attributes, "mode", "constant", {"constant", "reflect", "edge"});
  const std::string mode = node.attributes.text("mode", "constant");
  Shape shape = shape_of(node, 0);
  expect_shape(node, 1, {2 * rank_of(shape)});
  expect_scalar(node, 2);
  const std::vector<std::int64_t> pads = known_list(node, 1);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t begin = pads[i];
    const std::int64_t end = pads[shape.size() + i];
    expect_pads_fit(mode, shape[i], begin);
    expect_pads_fit(mode, shape[i], end);
    shape[i] = checked_add(checked_add(shape[i], begin), end);
  }
  return {{input(node, 0).type, std::move(shape)}};
}

ValueTypes infer_resize(const NodeTypes& node) {
  const Attributes& attributes = node.attributes;
  expect_one_of(attributes, "mode", "nearest", {"nearest", "linear", "cubic"});
  expect_one_of(attributes, "nearest_mode", "round_prefer_floor",
                {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  expect_one_of(attributes, "coordinate_transformation_mode", "half_pixel",
                {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric",
                 "tf_half_pixel_for_nn", "tf_crop_and_resize"});
  const bool by_scales = has_list(node, 2);
  if (by_scales == has_list(node, 3)) throw InputError("either scales or sizes must be given");
  const Shape& in = shape_of(node, 0);
  if (crops(attributes)) {
    if (optional_input(node, 1) == nullptr) throw InputError("input 1 (roi) is missing");
    expect_shape(node, 1, {2 * rank_of(in)});
  }
  Shape shape = by_scales ? scaled(node, in) : sized(node, in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i] == 0 && shape[i] > 0) throw InputError("extent 0 cannot be resized");
  }
  return {{input(node, 0).type, std::move(shape)}};
}

ValueTypes infer_range(const NodeTypes& node) {
  for (std::size_t i = 0; i < 3; ++i) expect_scalar(node, i);
  return {{input(node, 0).type, {range_length_of(node)}}};
}

}  // namespace weft::graph
