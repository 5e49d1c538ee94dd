// Conv and ConvTranspose as matrix products. They run a chunk of images at a time, so that the
// unfolded input stays within a bound:
//
//   Conv           w [out, in*taps] x unfolded [in*taps, positions]     -> y [out, positions]
//   ConvTranspose  w^T [out*taps, in] x x [in, positions]               -> folded into y
//
// A 1x1 convolution multiplies the input without unfolding; a depthwise one in float32 uses
// DepthwiseConvolution.
#include "models/reference/cpu/nn/contraction/convolution.h"

#include <algorithm>

#include "models/reference/cuda/graph/epilogue.h"
#include "models/reference/cuda/graph/operators.h"
#include "models/reference/cuda/graph/window.h"

namespace weft::cuda {
namespace {

using graph::Shape;
using graph::WindowDim;
using reference::ConvGeometry;

constexpr std::int64_t kUnfoldedBytes = std::int64_t{256} << 20;

/// One product for every image and group. Strides are in elements from one image or group to the
/// next.
struct Grid {
  struct Strides {
    std::int64_t image = 0;
    std::int64_t group = 0;
  };
  std::int64_t images = 1;
  std::int64_t groups = 1;
  Strides a;
  Strides b;
  Strides c;
};

void multiply_grid(Device& device, const DeviceProduct& product, const Grid& grid) {
  // One call for all images of a group, or all groups of an image, whichever makes fewer calls.
  const bool over_images = grid.images >= grid.groups;
  const auto inner = [&](const Grid::Strides& s) { return over_images ? s.image : s.group; };
  const auto outer = [&](const Grid::Strides& s) { return over_images ? s.group : s.image; };
  const std::int64_t bytes = operand_bytes(product.type);
  DeviceProduct call = product;
  call.batches = over_images ? grid.images : grid.groups;
  call.stride_a = inner(grid.a);
  call.stride_b = inner(grid.b);
  call.stride_c = inner(grid.c);
  for (std::int64_t i = 0; i < (over_images ? grid.groups : grid.images); ++i) {
    call.a = static_cast<const char*>(product.a) + i * outer(grid.a) * bytes;
    call.b = static_cast<const char*>(product.b) + i * outer(grid.b) * bytes;
    call.c = static_cast<float*>(product.c) + i * outer(grid.c);
    multiply(device, call);
  }
}

bool is_pointwise(const std::vector<WindowDim>& windows) {
  return std::ranges::all_of(windows, [](const WindowDim& window) {
    return window.kernel == 1 && window.stride == 1 && window.pad_begin == 0 &&
           window.output == window.input;
  });
}

/// What Conv and ConvTranspose share: the node, extents, and arithmetic.
struct Convolution {
  NodeRun& node;
  const ConvGeometry& geometry;
  ConvolutionWindow window;
  std::int64_t depth;     // rows of the unfolded input of one group
  std::int64_t unfolded;  // elements of an unfolded image
  std::int64_t x_image;   // elements of an image of the input
  std::int64_t y_image;
  MatmulType type;

  Convolution(NodeRun& run, const ConvGeometry& from, const ConvolutionWindow& windows,
              std::int64_t channels, std::int64_t positions)
      : node(run),
        geometry(from),
        window(windows),
        depth(channels * windows.taps()),
        unfolded(from.groups * depth * positions),
        x_image(from.groups * from.in_channels * reference::input_plane(from.windows)),
        y_image(from.groups * from.out_channels * reference::output_plane(from.windows)),
        type(run.matmul()) {}

