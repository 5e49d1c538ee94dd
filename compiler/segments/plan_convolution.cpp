// Convolutions with constant weights. Depthwise ones run on the array or on the vector unit.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "compiler/rows/ceil_div.h"
#include "compiler/segments/contraction_weights.h"
#include "compiler/segments/forms/depthwise_forms.h"
#include "compiler/segments/forms/packed_lines.h"
#include "compiler/segments/lines/joined_lines.h"
#include "compiler/segments/planner.h"
#include "sim/isa/patches.h"

namespace weft::compiler {

using graph::DataType;
using graph::Op;
using graph::Tensor;
using graph::ValueId;

namespace {

std::int64_t group_count(const graph::Node& node) {
  return node.attributes.integer("group", 1);
}

RowWalk walk_windows(const View& images, const std::vector<graph::WindowDim>& windows) {
  const std::size_t last = windows.size() - 1;
  RowWalk walk;
  walk.images = images.dims[0].extent;
  walk.image_step = images.dims[0].row_step;
  walk.x = windows[last];
  walk.x_step = images.dims[last + 2].row_step;
  if (windows.size() >= 2) {
    walk.y = windows[last - 1];
    walk.y_step = images.dims[last + 1].row_step;
  }
  if (windows.size() == 3) {
    walk.z = windows[0];
    walk.z_step = images.dims[2].row_step;
    walk.images *= walk.z.output;
    walk.one_image = true;
  }
  return walk;
}

/// True if the operands of a load can hold the windows.
bool can_cut(const PatchWindows& patches) {
  const auto fits = [](const graph::WindowDim& dim) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    return dim.kernel <= std::int64_t{kMostPatchTaps} && dim.input <= kMost &&
           dim.output * dim.stride <= kMost && dim.extent() <= kMost && dim.pad_begin <= kMost;
  };
  return fits(patches.y) && fits(patches.x) &&
         patches.size().channels <= std::numeric_limits<std::int32_t>::max();
}

/// How images [N, C, ...] lie in a matrix with a row for each line of each of their channels.
View dense_image(std::size_t sheet, const Shape& shape, std::int64_t channels) {
  const bool has_lines = shape.size() == 4;
  const std::int64_t lines = has_lines ? shape[2] : 1;
  View view;
  view.sheet = sheet;
  view.dims = {{shape[0], channels * lines, 0}, {channels, lines, 0}};
  if (has_lines) view.dims.push_back({lines, 1, 0});
  view.dims.push_back({shape.back(), 0, 1});
  return view;
}

/// The bit pattern of padding around the result: its zero.
std::uint16_t pad_of(const Epilogue& epilogue) {
  return static_cast<std::uint8_t>(epilogue.quantization.zero);
}

}  // namespace

struct Planner::ConvParts {
  ValueId x = graph::kNoValue;
  const graph::Constant* weights = nullptr;
  std::int32_t x_zero = 0;
  std::int32_t w_zero = 0;
  Epilogue epilogue = {};
  bool wide = false;
  std::optional<ImageLines> residual_lines = {};
};

Refusal Planner::plan_conv(const graph::Node& node) {
  if (int8()) return "a float convolution; an int8 array needs a quantized network";
  ConvParts parts;
  parts.x = node.input(0);
  parts.weights = lazy_constant(node.input(1));
  if (parts.weights == nullptr) return plan_weight_gradient(node);
  if (Refusal refusal = float_epilogue(node, parts.weights->type().shape[0], parts.epilogue)) {
    return refusal;
  }
  parts.wide = only_output(node.outputs[0]);
  if (node.input(3) != graph::kNoValue) {
    parts.residual_lines = common_lines(node.input(3), graph::kNoValue);
  }
  return plan_convolution(node, std::move(parts));
}

