#include "compiler/segments/forms/packed_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/rows/ceil_div.h"
#include "compiler/rows/unsigned_of.h"

namespace weft::compiler {
namespace {

graph::WindowDim plain(std::int64_t extent) {
  graph::WindowDim dim;
  dim.input = dim.output = extent;
  return dim;
}

bool is_depthwise(const ContractionLayer& layer) {
  return layer.groups > 1 && layer.groups == layer.k && layer.n == layer.k;
}

/// Folds of each tile of columns, of one piece of the weights.
std::int64_t folds(std::int64_t taps, std::int64_t channels, const MachineConfig& config) {
  return taps * ceil_div(channels, std::int64_t{config.array_rows});
}

/// Rearranges filters [n, k/groups, lines, taps of a line] to [n, taps of a line * k, lines].
/// Channels of other groups have the weight `zero`, one byte for integers.
graph::Tensor by_lines(const graph::Tensor& filters, const ContractionLayer& layer,
                       std::uint8_t zero) {
  const std::int64_t taps = layer.walk.x.kernel;
  const std::int64_t lines = layer.walk.y.kernel;
  const std::int64_t k = layer.k / layer.groups;
  const std::int64_t n = layer.n / layer.groups;
  graph::Tensor packed(filters.type(), {layer.n, taps * layer.k, lines});
  const std::span<std::byte> to = packed.mutable_bytes();
  std::ranges::fill(to, std::byte{zero});
  const std::size_t size = graph::size_bytes(filters.type());
  for (std::int64_t column = 0; column < layer.n; ++column) {
    for (std::int64_t channel = 0; channel < k; ++channel) {
      for (std::int64_t line = 0; line < lines; ++line) {
        for (std::int64_t tap = 0; tap < taps; ++tap) {
          const std::int64_t from = ((column * k + channel) * lines + line) * taps + tap;
          const std::int64_t row = tap * layer.k + column / n * k + channel;
          const std::int64_t at = (column * taps * layer.k + row) * lines + line;
          std::ranges::copy(filters.bytes().subspan(unsigned_of(from) * size, size),
                            to.subspan(unsigned_of(at) * size, size).begin());
        }
      }
    }
  }
  return packed;
}

/// The copy of the image for one tap of a line.
ElementwiseLayer copy_of(const ContractionLayer& layer, std::int64_t tap, const View& out,
                         const MachineConfig& config) {
  ElementwiseLayer copy;
  copy.a = layer.a;
  copy.walk = layer.walk;
  copy.walk.y = plain(layer.walk.y.input);
  copy.walk.x.kernel = 1;
  copy.walk.x.dilation = 1;
  copy.walk.x.pad_begin = layer.walk.x.pad_begin - tap * layer.walk.x.dilation;
  copy.channels = layer.k;
  copy.pad = layer.pad;
  copy.out = out;
  copy.out.channel = tap * layer.k;
  copy.fills_plane =
      config.array_rows == config.array_cols && copy.out.channel % config.array_rows == 0;
  return copy;
}

ContractionLayer packed_layer(const ContractionLayer& layer, const View& copies) {
  ContractionLayer packed = layer;
  packed.a = copies;
  packed.walk.image_step = layer.walk.y.input * layer.walk.x.output;
  packed.walk.y_step = layer.walk.x.output;
  packed.walk.x = plain(layer.walk.x.output);
  packed.walk.x_step = 1;
  packed.k = layer.walk.x.kernel * layer.k;
  packed.groups = 1;
  packed.packed_groups = layer.groups;
  packed.packed_taps = layer.walk.x.kernel;
  auto& weights = std::get<ConstantWeights>(packed.weights);
  weights.make = [layer, make = weights.make, zero = weights.zero_point] {
    return by_lines(make(), layer, static_cast<std::uint8_t>(zero));
  };
  return packed;
}

}  // namespace

std::optional<PackedLines> pack_lines(const ContractionLayer& layer, std::size_t copies,
                                      const MachineConfig& config) {
  const RowWalk& walk = layer.walk;
  const std::int64_t taps = walk.x.kernel;
  const std::int64_t channels = taps * layer.k;
  const bool is_flat = walk.z.kernel == 1 && walk.z.output == 1;
  if (!is_flat || taps == 1 || layer.batch.size() > 1) return std::nullopt;
  const bool one_tile = channels <= config.array_rows && layer.n <= config.array_cols;
  if (layer.groups > 1 && !(is_depthwise(layer) && one_tile)) return std::nullopt;
  const std::int64_t packed_folds = folds(walk.y.kernel, channels, config);
  if (packed_folds >= folds(walk.y.kernel * taps, layer.k, config)) return std::nullopt;

  PackedLines packed;
  packed.sheet.size = {walk.images * walk.y.input * walk.x.output, channels};
  ConcatLayer copy;
  copy.out = dense_view(copies, {packed.sheet.size.rows, channels}, 1);
  for (std::int64_t tap = 0; tap < taps; ++tap) {
    copy.parts.push_back(copy_of(layer, tap, copy.out, config));
  }
  packed.form.note =
      fmt::format("{}{} taps of a line side by side, {} folds",
                  layer.groups > 1 ? "depthwise as diagonal tiles; " : "", taps, packed_folds);
  packed.form.bodies.emplace_back(std::move(copy));
  packed.form.bodies.emplace_back(
      packed_layer(layer, std::get<ConcatLayer>(packed.form.bodies.front()).out));
  return packed;
}

}  // namespace weft::compiler
