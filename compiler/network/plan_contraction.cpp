// Convolutions and matrix products with constant or computed weights.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "compiler/graph/operator_table.h"
#include "compiler/network/lower_layer.h"
#include "compiler/network/planner.h"

namespace weft::network {

using graph::DataType;
using graph::Op;
using graph::Tensor;
using graph::ValueId;

namespace {

constexpr const char* kUnreadable =
    "its input does not lie in rows of channels, or has a type that the array lacks";
constexpr const char* kComputedWeights = "its weights are computed";
constexpr const char* kWideZeroPoint = "its weights less their zero point do not fit int8";

std::uint64_t unsigned_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

std::int64_t group_count(const graph::Node& node) {
  return node.attributes.integer("group", 1);
}

/// Sum over the weights of each column n, less the zero point, times -zero: what the bias takes so
/// that activations may enter with their zero point.
std::vector<std::int64_t> column_sums(const ConstantWeights& weights, std::int64_t k,
                                      std::int64_t n) {
  const Tensor tensor = weights.make();
  const bool is_unsigned = tensor.type() == DataType::kUint8;
  std::vector<std::int64_t> sums(unsigned_of(n), 0);
  const std::int64_t count = tensor.size();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t column =
        weights.form == WeightForm::kMatrix ? i % n : i / std::max<std::int64_t>(1, count / n);
    const auto at = unsigned_of(i);
    const std::int64_t value =
        is_unsigned ? tensor.data<std::uint8_t>()[at] : tensor.data<std::int8_t>()[at];
    sums[unsigned_of(column)] += value - weights.zero_point;
  }
  static_cast<void>(k);
  return sums;
}

/// The int32 bias less zero * sums, modulo 2^32 as the accumulators count.
MakeTensor folded_bias(MakeTensor bias, ConstantWeights weights, std::int32_t zero, std::int64_t k,
                       std::int64_t n) {
  if (zero == 0) return bias;
  return [bias = std::move(bias), weights = std::move(weights), zero, k, n] {
    const std::vector<std::int64_t> sums = column_sums(weights, k, n);
    Tensor folded(DataType::kInt32, {n});
    const auto out = folded.mutable_data<std::int32_t>();
    const Tensor given = bias ? bias() : Tensor(DataType::kInt32, {n});
    const auto in = given.data<std::int32_t>();
    for (std::size_t i = 0; i < sums.size(); ++i) {
      out[i] = static_cast<std::int32_t>(
          static_cast<std::uint32_t>(in[i]) -
          static_cast<std::uint32_t>(static_cast<std::int64_t>(zero) * sums[i]));
    }
    return folded;
  };
}

/// True if every weight less the zero point fits int8.
bool fits_int8(const graph::Constant& weights, std::int32_t zero_point) {
  const bool is_unsigned = weights.type().type == DataType::kUint8;
  const std::int32_t low = (is_unsigned ? 0 : -128) - zero_point;
  const std::int32_t high = (is_unsigned ? 255 : 127) - zero_point;
  if (low >= -128 && high <= 127) return true;
  const Tensor tensor = weights.tensor();
  const auto fits = [&](std::int32_t value) {
    return value - zero_point >= -128 && value - zero_point <= 127;
  };
  if (is_unsigned) return std::ranges::all_of(tensor.data<std::uint8_t>(), fits);
  return std::ranges::all_of(tensor.data<std::int8_t>(), fits);
}

/// The one zero point of weights, in their own numbers; nothing if there are several.
std::optional<std::int32_t> weight_zero_point(const graph::Constant* constant) {
  if (constant == nullptr) return 0;
  const Tensor tensor = constant->tensor();
  std::optional<std::int32_t> common;
  for (std::size_t i = 0; i < unsigned_of(tensor.size()); ++i) {
    const std::int32_t value = tensor.type() == DataType::kUint8 ? tensor.data<std::uint8_t>()[i]
                                                                 : tensor.data<std::int8_t>()[i];
    if (common && *common != value) return std::nullopt;
    common = value;
  }
  return common.value_or(0);
}

/// Depthwise sums on an int8 machine's vector unit are binary32: exact as long as no partial sum,
/// the bias included, reaches 2^24.
bool sums_fit_float(std::int64_t taps, const MakeTensor& bias) {
  std::int64_t largest = 0;
  if (bias) {
    const Tensor tensor = bias();
    for (const std::int32_t value : tensor.data<std::int32_t>()) {
      largest = std::max(largest, std::abs(std::int64_t{value}));
    }
  }
  return taps * 255 * 128 + largest < (std::int64_t{1} << 24);
}

MakeTensor as_floats(const MakeTensor& integers) {
  return [integers] {
    const Tensor tensor = integers();
    Tensor floats(DataType::kFloat32, tensor.shape());
    std::ranges::transform(tensor.data<std::int32_t>(), floats.mutable_data<float>().begin(),
                           [](std::int32_t value) { return static_cast<float>(value); });
    return floats;
  };
}

MakeTensor make_of(const graph::Constant& constant) {
  return [constant] { return constant.tensor(); };
}

}  // namespace

