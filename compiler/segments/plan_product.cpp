// Matrix products, with constant weights or with two computed operands.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/figures.h"
#include "compiler/blocks/contraction_blocks.h"
#include "compiler/graph/operator_table.h"
#include "compiler/segments/contraction_weights.h"
#include "compiler/segments/planner.h"
#include "sim/memory/physical_memory.h"

namespace weft::compiler {

using graph::DataType;
using graph::ValueId;

namespace {

constexpr const char* kVectors = "it multiplies vectors";

}  // namespace

/// Rows that are windows over a whole image [N, C, H, W] or [N, C, L].
void Planner::image_as_windows(const View& image, ContractionLayer& layer) {
  layer.a = image;
  layer.walk.images = image.dims[0].extent;
  layer.walk.image_step = image.dims[0].row_step;
  const auto whole = [](const ViewDim& dim) {
    return graph::WindowDim{.input = dim.extent, .kernel = dim.extent};
  };
  layer.walk.x = whole(image.dims.back());
  layer.walk.x_step = image.dims.back().row_step;
  if (image.dims.size() == 4) {
    layer.walk.y = whole(image.dims[2]);
    layer.walk.y_step = image.dims[2].row_step;
  }
  layer.k = image.dims[1].extent;
}

/// The rows of A [.., M, K]: as they lie, or as windows over the images before a Flatten.
Refusal Planner::product_rows(ValueId a, ContractionLayer& layer) {
  const auto known = segment_->values.find(a);
  if (known != segment_->values.end() && known->second.flattened) {
    image_as_windows(known->second.view, layer);
    return std::nullopt;
  }
  const Shape& shape = graph_.type(a).shape;
  const std::size_t axis = last_channel_axis(shape.size());
  const auto view = plain_operand(a, axis);
  if (!view || shape.empty() || !is_channel_axis(*view, axis)) return kUnreadableByArray;
  const auto walk = walk_rows(*view, axis);
  if (!walk) return kUnreadableByArray;
  layer.a = *view;
  layer.walk = *walk;
  layer.k = shape.back();
  return std::nullopt;
}

Refusal Planner::plan_product(const graph::Node& node, ValueId result, ConstantWeights weights,
                              std::int64_t n, Epilogue epilogue, bool wide) {
  if (plan_streamed_weights(node, weights, epilogue, wide)) return std::nullopt;
  ContractionLayer layer;
  if (Refusal refusal = product_rows(node.input(0), layer)) return refusal;
  layer.n = n;
  std::string note = pieces_note(weights.pieces);
  layer.weights = std::move(weights);
  layer.epilogue = std::move(epilogue);
  const std::uint64_t macs = unsigned_of(layer.walk.rows() * layer.walk.taps() * layer.k * layer.n);
  const std::size_t rank = graph_.type(result).shape.size();
  layer.out = new_result(result, last_channel_axis(rank), wide);
  add_layer(node, result, macs, std::move(layer), std::move(note));
  return std::nullopt;
}

Refusal Planner::plan_matmul(const graph::Node& node) {
  if (int8()) return "a float product; an int8 array needs a quantized network";
  const graph::Constant* b = lazy_constant(node.input(1));
  if (b == nullptr) return plan_float_product(node);
  const Shape& shape = b->type().shape;
  // Several constant matrices are loaded into the unified buffer like computed ones.
  if (shape.size() != 2) return plan_float_product(node);
  if (!holds(b->type().type)) return "its weights have a type that the array lacks";
  Epilogue epilogue;
  if (Refusal refusal = float_epilogue(node, shape[1], epilogue)) return refusal;
  ConstantWeights weights{.make = make_of(*b), .constant = node.input(1)};
  return plan_product(node, node.outputs[0], std::move(weights), shape[1], std::move(epilogue),
                      only_output(node.outputs[0]));
}

Refusal Planner::plan_gemm(const graph::Node& node) {
  if (int8()) return "a float product; an int8 array needs a quantized network";
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
  ConstantWeights weights{.make = make_of(*b), .form = form, .constant = node.input(1)};
  return plan_product(node, node.outputs[0], std::move(weights), n, std::move(epilogue),
                      only_output(node.outputs[0]));
}

Refusal Planner::plan_qlinear_matmul(const graph::Node& node) {
  if (!int8()) return "a float array cannot multiply integers";
  const graph::Constant* b = lazy_constant(node.input(3));
  if (b == nullptr) return plan_quantized_product(node);
  const auto a_zero = zero_point(node.input(2));
  const auto b_zero = weight_zero_point(lazy_constant(node.input(5)));
  if (!a_zero || !b_zero) return "one of its zero points is not a single constant";
  Epilogue epilogue;
  if (Refusal refusal = requantization(node, node.input(1), node.input(4), node.input(6),
                                       node.input(7), epilogue)) {
    return refusal;
  }
  if (node.input(8) != graph::kNoValue) {
    const graph::Constant* bias = lazy_constant(node.input(8));
    if (bias == nullptr) return "its bias is computed";
    epilogue.bias = make_of(*bias);
  }
  return plan_integer_product(node, node.outputs[0], *b, {*a_zero, *b_zero}, std::move(epilogue),
                              false);
}

Refusal Planner::plan_matmul_integer(const graph::Node& node) {
  if (!int8()) return "a float array cannot multiply integers";
  const graph::Constant* b = lazy_constant(node.input(1));
  if (b == nullptr) return kComputedWeights;
  Epilogue epilogue;
  const Shape& shape = b->type().shape;
  const ValueId result =
      shape.size() == 2 ? integer_epilogue(node.outputs[0], shape[1], epilogue) : node.outputs[0];
  if (!users_[result].empty()) return "its 32-bit result is used by other nodes";
  const bool is_unsigned = graph_.type(node.input(0)).type == DataType::kUint8;
  const auto a_zero = node.input(2) == graph::kNoValue && is_unsigned ? std::optional(-128)
                                                                      : zero_point(node.input(2));
  const auto b_zero = weight_zero_point(lazy_constant(node.input(3)));
  if (!a_zero || !b_zero) return "one of its zero points is not a single constant";
  return plan_integer_product(node, result, *b, {*a_zero, *b_zero}, std::move(epilogue), true);
}

Refusal Planner::plan_integer_product(const graph::Node& node, ValueId result,
                                      const graph::Constant& b, OperandZeros zeros,
                                      Epilogue epilogue, bool wide) {
  const Shape& shape = b.type().shape;
  if (shape.size() < 2) return kVectors;
  const std::int64_t n = shape.back();
  const std::int64_t matrices = graph::element_count({shape.begin(), shape.end() - 2});
  const ConstantWeights weights{.make = make_of(b),
                                .zero_point = zeros.b,
                                .pieces = int8_pieces(b, zeros.b),
                                .constant = node.input(graph::operator_of(node.op).product.b)};
  epilogue.bias = folded_bias(epilogue.bias, weights, correction(zeros.a), n, matrices);
  if (correction(zeros.a)) epilogue.biases = matrices;
  if (shape.size() == 2) {
    return plan_product(node, result, weights, n, std::move(epilogue), wide);
  }
  return plan_products(node, weights, shape, std::move(epilogue), wide);
}

namespace {

/// Steps through the indices of `batch`. An operand's leading axes are broadcast to it.
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

/// Row and channel offset of a batch index in a view with leading axes that broadcast to the batch.
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

/// One product for each index of `batch`, the leading axes of `out`.
std::vector<BatchOffset> products_of(const View& a, const View& b, const View& out,
                                     const Shape& batch) {
  std::vector<BatchOffset> products;
  BatchWalk walk{std::vector<std::int64_t>(batch.size(), 0)};
  do {
    const auto from_a = offset_of(a, walk);
    const auto from_b = offset_of(b, walk);
    const auto to = offset_of(out, walk);
    products.push_back(
        {from_a.first, from_a.second, from_b.first, from_b.second, to.first, to.second});
  } while (walk.next(batch));
  return products;
}

/// The same for constant matrices [batch.., K, N], with their numbers instead of offsets in B.
std::vector<BatchOffset> constant_products(const View& a, Shape b_shape, const View& out,
                                           const Shape& batch) {
  b_shape.back() = b_shape[b_shape.size() - 2] = 1;
  const View numbers = dense_view(0, b_shape, b_shape.size() - 1);
  std::vector<BatchOffset> products = products_of(a, numbers, out, batch);
  for (BatchOffset& product : products) product.matrix = std::exchange(product.b_row, 0);
  return products;
}

std::uint64_t macs_of(const ContractionLayer& layer) {
  return layer.batch.size() * unsigned_of(layer.walk.rows() * layer.k * layer.n);
}

/// True if one of the leading axes lies along the channels.
bool has_channel_batch(const View& view) {
  for (std::size_t axis = 0; axis + 2 < view.dims.size(); ++axis) {
    if (view.dims[axis].extent != 1 && view.dims[axis].channel_step != 0) return true;
  }
  return false;
}

/// Attention's result [batch..., M, N] with the columns of the heads side by side in one sheet, as
/// the Transpose after it needs them. The axis before M is the head.
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

/// How many products the lists of the segment's layers have.
double products_in(const Segment& segment) {
  double products = 0;
  for (const Layer& layer : segment.layers) {
    const auto* contraction = std::get_if<ContractionLayer>(&layer.body);
    if (contraction != nullptr) products += static_cast<double>(contraction->batch.size());
  }
  return products;
}

}  // namespace

void Planner::keep(const Segment& segment) {
  kept_products_ += products_in(segment);
}

/// Throws InputError if the lists of all products, with one for `batch`, would take more than a
/// quarter of the memory: a schedule holds them as planned, in forms and in groups of images.
void Planner::check_products_fit(const Shape& batch) const {
  double products = kept_products_ + products_in(*segment_);
  double added = 1;
  for (const std::int64_t extent : batch) added *= static_cast<double>(extent);
  products += added;
  const auto memory = static_cast<double>(physical_memory_bytes());
  const double bytes = products * sizeof(BatchOffset);
  if (bytes <= memory / 4) return;
  throw InputError(
      fmt::format("the lists of the network's {:.3g} products of matrices would take {}, more than "
                  "a quarter of "
                  "this computer's {}; choose a smaller batch",
                  products, si(bytes, "B"), si(memory, "B")));
}

/// The rows of one matrix of A [.., M, K].
Refusal Planner::matrix_rows(ValueId a, ContractionLayer& layer) {
  const Shape& shape = graph_.type(a).shape;
  const std::size_t rank = shape.size();
  if (rank < 2) return kVectors;
  const auto view = plain_operand(a, rank - 1);
  if (!view || !is_channel_axis(*view, rank - 1) || !is_row_axis(*view, rank - 2)) {
    return kUnreadableByArray;
  }
  layer.a = *view;
  layer.walk.x.input = layer.walk.x.output = shape[rank - 2];
  layer.walk.x_step = view->dims[rank - 2].row_step;
  layer.k = shape.back();
  return std::nullopt;
}

/// Several constant matrices: one product for each.
Refusal Planner::plan_products(const graph::Node& node, ConstantWeights weights,
                               const Shape& b_shape, Epilogue epilogue, bool wide) {
  ContractionLayer layer;
  if (Refusal refusal = matrix_rows(node.input(0), layer)) return refusal;
  layer.n = b_shape.back();
  std::string note = pieces_note(weights.pieces);
  layer.weights = std::move(weights);
  layer.epilogue = std::move(epilogue);
  const Shape& shape = graph_.type(node.outputs[0]).shape;
  layer.out = new_result(node.outputs[0], shape.size() - 1, wide);
  check_products_fit({shape.begin(), shape.end() - 2});
  layer.batch = constant_products(layer.a, b_shape, layer.out, {shape.begin(), shape.end() - 2});
  const std::uint64_t macs = macs_of(layer);
  add_layer(node, node.outputs[0], macs, std::move(layer), std::move(note));
  return std::nullopt;
}

/// Two computed int8 matrices. A zero point of the second would take a sum over every row.
Refusal Planner::plan_quantized_product(const graph::Node& node) {
  const auto a_zero = zero_point(node.input(2));
  const auto b_zero = zero_point(node.input(5));
  if (!a_zero || !b_zero) return "one of its zero points is not a single constant";
  if (*b_zero != 0) return "its second operand is computed and has a zero point";
  if (node.input(8) != graph::kNoValue) return "a product of computed matrices and a bias";
  if (correction(*a_zero) && config_.accumulator_rows <= kCorrectionRows) {
    return "the correction of its zero point leaves no accumulator rows";
  }
  Epilogue epilogue;
  if (Refusal refusal = requantization(node, node.input(1), node.input(4), node.input(6),
                                       node.input(7), epilogue)) {
    return refusal;
  }
  return plan_computed_product(node, node.input(3), std::move(epilogue), correction(*a_zero));
}

Refusal Planner::plan_float_product(const graph::Node& node) {
  if (node.input(3) != graph::kNoValue) return "a product of computed matrices and a residual";
  const Shape& b_shape = graph_.type(node.input(1)).shape;
  if (b_shape.empty()) return kVectors;
  Epilogue epilogue;
  if (Refusal refusal = float_epilogue(node, b_shape.back(), epilogue)) return refusal;
  return plan_computed_product(node, node.input(1), std::move(epilogue), {});
}

Refusal Planner::plan_computed_product(const graph::Node& node, ValueId second, Epilogue epilogue,
                                       std::optional<std::int32_t> correction) {
  if (is_turned(node.input(0))) return plan_turned_product(node, second, std::move(epilogue));
  return plan_straight_product(node, second, std::move(epilogue), correction);
}

Refusal Planner::plan_straight_product(const graph::Node& node, ValueId second, Epilogue epilogue,
                                       std::optional<std::int32_t> correction) {
  const Shape& b_shape = graph_.type(second).shape;
  if (b_shape.size() < 2) return kVectors;
  ContractionLayer layer;
  if (Refusal refusal = matrix_rows(node.input(0), layer)) return refusal;
  const auto b = plain_operand(second, b_shape.size() - 1);
  if (!b) return kUnreadableByArray;
  const ViewDim& b_k = b->dims[b_shape.size() - 2];
  const ViewDim& b_n = b->dims[b_shape.size() - 1];
  const auto is_row = [](const ViewDim& dim) {
    return dim.extent == 1 || (dim.row_step == 1 && dim.channel_step == 0);
  };
  const auto is_channel = [](const ViewDim& dim) {
    return dim.extent == 1 || (dim.row_step == 0 && dim.channel_step == 1);
  };
  const bool straight = is_row(b_k) && is_channel(b_n);
  if (!straight && !(is_channel(b_k) && is_row(b_n))) return kUnreadableByArray;

  layer.n = b_shape.back();
  layer.weights = ComputedWeights{*b, !straight, correction, Stationary::kSecondOperand};
  layer.epilogue = std::move(epilogue);
  const ValueId result = node.outputs[0];
  const Shape& shape = graph_.type(result).shape;
  const bool stacked = !straight && turns_values() && b_shape.size() >= 3 &&
                       b->dims[b_shape.size() - 3].row_step == b_n.extent;
  const bool heads = shape.size() >= 3 && (straight ? has_channel_batch(*b) : stacked);
  layer.out = new_result(result, shape.size() - 1, !int8() && !heads && only_leaves(result));
  if (heads) {
    const View view = head_view(layer.out.sheet, shape);
    Sheet& sheet = segment_->sheets[layer.out.sheet];
    const std::int64_t count = shape[shape.size() - 3];
    sheet.size = {sheet.size.rows / count, sheet.size.channels * count};
    sheet.view = view;
    segment_->values[result] = {.view = view};
    layer.out = view;
  }
  check_products_fit({shape.begin(), shape.end() - 2});
  layer.batch = products_of(layer.a, *b, layer.out, {shape.begin(), shape.end() - 2});
  const std::uint64_t macs = macs_of(layer);
  add_layer(node, result, macs, std::move(layer), "second operand from the unified buffer");
  return std::nullopt;
}

}  // namespace weft::compiler