Refusal Planner::plan_conv_integer(const graph::Node& node) {
  if (!int8()) return "a float array cannot multiply integers";
  ConvParts parts;
  parts.x = node.input(0);
  parts.weights = lazy_constant(node.input(1));
  if (parts.weights == nullptr) return kComputedWeights;
  const auto x_zero =
      node.input(2) == graph::kNoValue && graph_.type(parts.x).type == DataType::kUint8
          ? std::optional(-128)
          : zero_point(node.input(2));
  const auto w_zero = weight_zero_point(lazy_constant(node.input(3)));
  if (!x_zero || !w_zero) return "one of its zero points is not a single constant";
  parts.x_zero = *x_zero;
  parts.w_zero = *w_zero;
  parts.wide = true;
  if (!users_[node.outputs[0]].empty()) return "its 32-bit result is used by other nodes";
  return plan_convolution(node, std::move(parts));
}

Refusal Planner::plan_qlinear_conv(const graph::Node& node) {
  if (!int8()) return "a float array cannot multiply integers";
  ConvParts parts;
  parts.x = node.input(0);
  parts.weights = lazy_constant(node.input(3));
  if (parts.weights == nullptr) return kComputedWeights;
  const auto x_zero = zero_point(node.input(2));
  const auto w_zero = weight_zero_point(lazy_constant(node.input(5)));
  if (!x_zero || !w_zero) return "one of its zero points is not a single constant";
  parts.x_zero = *x_zero;
  parts.w_zero = *w_zero;
  if (Refusal refusal = requantization(node, node.input(1), node.input(4), node.input(6),
                                       node.input(7), parts.epilogue)) {
    return refusal;
  }
  if (node.input(8) != graph::kNoValue) {
    const graph::Constant* bias = lazy_constant(node.input(8));
    if (bias == nullptr) return "its bias is computed";
    parts.epilogue.bias = make_of(*bias);
  }
  return plan_convolution(node, std::move(parts));
}

Refusal Planner::plan_convolution(const graph::Node& node, ConvParts parts) {
  const Shape& filters = parts.weights->type().shape;
  const Shape& input = graph_.type(parts.x).shape;
  if (!holds(parts.weights->type().type)) return "its weights have a type that the array lacks";
  const std::vector<graph::WindowDim> windows =
      resolve_windows(node.attributes, input, {filters.begin() + 2, filters.end()});
  const JoinedLines lines = lines_between(parts, node.outputs[0], windows);
  const auto source = lines.in.any() ? joined_operand(parts.x, 1) : operand(parts.x, 1);
  if (!source || source->dequantized) return kUnreadableByArray;
  const View& view = source->view;
  if (!is_channel_axis(view, 1) || !is_row_axis(view, 0)) return kUnreadableByArray;
  for (std::size_t axis = 2; axis < input.size(); ++axis) {
    if (!is_row_axis(view, axis)) return kUnreadableByArray;
  }
  ContractionLayer layer;
  layer.a = view;
  layer.walk = walk_windows(view, windows);
  layer.groups = group_count(node);
  layer.k = input[1];
  layer.n = filters[0];
  layer.pad = static_cast<std::uint8_t>(parts.x_zero);
  ConstantWeights weights{make_of(*parts.weights), WeightForm::kFilters, parts.w_zero};
  if (int8()) weights.pieces = int8_pieces(*parts.weights, parts.w_zero);
  layer.weights = weights;
  const MakeTensor plain_bias = parts.epilogue.bias;
  if (int8()) {
    parts.epilogue.bias =
        folded_bias(parts.epilogue.bias, weights, correction(parts.x_zero), layer.n);
  }
  layer.epilogue = std::move(parts.epilogue);
  if (lines.any()) return plan_joined(node, parts.x, lines, parts.wide, std::move(layer));
  if (layer.groups > 1 && layer.groups == layer.k && layer.n == layer.k && weights.pieces == 1) {
    return plan_depthwise(node, parts, plain_bias, std::move(layer));
  }
  const std::uint64_t macs =
      unsigned_of(layer.walk.rows() * layer.walk.taps() * layer.k / layer.groups * layer.n);
  std::string note = pieces_note(weights.pieces);
  if (const std::string packing = pack_taps(parts.x, windows, layer); !packing.empty()) {
    note += (note.empty() ? "" : "; ") + packing;
  }
  layer.out = new_result(node.outputs[0], 1, parts.wide);
  if (layer.groups > 1) {
    note += fmt::format("{}{} groups as blocks of tiles; empty tiles are left out",
                        note.empty() ? "" : "; ", layer.groups);
  }
  add_layer(node, node.outputs[0], macs, layer, std::move(note));
  add_packed_lines(layer);
  return std::nullopt;
}