// --- Epilogues ---

Refusal Planner::float_epilogue(const graph::Node& node, std::int64_t channels,
                                Epilogue& epilogue) {
  const ValueId bias = node.input(2);
  if (bias != graph::kNoValue) {
    const graph::Constant* constant = lazy_constant(bias);
    if (constant == nullptr) return "its bias is computed";
    const std::int64_t count = graph::element_count(constant->type().shape);
    const Shape& shape = constant->type().shape;
    if (count != 1 && (count != channels || shape.back() != channels)) {
      return "its bias is not one number a column";
    }
    if (constant->type().type != DataType::kFloat32) return "its bias is not float32";
    epilogue.bias = make_of(*constant);
  }
  if (Refusal refusal = residual(node, epilogue)) return refusal;
  const std::string activation = node.attributes.text("activation", "");
  if (activation.empty()) return std::nullopt;
  const auto function = lane_function(activation, node.attributes.real("activation_alpha", 0),
                                      node.attributes.real("activation_beta", 0));
  if (!function) return "the vector unit lacks its activation";
  epilogue.op = function->op;
  epilogue.low = function->low;
  epilogue.high = function->high;
  return std::nullopt;
}

Refusal Planner::residual(const graph::Node& node, Epilogue& epilogue) {
  const ValueId value = node.input(3);
  if (value == graph::kNoValue) return std::nullopt;
  const Shape& shape = graph_.type(node.outputs[0]).shape;
  const std::size_t axis =
      node.op == Op::kConv ? image_channel_axis(shape.size()) : last_channel_axis(shape.size());
  const auto view = plain_operand(value, axis);
  if (!view) return "its residual does not lie in the machine";
  const View dense = dense_view(view->sheet, shape, axis);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1 && view->dims[i] != dense.dims[i]) return "its residual lies otherwise";
  }
  epilogue.residual = *view;
  return std::nullopt;
}

Refusal Planner::requantisation(const graph::Node& node, ValueId x_scale, ValueId w_scale,
                                ValueId y_scale, ValueId y_zero, Epilogue& epilogue) {
  const auto x = scalar(x_scale);
  const auto y = scalar(y_scale);
  const graph::Constant* w = lazy_constant(w_scale);
  const auto zero = zero_point(y_zero);
  if (!x || !y || w == nullptr || !zero) return "its scales are not constants";
  epilogue.domain = VectorDomain::kFloat;
  epilogue.quantization = {std::bit_cast<std::uint32_t>(1.0F), *zero};
  // In float32 and in this order, as the QLinear operators' reference has it.
  epilogue.scale = [x = *x, y = *y, weights = *w] {
    const Tensor scales = weights.tensor();
    Tensor result(DataType::kFloat32, {scales.size()});
    const auto out = result.mutable_data<float>();
    const auto in = scales.data<float>();
    for (std::size_t i = 0; i < in.size(); ++i) out[i] = x * in[i] / y;
    return result;
  };
  const std::string activation = node.attributes.text("activation", "");
  if (activation.empty()) return std::nullopt;
  const bool is_unsigned = graph_.type(node.outputs[0]).type == DataType::kUint8;
  const auto quantum = [&](float value) {
    // Steps from the zero point, as quantize(value) - zero.
    const float code = std::nearbyint(value / *y) + static_cast<float>(*zero);
    static_cast<void>(is_unsigned);
    return std::clamp(code, -128.0F, 127.0F) - static_cast<float>(*zero);
  };
  const bool relu = activation == "Relu";
  const float low = relu ? 0 : node.attributes.real("activation_alpha", 0);
  const float high =
      relu ? std::numeric_limits<float>::max() : node.attributes.real("activation_beta", 0);
  epilogue.op = VectorOp::kClamp;
  epilogue.low = std::bit_cast<std::uint32_t>(quantum(low));
  epilogue.high = std::bit_cast<std::uint32_t>(quantum(high));
  return std::nullopt;
}