  /// Number of images whose unfolded elements, `bytes` each, stay within the bound; at least 1.
  std::int64_t chunk(std::int64_t bytes) const {
    return std::clamp<std::int64_t>(kUnfoldedBytes / std::max<std::int64_t>(unfolded * bytes, 1), 1,
                                    std::max<std::int64_t>(geometry.images, 1));
  }
};

template <class Unit>
void unfold(const Convolution& conv, const void* x, void* unfolded, std::int64_t images) {
  conv.node.run(
      Unfold<Unit>{static_cast<const Unit*>(x), static_cast<Unit*>(unfolded), conv.window},
      images * conv.unfolded);
}

/// Computes y for `images` images. `columns` is their unfolded input, or the input itself if the
/// convolution is pointwise.
void multiply_images(const Convolution& conv, const void* w, const void* columns, float* y,
                     std::int64_t images) {
  const std::int64_t positions = conv.window.outputs();
  const std::int64_t rows = conv.geometry.out_channels;
  DeviceProduct product = {};
  product.type = conv.type;
  product.m = rows;
  product.k = conv.depth;
  product.n = positions;
  product.a = w;
  product.b = columns;
  product.c = y;
  const Grid grid{images,
                  conv.geometry.groups,
                  {0, rows * conv.depth},
                  {conv.unfolded, conv.depth * positions},
                  {conv.y_image, rows * positions}};
  multiply_grid(conv.node.device(), product, grid);
}

void convolve(const Convolution& conv, const void* x, const void* w, float* y) {
  const std::int64_t bytes = operand_bytes(conv.type);
  if (is_pointwise(conv.geometry.windows)) {
    return multiply_images(conv, w, x, y, conv.geometry.images);
  }
  const std::int64_t chunk = conv.chunk(bytes);
  const Memory columns = conv.node.device().allocate(chunk * conv.unfolded * bytes);
  for (std::int64_t first = 0; first < conv.geometry.images; first += chunk) {
    const std::int64_t images = std::min(chunk, conv.geometry.images - first);
    const void* from = static_cast<const char*>(x) + first * conv.x_image * bytes;
    if (bytes == 2) {
      unfold<std::uint16_t>(conv, from, columns.get(), images);
    } else {
      unfold<std::uint32_t>(conv, from, columns.get(), images);
    }
    multiply_images(conv, w, columns.get(), y + first * conv.y_image, images);
  }
}

void finish_channels(NodeRun& node, float* y, std::int64_t plane) {
  ContractionEpilogue epilogue = epilogue_of(node, y);
  if (epilogue.c != nullptr) {
    epilogue.inner = plane;
    epilogue.rows = node.count(2);
    epilogue.row_stride = 1;
  }
  finish(node, epilogue);
}

/// unfolded [images, groups * out * taps, positions] = w^T x, for every group.
void spread_images(const Convolution& conv, const void* x, const void* w, float* unfolded,
                   std::int64_t images) {
  const std::int64_t positions = conv.window.outputs();
  const std::int64_t channels = conv.geometry.in_channels;
  DeviceProduct product = {};
  product.type = conv.type;
  product.m = conv.depth;
  product.k = channels;
  product.n = positions;
  product.transpose_a = true;
  product.a = w;
  product.b = x;
  product.c = unfolded;
  const Grid grid{images,
                  conv.geometry.groups,
                  {0, channels * conv.depth},
                  {conv.x_image, channels * positions},
                  {conv.unfolded, conv.depth * positions}};
  multiply_grid(conv.node.device(), product, grid);
}

void convolve_transposed(const Convolution& conv, const void* x, const void* w, float* y) {
  const std::int64_t chunk = conv.chunk(4);
  const Memory unfolded = conv.node.device().allocate(chunk * conv.unfolded * 4);
  for (std::int64_t first = 0; first < conv.geometry.images; first += chunk) {
    const std::int64_t images = std::min(chunk, conv.geometry.images - first);
    const void* from =
        static_cast<const char*>(x) + first * conv.x_image * operand_bytes(conv.type);
    spread_images(conv, from, w, elements_of<float>(unfolded), images);
    conv.node.run(FoldWindows{elements_of<float>(unfolded), y + first * conv.y_image, conv.window},
                  images * conv.y_image);
  }
}

bool runs_directly(const NodeRun& node, const ConvGeometry& geometry) {
  return geometry.in_channels == 1 && geometry.groups > 1 && node.matmul() == MatmulType::kFloat32;
}

void run_conv(NodeRun& node) {
  const ConvGeometry geometry =
      reference::conv_geometry(node.attributes(), node.shape(0), node.shape(1));
  const ConvolutionWindow window = make_window(geometry.windows);
  const Convolution conv(node, geometry, window, geometry.in_channels, window.outputs());
  const ProductOperand x =
      as_operand(node.device(), conv.type, node.input<float>(0), node.count(0));
  const ProductOperand w =
      as_operand(node.device(), conv.type, node.input<float>(1), node.count(1));
  float* y = node.result<float>();
  if (runs_directly(node, geometry)) {
    node.run(
        DepthwiseConvolution{static_cast<const float*>(x.data), static_cast<const float*>(w.data),
                             y, geometry.groups, geometry.out_channels, window},
        node.result_count());
  } else {
    convolve(conv, x.data, w.data, y);
  }
  finish_channels(node, y, window.outputs());
}

void run_conv_transpose(NodeRun& node) {
  const Shape& x_shape = node.shape(0);
  const Shape& w_shape = node.shape(1);
  const std::int64_t groups = node.attributes().integer("group", 1);
  const ConvGeometry geometry{
      x_shape[0], groups, x_shape[1] / groups, w_shape[1],
      graph::resolve_transposed_windows(node.attributes(), x_shape,
                                        {w_shape.begin() + 2, w_shape.end()})};
  // The windows of the original convolution: its input is the larger side.
  std::vector<WindowDim> turned = geometry.windows;
  for (WindowDim& dim : turned) std::swap(dim.input, dim.output);
  const ConvolutionWindow window = make_window(turned);
  const Convolution conv(node, geometry, window, geometry.out_channels, window.outputs());
  const ProductOperand x =
      as_operand(node.device(), conv.type, node.input<float>(0), node.count(0));
  const ProductOperand w =
      as_operand(node.device(), conv.type, node.input<float>(1), node.count(1));
  float* y = node.result<float>();
  convolve_transposed(conv, x.data, w.data, y);
  finish_channels(node, y, window.inputs());
}

}  // namespace

DeviceOperators convolution_operators() {
  using enum Closeness;
  static constexpr auto kOperators = std::to_array<DeviceEntry>({
      {Op::kConv, {{takes_window, run_conv, kProduct}}},
      {Op::kConvTranspose, {{takes_window, run_conv_transpose, kProduct}}},
      DeviceEntry::none(Op::kConvInteger, "only the CPU reference computes integers"),
      DeviceEntry::none(Op::kQLinearConv, "only the CPU reference computes integers"),
  });
  return kOperators;
}

}  // namespace weft::cuda