/// Adds a form to the layer just added: its image copied for each tap of a line of the window.
void Planner::add_packed_lines(const ContractionLayer& layer) {
  const bool is_computed = !segment_->sheets[layer.a.sheet].from_host;
  if (!is_computed || !options_.mapping.packed_taps.value_or(true)) return;
  auto packed = pack_lines(layer, segment_->sheets.size(), config_);
  if (!packed) return;
  segment_->sheets.push_back(std::move(packed->sheet));
  segment_->layers.back().others.push_back(std::move(packed->form));
}

// The load cuts the windows out of an image that lies on the host, so that all taps lie side by
// side in the array's rows. That saves folds. It saves bytes too if the channels leave a quarter of
// the lanes free, because the image lies densely.
std::string Planner::pack_taps(ValueId x, const std::vector<graph::WindowDim>& windows,
                               ContractionLayer& layer) {
  const Sheet& image = segment_->sheets[layer.a.sheet];
  const bool is_dense = image.from_host && !image.make && image.value == x && image.view == layer.a;
  const bool is_wanted = options_.mapping.packed_taps.value_or(false);
  if (!is_dense || layer.groups > 1 || windows.size() > 2) {
    return is_wanted ? "taps apart: loads cut windows only out of one group of channels of a flat "
                       "image that "
                       "comes from the host"
                     : "";
  }
  PatchWindows patches{.images = layer.walk.images,
                       .channels = layer.k,
                       .y = layer.walk.y,
                       .x = layer.walk.x,
                       .pad = layer.pad};
  const std::int64_t taps = layer.walk.taps();
  const std::int64_t folds = ceil_div(patches.size().channels, config_.array_rows);
  const std::int64_t planes = ceil_div(layer.k, config_.array_rows);
  const bool saves_bytes = config_.memory_kind != MemoryKind::kIdeal &&
                           4 * layer.k <= 3 * planes * std::int64_t{config_.array_rows};
  const bool is_less = folds < taps * planes || (folds == taps * planes && saves_bytes);
  if (!options_.mapping.packed_taps.value_or(is_less)) {
    segment_->could_pack |= can_cut(patches);
    return "";
  }
  if (!can_cut(patches)) {
    return is_wanted ? "taps apart: a load cannot hold such windows in its operands" : "";
  }

  Sheet sheet;
  sheet.size = patches.size();
  sheet.value = x;
  sheet.view = dense_image(segment_->sheets.size(), graph_.type(x).shape, layer.k);
  sheet.patches = patches;
  sheet.from_host = true;
  layer.a = {};
  layer.a.sheet = segment_->sheets.size();
  layer.k = sheet.size.channels;
  layer.packed_taps = taps;
  layer.walk = {};
  layer.walk.images = patches.images;
  layer.walk.image_step = patches.y.output * patches.x.output;
  layer.walk.y.input = layer.walk.y.output = patches.y.output;
  layer.walk.x.input = layer.walk.x.output = patches.x.output;
  layer.walk.y_step = patches.x.output;
  segment_->sheets.push_back(std::move(sheet));
  if (taps == 1) return "rows cut out of the dense image";
  return fmt::format("{} taps side by side, {} {}", taps, folds, folds == 1 ? "fold" : "folds");
}

/// The joined lines that the convolution reads and writes.
JoinedLines Planner::lines_between(const ConvParts& parts, ValueId result,
                                   const std::vector<graph::WindowDim>& windows) const {
  if (windows.size() != 2) return {};
  JoinedLines lines{common_lines(parts.x, graph::kNoValue), lines_[result]};
  lines.out = parts.residual_lines.value_or(lines.out);
  if (!can_join(windows[0], lines)) lines.in = {};
  return can_join(windows[0], lines) ? lines : JoinedLines{};
}