// --- Convolutions ---

struct Planner::ConvParts {
  ValueId x = graph::kNoValue;
  const graph::Constant* weights = nullptr;
  std::int32_t x_zero = 0;
  std::int32_t w_zero = 0;
  Epilogue epilogue = {};
  bool wide = false;
};

Refusal Planner::plan_conv(const graph::Node& node) {
  if (int8()) return "a float convolution; an int8 array needs a quantised network";
  ConvParts parts;
  parts.x = node.input(0);
  parts.weights = lazy_constant(node.input(1));
  if (parts.weights == nullptr) return kComputedWeights;
  if (Refusal refusal = float_epilogue(node, parts.weights->type().shape[0], parts.epilogue)) {
    return refusal;
  }
  parts.wide = only_output(node.outputs[0]);
  return plan_convolution(node, std::move(parts));
}

Refusal Planner::plan_conv_integer(const graph::Node& node) {
  if (!int8()) return "a float array multiplies no integers";
  ConvParts parts;
  parts.x = node.input(0);
  parts.weights = lazy_constant(node.input(1));
  if (parts.weights == nullptr) return kComputedWeights;
  const auto x_zero =
      node.input(2) == graph::kNoValue && graph_.type(parts.x).type == DataType::kUint8
          ? std::optional(-128)
          : zero_point(node.input(2));
  const auto w_zero = weight_zero_point(lazy_constant(node.input(3)));
  if (!x_zero || !w_zero) return "its zero points are not one constant";
  parts.x_zero = *x_zero;
  parts.w_zero = *w_zero;
  parts.wide = true;
  if (!users_[node.outputs[0]].empty()) return "its 32-bit result is used by other nodes";
  return plan_convolution(node, std::move(parts));
}

