#include "compiler/segments/forms/depthwise_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "compiler/rows/ceil_div.h"
#include "compiler/rows/unsigned_of.h"

namespace weft::compiler {
namespace {

using graph::Tensor;

MakeTensor as_floats(const MakeTensor& integers) {
  if (!integers) return {};
  return [integers] {
    const Tensor tensor = integers();
    Tensor floats(graph::DataType::kFloat32, tensor.shape());
    std::ranges::transform(tensor.data<std::int32_t>(), floats.mutable_data<float>().begin(),
                           [](std::int32_t value) { return static_cast<float>(value); });
    return floats;
  };
}

/// Channels [first, first + count).
struct Channels {
  std::int64_t first = 0;
  std::int64_t count = 1;
};

/// These channels of a tensor [C, ...]. A tensor of one number is for all channels.
MakeTensor some_of(const MakeTensor& make, const Channels& channels) {
  if (!make) return {};
  return [make, channels] {
    const Tensor whole = make();
    if (whole.size() == 1) return whole;
    graph::Shape shape = whole.shape();
    const std::size_t each = whole.bytes().size() / unsigned_of(shape[0]);
    shape[0] = channels.count;
    Tensor part(whole.type(), shape);
    std::ranges::copy(whole.bytes().subspan(unsigned_of(channels.first) * each,
                                            unsigned_of(channels.count) * each),
                      part.mutable_bytes().begin());
    return part;
  };
}

Epilogue some_of(Epilogue epilogue, const Channels& channels) {
  epilogue.bias = some_of(epilogue.bias, channels);
  epilogue.scale = some_of(epilogue.scale, channels);
  if (epilogue.residual) epilogue.residual->channel += channels.first;
  return epilogue;
}

ConstantWeights some_of(ConstantWeights weights, const Channels& channels) {
  weights.make = some_of(weights.make, channels);
  return weights;
}

/// Rows of one image's result.
std::int64_t image_rows(const RowWalk& walk) {
  return walk.z.output * walk.y.output * walk.x.output;
}

/// How many tiles the array takes so that the slower of the two units is done first; 0 if there are
/// not two. The array needs `pushed` cycles for a tap of a tile, the vector unit `rows`.
std::int64_t tiles_on_array(std::int64_t tiles, std::int64_t taps, std::int64_t pushed,
                            std::int64_t rows) {
  const auto slower_unit = [&](std::int64_t on_array) {
    return std::max(on_array * taps * pushed, (tiles - on_array) * (taps + 1) * rows);
  };
  std::int64_t best = tiles < 2 ? 0 : 1;
  for (std::int64_t count = 2; count < tiles; ++count) {
    if (slower_unit(count) < slower_unit(best)) best = count;
  }
  return best;
}

}  // namespace

bool fits_vector_unit(const Depthwise& conv, ElementType dtype) {
  if (dtype != ElementType::kInt8) return true;
  std::int64_t largest = 0;
  if (conv.bias) {
    const Tensor tensor = conv.bias();
    for (const std::int32_t value : tensor.data<std::int32_t>()) {
      largest = std::max(largest, std::abs(std::int64_t{value}));
    }
  }
  return conv.on_array.walk.taps() * 255 * 128 + largest < (std::int64_t{1} << 24);
}

bool is_quicker_on_vector_unit(const ContractionLayer& layer, const MachineConfig& config) {
  const std::int64_t rows = image_rows(layer.walk);
  const std::int64_t taps = layer.walk.taps();
  const std::int64_t tiles = ceil_div(layer.k, config.array_cols);
  const std::int64_t blocks = std::max(tiles, ceil_div(layer.k, config.array_rows));
  return (taps + 1) * tiles * rows <
         taps * blocks * std::max<std::int64_t>(rows, config.array_rows);
}

WindowLayer on_vector_unit(const Depthwise& conv, ElementType dtype) {
  const ContractionLayer& layer = conv.on_array;
  WindowLayer window;
  window.kind = WindowKind::kDepthwise;
  window.a = layer.a;
  window.walk = layer.walk;
  window.channels = layer.k;
  window.pad = layer.pad;
  window.filters = std::get<ConstantWeights>(layer.weights);
  window.epilogue = layer.epilogue;
  window.out = layer.out;
  if (dtype == ElementType::kInt8) {
    window.domain = VectorDomain::kFloat;
    window.a_quantization.zero = conv.zero;
    window.epilogue.bias = as_floats(conv.bias);
    window.epilogue.bias_is_float = true;
  }
  return window;
}

namespace {

/// The first `on_array` channels on the array, the others on the vector unit.
LayerForm divided_form(const Depthwise& conv, const MachineConfig& config, std::int64_t on_array) {
  const Channels array{0, on_array};
  const Channels lanes{on_array, conv.on_array.k - on_array};
  WindowLayer window = on_vector_unit(conv, config.dtype);
  window.a.channel += lanes.first;
  window.out.channel += lanes.first;
  window.channels = lanes.count;
  window.filters = some_of(window.filters, lanes);
  window.epilogue = some_of(window.epilogue, lanes);
  ContractionLayer product = conv.on_array;
  product.k = product.n = product.groups = array.count;
  product.weights = some_of(std::get<ConstantWeights>(product.weights), array);
  product.epilogue = some_of(product.epilogue, array);
  return LayerForm{{std::move(window), std::move(product)},
                   fmt::format("depthwise on both units: {} of {} channels on the array",
                               array.count, conv.on_array.k)};
}

}  // namespace

std::vector<LayerForm> on_both_units(const Depthwise& conv, const MachineConfig& config) {
  if (config.array_rows != config.array_cols) return {};
  const std::int64_t tiles = ceil_div(conv.on_array.k, config.array_cols);
  const std::int64_t rows = image_rows(conv.on_array.walk);
  std::vector<LayerForm> forms;
  std::int64_t before = 0;
  for (const std::int64_t pushed : {std::max<std::int64_t>(rows, config.array_rows), rows}) {
    const std::int64_t on_array = tiles_on_array(tiles, conv.on_array.walk.taps(), pushed, rows);
    if (on_array == 0 || on_array == before) continue;
    forms.push_back(divided_form(conv, config, on_array * config.array_cols));
    before = on_array;
  }
  return forms;
}

}  // namespace weft::compiler