/// A convolution between images of joined lines. `layer` is the one between their single lines.
Refusal Planner::plan_joined(const graph::Node& node, ValueId x, const JoinedLines& lines,
                             bool wide, ContractionLayer layer) {
  const std::uint64_t macs =
      unsigned_of(layer.walk.rows() * layer.walk.taps() * layer.k / layer.groups * layer.n);
  auto& weights = std::get<ConstantWeights>(layer.weights);
  weights.make = joined_filters(weights.make,
                                {layer.n, layer.k, layer.groups, layer.walk.y, layer.walk.x.kernel},
                                lines, static_cast<std::uint8_t>(weights.zero_point));
  layer.join = {
      lines, layer.walk.y.kernel, layer.groups, layer.k, layer.n, joined_taps(layer.walk.y, lines)};
  const std::int64_t n = layer.n;
  const std::int64_t line = lines.out.slice == 0 ? n : lines.out.slice;  // its lanes in a tile
  layer.border = {lines.out.border * line, lines.out.border_after(layer.walk.y.output) * line,
                  lines.out.joined * line, pad_of(layer.epilogue)};
  layer.walk.y = joined_window(layer.walk.y, lines);
  layer.groups = joined_groups(layer.k, layer.n, layer.groups, lines);
  layer.k = lines.in.lanes(layer.k);
  layer.n = lines.out.lanes(layer.n);
  layer.epilogue.bias = repeated(layer.epilogue.bias, lines.out);
  layer.epilogue.scale = repeated(layer.epilogue.scale, lines.out);
  std::string note = pieces_note(weights.pieces);
  const auto append = [&](const std::string& more) {
    if (!more.empty()) note += (note.empty() ? "" : "; ") + more;
  };
  append(fmt::format("{} lines in a row", std::max(lines.in.joined, lines.out.joined)));
  if (const std::int64_t slice = std::max(lines.in.slice, lines.out.slice); slice > 0) {
    note += fmt::format(" for slices of {} channels", slice);
  }
  if (layer.border.any()) {
    append(fmt::format("result padded by {} and {} lines", layer.border.first / line,
                       layer.border.last / line));
  }
  if (!lines.in.any()) append(pack_taps(x, {layer.walk.y, layer.walk.x}, layer));
  layer.out = joined_result(node.outputs[0], lines.out, wide);
  add_layer(node, node.outputs[0], macs, layer, std::move(note));
  add_packed_lines(layer);
  return std::nullopt;
}

Refusal Planner::plan_depthwise(const graph::Node& node, const ConvParts& parts,
                                const MakeTensor& plain_bias, ContractionLayer layer) {
  const std::uint64_t macs = unsigned_of(layer.walk.rows() * layer.walk.taps() * layer.n);
  Depthwise conv{std::move(layer), parts.x_zero, plain_bias};
  const bool can_choose = node.op != Op::kConvInteger && fits_vector_unit(conv, config_.dtype);
  const std::optional<bool>& wish = options_.mapping.depthwise_on_vector_unit;
  const bool on_vector =
      can_choose && wish.value_or(is_quicker_on_vector_unit(conv.on_array, config_));
  // The vector unit rounds its results to narrow rows. So does the array where both can run it.
  conv.on_array.out = new_result(node.outputs[0], 1, parts.wide && !can_choose);
  LayerForm form{{conv.on_array}, "depthwise as diagonal tiles"};
  LayerForm other{{on_vector_unit(conv, config_.dtype)}, "depthwise on the vector unit"};
  if (on_vector) std::swap(form, other);
  add_layer(node, node.outputs[0], macs, std::move(form.bodies.front()), std::move(form.note));
  std::vector<LayerForm>& others = segment_->layers.back().others;
  if (can_choose && !wish) {
    others.push_back(std::move(other));
    std::ranges::move(on_both_units(conv, config_), std::back_inserter(others));
  }
  if (!on_vector || !wish) add_packed_lines(conv.on_array);
  return std::nullopt;
}

}  // namespace weft::compiler