Refusal Planner::plan_qlinear_conv(const graph::Node& node) {
  if (!int8()) return "a float array multiplies no integers";
  ConvParts parts;
  parts.x = node.input(0);
  parts.weights = lazy_constant(node.input(3));
  if (parts.weights == nullptr) return kComputedWeights;
  const auto x_zero = zero_point(node.input(2));
  const auto w_zero = weight_zero_point(lazy_constant(node.input(5)));
  if (!x_zero || !w_zero) return "its zero points are not one constant";
  parts.x_zero = *x_zero;
  parts.w_zero = *w_zero;
  if (Refusal refusal = requantisation(node, node.input(1), node.input(4), node.input(6),
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
  if (input.size() > 4) return "windows of three dimensions and more run on the host";
  if (!holds(parts.weights->type().type)) return "its weights have a type that the array lacks";
  const auto view = plain_operand(parts.x, 1);
  if (!view || !is_channel_axis(*view, 1) || !is_row_axis(*view, 0)) return kUnreadable;
  for (std::size_t axis = 2; axis < input.size(); ++axis) {
    if (!is_row_axis(*view, axis)) return kUnreadable;
  }
  if (int8() && !fits_int8(*parts.weights, parts.w_zero)) return kWideZeroPoint;
  const std::vector<graph::WindowDim> windows =
      resolve_windows(node.attributes, input, {filters.begin() + 2, filters.end()});
  ContractionLayer layer;
  layer.a = *view;
  layer.walk.images = input[0];
  layer.walk.image_step = view->dims[0].row_step;
  layer.walk.x = windows.back();
  layer.walk.x_step = view->dims.back().row_step;
  if (windows.size() == 2) {
    layer.walk.y = windows.front();
    layer.walk.y_step = view->dims[2].row_step;
  }
  layer.groups = group_count(node);
  layer.k = input[1];
  layer.n = filters[0];
  layer.pad = static_cast<std::uint16_t>(static_cast<std::uint8_t>(parts.x_zero));
  if (!int8()) layer.pad = 0;
  const ConstantWeights weights{make_of(*parts.weights), WeightForm::kFilters, parts.w_zero};
  layer.weights = weights;
  const MakeTensor plain_bias = parts.epilogue.bias;
  if (int8()) {
    parts.epilogue.bias = folded_bias(parts.epilogue.bias, weights, parts.x_zero,
                                      layer.k / layer.groups * layer.walk.taps(), layer.n);
  }
  layer.epilogue = std::move(parts.epilogue);
  if (layer.groups > 1 && layer.groups == layer.k && layer.n == layer.k) {
    return plan_depthwise(node, parts, plain_bias, std::move(layer));
  }
  const std::uint64_t macs =
      unsigned_of(layer.walk.rows() * layer.walk.taps() * layer.k / layer.groups * layer.n);
  layer.out = new_result(node.outputs[0], 1, parts.wide);
  std::string note =
      layer.groups > 1
          ? fmt::format("{} groups as blocks of tiles; empty tiles are left out", layer.groups)
          : std::string();
  add_layer(node, node.outputs[0], macs, std::move(layer), std::move(note));
  return std::nullopt;
}

Refusal Planner::plan_depthwise(const graph::Node& node, const ConvParts& parts,
                                const MakeTensor& plain_bias, ContractionLayer layer) {
  const DepthwiseCost cost = depthwise_cost(layer.walk, layer.k, config_);
  const std::uint64_t macs = unsigned_of(layer.walk.rows() * layer.walk.taps() * layer.n);
  const bool on_vector = cost.vector_cycles < cost.array_cycles && node.op != Op::kConvInteger &&
                         (!int8() || sums_fit_float(layer.walk.taps(), plain_bias));
  std::string note = fmt::format("depthwise {}: about {} cycles; {} would take {}",
                                 on_vector ? "on the vector unit" : "as diagonal tiles",
                                 on_vector ? cost.vector_cycles : cost.array_cycles,
                                 on_vector ? "diagonal tiles" : "the vector unit",
                                 on_vector ? cost.array_cycles : cost.vector_cycles);
  // The vector unit rounds its results to narrow rows.
  layer.out = new_result(node.outputs[0], 1, parts.wide && !on_vector);
  if (!on_vector) {
    add_layer(node, node.outputs[0], macs, std::move(layer), std::move(note));
    return std::nullopt;
  }
  WindowLayer window;
  window.kind = WindowKind::kDepthwise;
  window.a = layer.a;
  window.walk = layer.walk;
  window.channels = layer.k;
  window.pad = layer.pad;
  window.filters = std::get<ConstantWeights>(layer.weights);
  window.epilogue = std::move(layer.epilogue);
  window.out = layer.out;
  if (int8()) {
    // Zero points are subtracted lane by lane, so that the bias needs no correction.
    window.domain = VectorDomain::kFloat;
    window.a_quantization.zero = parts.x_zero;
    window.epilogue.bias = plain_bias ? as_floats(plain_bias) : MakeTensor{};
    window.epilogue.bias_is_float = true;
  }
  add_layer(node, node.outputs[0], macs, std::move(window), std::move(note));
  return std::nullopt;
}

// --- Matrix products ---

/// The rows of A [.., M, K]: as they lie, or as windows over whole images that were flattened.
Refusal Planner::product_rows(ValueId a, ContractionLayer& layer) {
  const auto known = segment_->values.find(a);
  if (known != segment_->values.end() && known->second.flattened) {
    const View& view = known->second.view;
    if (!is_row_axis(view, 0)) return kUnreadable;
    layer.a = view;
    layer.walk.images = view.dims[0].extent;
    layer.walk.image_step = view.dims[0].row_step;
    const auto whole = [](const ViewDim& dim) {
      return graph::WindowDim{.input = dim.extent, .kernel = dim.extent};
    };
    layer.walk.x = whole(view.dims.back());
    layer.walk.x_step = view.dims.back().row_step;
    if (view.dims.size() == 4) {
      layer.walk.y = whole(view.dims[2]);
      layer.walk.y_step = view.dims[2].row_step;
    }
    layer.k = view.dims[1].extent;
    return std::nullopt;
  }
  const Shape& shape = graph_.type(a).shape;
  const std::size_t axis = last_channel_axis(shape.size());
  const auto view = plain_operand(a, axis);
  if (!view || shape.empty() || !is_channel_axis(*view, axis)) return kUnreadable;
  const auto walk = walk_rows(*view, axis);
  if (!walk) return kUnreadable;
  layer.a = *view;
  layer.walk = *walk;
  layer.k = shape.back();
  return std::nullopt;
}

Refusal Planner::plan_product(const graph::Node& node, ValueId a, ConstantWeights weights,
                              std::int64_t n, Epilogue epilogue, bool wide) {
  ContractionLayer layer;
  if (Refusal refusal = product_rows(a, layer)) return refusal;
  layer.n = n;
  layer.weights = std::move(weights);
  layer.epilogue = std::move(epilogue);
  const std::uint64_t macs = unsigned_of(layer.walk.rows() * layer.walk.taps() * layer.k * layer.n);
  const std::size_t rank = graph_.type(node.outputs[0]).shape.size();
  layer.out = new_result(node.outputs[0], last_channel_axis(rank), wide);
  add_layer(node, node.outputs[0], macs, std::move(layer));
  return std::nullopt;
}

Refusal Planner::plan_matmul(const graph::Node& node) {
  if (int8()) return "a float product; an int8 array needs a quantised network";
  const graph::Constant* b = lazy_constant(node.input(1));
  if (b == nullptr) return plan_float_product(node);
  const Shape& shape = b->type().shape;
  // Constants that are several matrices are loaded into the unified buffer like computed ones.
  if (shape.size() != 2) return plan_float_product(node);
  if (!holds(b->type().type)) return "its weights have a type that the array lacks";
  Epilogue epilogue;
  if (Refusal refusal = float_epilogue(node, shape[1], epilogue)) return refusal;
  return plan_product(node, node.input(0), {make_of(*b), WeightForm::kMatrix, 0}, shape[1],
                      std::move(epilogue), only_output(node.outputs[0]));
}

Refusal Planner::plan_gemm(const graph::Node& node) {
  if (int8()) return "a float product; an int8 array needs a quantised network";
  const graph::Constant* b = lazy_constant(node.input(1));
  if (b == nullptr) return kComputedWeights;
  if (node.attributes.integer("transA", 0) != 0) return "its A is transposed";
  const bool has_c = node.input(2) != graph::kNoValue;
  if (node.attributes.real("alpha", 1) != 1 || (has_c && node.attributes.real("beta", 1) != 1)) {
    return "its alpha or beta is not 1";
  }
  if (!holds(b->type().type)) return "its weights have a type that the array lacks";
  const bool transposed = node.attributes.integer("transB", 0) != 0;
  const std::int64_t n = b->type().shape[transposed ? 0 : 1];
  Epilogue epilogue;
  if (Refusal refusal = float_epilogue(node, n, epilogue)) return refusal;
  const WeightForm form = transposed ? WeightForm::kFilters : WeightForm::kMatrix;
  return plan_product(node, node.input(0), {make_of(*b), form, 0}, n, std::move(epilogue),
                      only_output(node.outputs[0]));
}

Refusal Planner::plan_qlinear_matmul(const graph::Node& node) {
  if (!int8()) return "a float array multiplies no integers";
  const graph::Constant* b = lazy_constant(node.input(3));
  if (b == nullptr) return plan_quantised_product(node);
  if (b->type().shape.size() != 2) return "its weights are not one matrix";
  const auto a_zero = zero_point(node.input(2));
  const auto b_zero = weight_zero_point(lazy_constant(node.input(5)));
  if (!a_zero || !b_zero) return "its zero points are not one constant";
  if (!fits_int8(*b, *b_zero)) return kWideZeroPoint;
  Epilogue epilogue;
  if (Refusal refusal = requantisation(node, node.input(1), node.input(4), node.input(6),
                                       node.input(7), epilogue)) {
    return refusal;
  }
  if (node.input(8) != graph::kNoValue) {
    const graph::Constant* bias = lazy_constant(node.input(8));
    if (bias == nullptr) return "its bias is computed";
    epilogue.bias = make_of(*bias);
  }
  const ConstantWeights weights{make_of(*b), WeightForm::kMatrix, *b_zero};
  const Shape& shape = b->type().shape;
  epilogue.bias = folded_bias(epilogue.bias, weights, *a_zero, shape[0], shape[1]);
  return plan_product(node, node.input(0), weights, shape[1], std::move(epilogue), false);
}

Refusal Planner::plan_matmul_integer(const graph::Node& node) {
  if (!int8()) return "a float array multiplies no integers";
  const graph::Constant* b = lazy_constant(node.input(1));
  if (b == nullptr) return kComputedWeights;
  if (b->type().shape.size() != 2) return "its weights are not one matrix";
  if (!users_[node.outputs[0]].empty()) return "its 32-bit result is used by other nodes";
  const bool is_unsigned = graph_.type(node.input(0)).type == DataType::kUint8;
  const auto a_zero = node.input(2) == graph::kNoValue && is_unsigned ? std::optional(-128)
                                                                      : zero_point(node.input(2));
  const auto b_zero = weight_zero_point(lazy_constant(node.input(3)));
  if (!a_zero || !b_zero) return "its zero points are not one constant";
  if (!fits_int8(*b, *b_zero)) return kWideZeroPoint;
  const ConstantWeights weights{make_of(*b), WeightForm::kMatrix, *b_zero};
  const Shape& shape = b->type().shape;
  Epilogue epilogue;
  epilogue.bias = folded_bias({}, weights, *a_zero, shape[0], shape[1]);
  return plan_product(node, node.input(0), weights, shape[1], std::move(epilogue), true);
}

namespace {

/// Index of every element of `batch`, an operand's leading axes broadcast against them.
struct BatchWalk {
  std::vector<std::int64_t> index;

  bool next(const Shape& batch) {
    for (std::size_t axis = batch.size(); axis-- > 0;) {
      if (++index[axis] < batch[axis]) return true;
      index[axis] = 0;
    }
    return false;
  }
};

/// Row and channel offset of a batch index in a view whose leading axes broadcast against it.
std::pair<std::int64_t, std::int64_t> offset_of(const View& view, const BatchWalk& walk) {
  const std::size_t axes = view.dims.size() - 2;
  const std::size_t skipped = walk.index.size() - axes;
  std::pair<std::int64_t, std::int64_t> offset{0, 0};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const ViewDim& dim = view.dims[axis];
    if (dim.extent == 1) continue;
    offset.first += walk.index[skipped + axis] * dim.row_step;
    offset.second += walk.index[skipped + axis] * dim.channel_step;
  }
  return offset;
}

/// True if one of the leading axes lies along the channels.
bool has_channel_batch(const View& view) {
  for (std::size_t axis = 0; axis + 2 < view.dims.size(); ++axis) {
    if (view.dims[axis].extent != 1 && view.dims[axis].channel_step != 0) return true;
  }
  return false;
}

/// Attention's result: [batch..., M, N] with the heads' columns side by side in one sheet, which is
/// how the transposition that follows wants them. The axis next to M is the head.
View head_view(std::size_t sheet, const Shape& shape) {
  View view{sheet, 0, 0, std::vector<ViewDim>(shape.size())};
  const std::size_t rank = shape.size();
  for (std::size_t i = 0; i < rank; ++i) view.dims[i].extent = shape[i];
  view.dims[rank - 1].channel_step = 1;
  view.dims[rank - 2].row_step = 1;
  view.dims[rank - 3].channel_step = shape[rank - 1];
  std::int64_t step = shape[rank - 2];
  for (std::size_t axis = rank - 3; axis-- > 0;) {
    view.dims[axis].row_step = step;
    step *= shape[axis];
  }
  return view;
}

}  // namespace

/// Two computed matrices of bytes. Zero points of the second would take a sum over every row.
Refusal Planner::plan_quantised_product(const graph::Node& node) {
  const auto a_zero = zero_point(node.input(2));
  const auto b_zero = zero_point(node.input(5));
  if (!a_zero || !b_zero) return "its zero points are not one constant";
  if (*b_zero != 0) return "its second operand is computed and has a zero point";
  if (node.input(8) != graph::kNoValue) return "a product of computed matrices and a bias";
  if (*a_zero != 0 && config_.accumulator_rows <= kCorrectionRows) {
    return "its zero point leaves no accumulator rows";
  }
  Epilogue epilogue;
  if (Refusal refusal = requantisation(node, node.input(1), node.input(4), node.input(6),
                                       node.input(7), epilogue)) {
    return refusal;
  }
  return plan_computed_product(node, node.input(3), std::move(epilogue), *a_zero);
}

Refusal Planner::plan_float_product(const graph::Node& node) {
  if (node.input(3) != graph::kNoValue) return "a product of computed matrices and a residual";
  const Shape& b_shape = graph_.type(node.input(1)).shape;
  if (b_shape.empty()) return "it multiplies vectors";
  Epilogue epilogue;
  if (Refusal refusal = float_epilogue(node, b_shape.back(), epilogue)) return refusal;
  return plan_computed_product(node, node.input(1), std::move(epilogue), 0);
}

Refusal Planner::plan_computed_product(const graph::Node& node, ValueId second, Epilogue epilogue,
                                       std::int32_t a_zero) {
  const Shape& a_shape = graph_.type(node.input(0)).shape;
  const Shape& b_shape = graph_.type(second).shape;
  if (a_shape.size() < 2 || b_shape.size() < 2) return "it multiplies vectors";
  const auto a = plain_operand(node.input(0), a_shape.size() - 1);
  const auto b = plain_operand(second, b_shape.size() - 1);
  if (!a || !b || !is_channel_axis(*a, a_shape.size() - 1) ||
      !is_row_axis(*a, a_shape.size() - 2)) {
    return kUnreadable;
  }
  const ViewDim& b_k = b->dims[b_shape.size() - 2];
  const ViewDim& b_n = b->dims[b_shape.size() - 1];
  const auto is_row = [](const ViewDim& dim) {
    return dim.extent == 1 || (dim.row_step == 1 && dim.channel_step == 0);
  };
  const auto is_channel = [](const ViewDim& dim) {
    return dim.extent == 1 || (dim.row_step == 0 && dim.channel_step == 1);
  };
  const bool straight = is_row(b_k) && is_channel(b_n);
  if (!straight && !(is_channel(b_k) && is_row(b_n))) return kUnreadable;

  ContractionLayer layer;
  layer.a = *a;
  layer.walk.x.input = layer.walk.x.output = a_shape[a_shape.size() - 2];
  layer.walk.x_step = a->dims[a_shape.size() - 2].row_step;
  layer.k = a_shape.back();
  layer.n = b_shape.back();
  layer.weights = ComputedWeights{*b, !straight, a_zero};
  layer.epilogue = std::move(epilogue);
  const ValueId result = node.outputs[0];
  const Shape& shape = graph_.type(result).shape;
  const bool heads = straight && shape.size() >= 3 && has_channel_batch(*b);
  layer.out = new_result(result, shape.size() - 1);
  if (heads) {
    const View view = head_view(layer.out.sheet, shape);
    Sheet& sheet = segment_->sheets[layer.out.sheet];
    const std::int64_t count = shape[shape.size() - 3];
    sheet.size = {sheet.size.rows / count, sheet.size.channels * count};
    sheet.view = view;
    segment_->values[result] = {.view = view};
    layer.out = view;
  }
  layer.batch.clear();
  BatchWalk walk{std::vector<std::int64_t>(shape.size() - 2, 0)};
  do {
    const auto from_a = offset_of(*a, walk);
    const auto from_b = offset_of(*b, walk);
    const auto to = offset_of(layer.out, walk);
    layer.batch.push_back(
        {from_a.first, from_a.second, from_b.first, from_b.second, to.first, to.second});
  } while (walk.next({shape.begin(), shape.end() - 2}));
  const std::uint64_t macs =
      layer.batch.size() * unsigned_of(layer.walk.rows() * layer.k * layer.n);
  add_layer(node, result, macs, std::move(layer), "second operand from the unified buffer");
  return std::nullopt;
}

}  // namespace weft::network
