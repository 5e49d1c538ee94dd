#include "compiler/graph/shapes/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "compiler/graph/shapes/inference.h"

namespace weft::graph {
namespace {

std::vector<std::int64_t> spatial_attribute(const Attributes& attributes, std::string_view name,
                                            std::size_t length, std::int64_t otherwise,
                                            std::int64_t least) {
  if (!attributes.has(name)) return std::vector<std::int64_t>(length, otherwise);
  std::vector<std::int64_t> values = attributes.integers(name);
  if (values.size() != length) {
    throw InputError(
        fmt::format("attribute {}: {} values where {} are needed", name, values.size(), length));
  }
  for (const std::int64_t value : values) {
    if (value < least) {
      throw InputError(fmt::format("attribute {}: {} is below {}", name, value, least));
    }
  }
  return values;
}

std::string auto_pad_of(const Attributes& attributes) {
  expect_one_of(attributes, "auto_pad", "NOTSET", {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"});
  return attributes.text("auto_pad", "NOTSET");
}

// Reads kernel, stride, dilation and explicit padding; leaves the outputs at 0.
std::vector<WindowDim> read_windows(const Attributes& attributes, const Shape& input,
                                    const Shape& kernel) {
  if (input.size() != kernel.size() + 2) {
    throw InputError(fmt::format("the kernel has {} spatial dimensions, but the input has rank {}",
                                 kernel.size(), input.size()));
  }
  const std::size_t rank = kernel.size();
  const auto strides = spatial_attribute(attributes, "strides", rank, 1, 1);
  const auto dilations = spatial_attribute(attributes, "dilations", rank, 1, 1);
  const auto pads = spatial_attribute(attributes, "pads", 2 * rank, 0, 0);
  std::vector<WindowDim> dims;
  for (std::size_t i = 0; i < rank; ++i) {
    if (kernel[i] < 1) throw InputError(fmt::format("kernel extent {} is below 1", kernel[i]));
    checked_add(checked_mul(kernel[i] - 1, dilations[i]), 1);
    dims.push_back({input[i + 2], 0, kernel[i], strides[i], dilations[i], pads[i], pads[rank + i]});
  }
  return dims;
}

void expect_no_pads(const std::vector<WindowDim>& dims, std::string_view auto_pad) {
  for (const WindowDim& dim : dims) {
    if (dim.pad_begin == 0 && dim.pad_end == 0) continue;
    throw InputError(fmt::format("attribute pads: cannot be combined with auto_pad {}", auto_pad));
  }
}

void expect_fits(const WindowDim& dim, std::int64_t padded) {
  if (dim.extent() <= padded) return;
  throw InputError(
      fmt::format("a kernel that spans {} positions is larger than the padded input, {}",
                  dim.extent(), padded));
}

void resolve_explicit(WindowDim& dim, bool ceil_mode) {
  const std::int64_t start_limit = checked_add(dim.input, dim.pad_begin);
  const std::int64_t padded = checked_add(start_limit, dim.pad_end);
  expect_fits(dim, padded);
  const std::int64_t free = padded - dim.extent();
  dim.output = free / dim.stride + 1;
  if (!ceil_mode || free % dim.stride == 0) return;
  // Add a window that reaches beyond the end, unless it would start in the padding at the end.
  if (dim.output <= (start_limit - 1) / dim.stride) ++dim.output;
}

// ceil(input / stride) windows with the padding that they need. If the padding is odd, the end gets
// the larger half if `odd_at_end`, else the beginning does.
void resolve_same(WindowDim& dim, bool odd_at_end) {
  dim.output = dim.input / dim.stride + (dim.input % dim.stride != 0 ? 1 : 0);
  const std::int64_t reach = checked_add((dim.output - 1) * dim.stride, dim.extent());
  const std::int64_t total = std::max<std::int64_t>(reach - dim.input, 0);
  dim.pad_begin = odd_at_end ? total / 2 : total - total / 2;
  dim.pad_end = total - dim.pad_begin;
}

// The output size is given. The padding is the natural size minus the output size; SAME_UPPER
// (`odd_at_end`) puts the larger half at the end. An output above the natural size has no padding;
// its last positions receive no products.
void resolve_given_output(WindowDim& dim, std::int64_t natural, bool odd_at_end) {
  const std::int64_t total = std::max<std::int64_t>(checked_sub(natural, dim.output), 0);
  dim.pad_begin = odd_at_end ? total / 2 : total - total / 2;
  dim.pad_end = total - dim.pad_begin;
}

std::vector<std::int64_t> given_output(const Attributes& attributes, std::string_view auto_pad,
                                       const std::vector<WindowDim>& dims) {
  if (attributes.has("output_shape")) {
    return spatial_attribute(attributes, "output_shape", dims.size(), 0, 0);
  }
  std::vector<std::int64_t> result;
  if (!auto_pad.starts_with("SAME")) return result;
  for (const WindowDim& dim : dims) result.push_back(checked_mul(dim.input, dim.stride));
  return result;
}

}  // namespace

std::vector<WindowDim> resolve_windows(const Attributes& attributes, const Shape& input,
                                       const Shape& kernel) {
  const std::string auto_pad = auto_pad_of(attributes);
  std::vector<WindowDim> dims = read_windows(attributes, input, kernel);
  if (auto_pad != "NOTSET") expect_no_pads(dims, auto_pad);
  const bool ceil_mode = auto_pad == "NOTSET" && attributes.integer("ceil_mode", 0) != 0;
  for (WindowDim& dim : dims) {
    if (auto_pad.starts_with("SAME")) {
      resolve_same(dim, auto_pad == "SAME_UPPER");
    } else {
      resolve_explicit(dim, ceil_mode);
    }
  }
  return dims;
}

std::vector<WindowDim> resolve_transposed_windows(const Attributes& attributes, const Shape& input,
                                                  const Shape& kernel) {
  const std::string auto_pad = auto_pad_of(attributes);
  std::vector<WindowDim> dims = read_windows(attributes, input, kernel);
  if (auto_pad != "NOTSET") expect_no_pads(dims, auto_pad);
  const auto extra = spatial_attribute(attributes, "output_padding", dims.size(), 0, 0);
  const auto given = given_output(attributes, auto_pad, dims);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    WindowDim& dim = dims[i];
    const std::int64_t spread = checked_mul(dim.stride, dim.input - 1);
    const std::int64_t natural = checked_add(checked_add(spread, dim.extent()), extra[i]);
    if (given.empty()) {
      dim.output = checked_sub(checked_sub(natural, dim.pad_begin), dim.pad_end);
      if (dim.output < 0) throw InputError("attribute pads: more padding than output");
    } else {
      dim.output = given[i];
      resolve_given_output(dim, natural, auto_pad == "SAME_UPPER");
    }
  }
  return dims;
}

}  // namespace weft::graph
