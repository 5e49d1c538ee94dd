#include "compiler/segments/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <string>
#include <utility>

#include "compiler/passes/simplify/decompose_recurrent.h"
#include "compiler/segments/lines/line_plan.h"

namespace weft::compiler {

using graph::Op;
using graph::ValueId;

namespace {

/// True if the node computes no elements or has an operand without elements. Vectors of int64 are
/// shapes, axes or indices: an empty one says something about other operands.
bool has_empty_tensor(const graph::Graph& graph, const graph::Node& node) {
  const auto is_empty = [&](ValueId value) {
    return value != graph::kNoValue && graph::element_count(graph.type(value).shape) == 0;
  };
  return std::ranges::any_of(node.outputs, is_empty) ||
         std::ranges::any_of(node.inputs, [&](ValueId value) {
           return is_empty(value) && graph.type(value).type != graph::DataType::kInt64;
         });
}

/// True for a convolution or pool of a value [N, C, L].
bool walks_line(const graph::Graph& graph, const graph::Node& node) {
  return has(node.op, graph::Trait::kWindows) && graph.type(node.input(0)).shape.size() == 3;
}

/// True if the network multiplies stacks of matrices of rank 4, as attention does, and has no
/// images of rank 4.
bool has_heads(const graph::Graph& graph) {
  bool multiplies = false;
  for (const graph::Node& node : graph.nodes) {
    const bool has_rank_4 =
        node.input(0) != graph::kNoValue && graph.type(node.input(0)).shape.size() == 4;
    if (has_rank_4 && has(node.op, graph::Trait::kWindows)) return false;
    multiplies = multiplies || (has_rank_4 && node.op == graph::Op::kMatMul);
  }
  return multiplies;
}

}  // namespace

Planner::Planner(const graph::Graph& graph, const MachineConfig& config,
                 const std::vector<bool>& on_host, const CompileOptions& options)
    : graph_(graph),
      config_(config),
      on_host_(on_host),
      options_(options),
      users_(graph.values.size()),
      is_output_(graph.values.size(), false),
      lines_(plan_lines(graph, config, options.mapping)) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId input : graph.nodes[i].inputs) {
      if (input != graph::kNoValue) users_[input].push_back(i);
    }
  }
  for (const graph::Output& output : graph.outputs) is_output_[output.value] = true;
  for (const graph::Node& node : graph.nodes) has_lines_ = has_lines_ || walks_line(graph, node);
  has_heads_ = has_heads(graph);
}

Refusal Planner::add(std::size_t index, OpenSegment& segment, std::vector<std::size_t>& absorbed) {
  Refusal refusal = try_add(index, segment, absorbed);
  if (!refusal || (has_lines_ && !has_heads_)) return refusal;
  // Operands may be images after all, with a constant for each index of axis 1.
  const bool had_lines = std::exchange(has_lines_, true);
  const bool had_heads = std::exchange(has_heads_, false);
  const Refusal second = try_add(index, segment, absorbed);
  has_lines_ = had_lines;
  has_heads_ = had_heads;
  return second ? refusal : second;
}

Refusal Planner::try_add(std::size_t index, OpenSegment& segment,
                         std::vector<std::size_t>& absorbed) {
  const std::size_t sheets = segment.sheets.size();
  const std::size_t layers = segment.layers.size();
  const auto inputs = segment.inputs;
  const std::size_t taken = absorbed.size();
  segment_ = &segment;
  absorbed_ = &absorbed;
  moved_.clear();
  node_ = &graph_.nodes[index];
  const auto restore = [&] {
    segment.sheets.erase(segment.sheets.begin() + static_cast<std::ptrdiff_t>(sheets),
                         segment.sheets.end());
    segment.layers.erase(segment.layers.begin() + static_cast<std::ptrdiff_t>(layers),
                         segment.layers.end());
    segment.inputs = inputs;
    absorbed.resize(taken);
    for (const ValueId output : graph_.nodes[index].outputs) {
      segment.values.erase(output);
      segment.joined.erase(output);
    }
    for (const auto& [value, operand] : moved_) segment.joined.erase(value);
    for (auto& [value, operand] : moved_) segment.values.insert_or_assign(value, operand);
    moved_.clear();
  };
  Refusal refusal = plan(*node_);
  if (refusal) restore();
  if (refusal && turns_values() && straighten(*node_)) {
    refusal = plan(*node_);
    if (refusal) restore();
  }
  return refusal;
}

Refusal Planner::plan(const graph::Node& node) {
  const auto& plan = plans()[node.op].function;
  // A layer has at least one row, one channel and one product.
  if (plan && has_empty_tensor(graph_, node)) return "one of its tensors is empty";
  if (plan) return (this->**plan)(node);
  return fmt::format("the machine has no {}", to_string(node.op));
}

// NOLINTNEXTLINE(readability-function-size): a table
const graph::OpArray<Planner::Plan>& Planner::plans() {
  using Entry = graph::OpEntry<Plan>;
  constexpr std::string_view kDecomposed = "passes write it in other operators, if they can";
  static constexpr auto kPlans = std::to_array<Entry>({
      // Contractions and quantization
      {Op::kConv, &Planner::plan_conv},
      {Op::kConvInteger, &Planner::plan_conv_integer},
      {Op::kQLinearConv, &Planner::plan_qlinear_conv},
      {Op::kMatMul, &Planner::plan_matmul},
      {Op::kGemm, &Planner::plan_gemm},
      {Op::kQLinearMatMul, &Planner::plan_qlinear_matmul},
      {Op::kMatMulInteger, &Planner::plan_matmul_integer},
      {Op::kDequantizeLinear, &Planner::plan_dequantize},
      Entry::none(Op::kConvTranspose, kDecomposed),
      Entry::none(Op::kQuantizeLinear, "a layer absorbs it, or the host computes it"),
      // Element-wise
      {Op::kEqual, &Planner::on_floats<&Planner::plan_comparison<VectorOp::kAbs>>},
      {Op::kLess, &Planner::on_floats<&Planner::plan_comparison<VectorOp::kNeg>>},
      {Op::kGreater, &Planner::on_floats<&Planner::plan_comparison<VectorOp::kCopy>>},
      {Op::kAnd, &Planner::on_floats<&Planner::plan_truths<VectorCombine::kMul>>},
      {Op::kOr, &Planner::on_floats<&Planner::plan_truths<VectorCombine::kMax>>},
      {Op::kNot, &Planner::on_floats<&Planner::plan_negation>},
      {Op::kWhere, &Planner::on_floats<&Planner::plan_choice>},
      {Op::kCast, &Planner::on_floats<&Planner::plan_cast>},
      // Along axes, windows, normalization
      {Op::kSoftmax, &Planner::plan_softmax},
      {Op::kLogSoftmax, &Planner::plan_softmax},
      {Op::kReduceMean, &Planner::plan_reduction<ReductionKind::kMean>},
      {Op::kReduceSum, &Planner::plan_reduction<ReductionKind::kSum>},
      {Op::kReduceMax, &Planner::plan_reduction<ReductionKind::kMax>},
      {Op::kReduceMin, &Planner::plan_reduction<ReductionKind::kMin>},
      {Op::kMaxPool, &Planner::plan_max_pool},
      {Op::kGlobalMaxPool, &Planner::plan_max_pool},
      {Op::kAveragePool, &Planner::plan_average_pool},
      {Op::kGlobalAveragePool, &Planner::plan_average_pool},
      {Op::kLayerNormalization, &Planner::plan_layer_normalization},
      Entry::none(Op::kBatchNormalization, kDecomposed),
      // Movement
      {Op::kIdentity, &Planner::plan_view},
      {Op::kDropout, &Planner::plan_view},
      {Op::kReshape, &Planner::plan_view},
      {Op::kFlatten, &Planner::plan_view},
      {Op::kTranspose, &Planner::plan_view},
      {Op::kSqueeze, &Planner::plan_view},
      {Op::kUnsqueeze, &Planner::plan_view},
      {Op::kConcat, &Planner::plan_concat},
      {Op::kSplit, &Planner::plan_split},
      {Op::kSlice, &Planner::plan_slice},
      {Op::kGather, &Planner::plan_gather},
      {Op::kExpand, &Planner::plan_expand},
      // Recurrent
      {Op::kLstm, &Planner::plan_recurrent},
      {Op::kGru, &Planner::plan_recurrent},
      {Op::kRnn, &Planner::plan_recurrent},
  });
  // clang-format off
  static constexpr auto kOnHost = std::to_array<Op>({
      Op::kDynamicQuantizeLinear, Op::kMean, Op::kSum, Op::kXor, Op::kIsNan, Op::kIsInf, Op::kSin,
      Op::kCos, Op::kRound, Op::kFloor, Op::kCeil, Op::kSign, Op::kMod, Op::kReduceProd,
      Op::kArgMax, Op::kArgMin, Op::kTopK, Op::kCumSum, Op::kInstanceNormalization, Op::kLrn,
      Op::kShape, Op::kConstantOfShape, Op::kTile, Op::kPad, Op::kResize, Op::kRange,
      Op::kGridSample, Op::kGatherElements, Op::kGatherNd, Op::kScatterElements, Op::kScatterNd,
      Op::kOneHot,
  });
  // clang-format on
  static const std::vector<Entry> kHost = [] {
    std::vector<Entry> entries;
    for (const Op op : kOnHost) entries.push_back(Entry::none(op, "the host computes it"));
    return entries;
  }();
  static const std::vector<Entry> kUnary =
      graph::entries_with<Plan>(graph::Trait::kFunction, &Planner::plan_unary);
  static const std::vector<Entry> kBinary =
      graph::entries_with<Plan>(graph::Trait::kBinary, &Planner::plan_binary);
  static const graph::OpArray<Plan> kArray("planner", {kPlans, kHost, kUnary, kBinary});
  return kArray;
}

template <Planner::Plan plan>
Refusal Planner::on_floats(const graph::Node& node) {
  if (int8()) return fmt::format("the machine has no {}", to_string(node.op));
  return (this->*plan)(node);
}

/// Why a recurrent node was not unrolled.
Refusal Planner::plan_recurrent(const graph::Node& node) {
  const bool is_batch_first = node.attributes.integer("layout", 0) == 1;
  const std::int64_t steps = graph_.type(node.input(0)).shape[is_batch_first ? 1 : 0];
  if (steps <= passes::kMostSteps) {
    return fmt::format("the machine has no {} of this form", to_string(node.op));
  }
  return fmt::format("{} steps are too many to unroll, {} at most", steps, passes::kMostSteps);
}

bool Planner::holds(graph::DataType type) const {
  if (int8()) return type == graph::DataType::kInt8 || type == graph::DataType::kUint8;
  return type == graph::DataType::kFloat32 || type == graph::DataType::kFloat16;
}

std::optional<LayerOperand> Planner::operand(ValueId value, std::size_t channel_axis) {
  if (value == graph::kNoValue) return std::nullopt;
  const auto known = segment_->values.find(value);
  if (known != segment_->values.end()) {
    const LayerOperand found = known->second;
    if (found.flattened || segment_->sheets[found.view.sheet].wide) return std::nullopt;
    return found.lines.any() ? take_apart(value, found) : found;
  }
  const graph::ValueType& type = graph_.type(value);
  if (!on_host_[value] || !holds(type.type) || graph::element_count(type.shape) == 0) {
    return std::nullopt;
  }
  const auto [entry, is_new] =
      segment_->inputs.try_emplace({value, channel_axis}, segment_->sheets.size());
  const View view = dense_view(entry->second, type.shape, channel_axis);
  if (is_new) {
    Sheet sheet;
    sheet.size = dense_sheet(type.shape, channel_axis);
    sheet.value = value;
    sheet.view = view;
    sheet.from_host = true;
    segment_->sheets.push_back(std::move(sheet));
  }
  return LayerOperand{.view = view};
}

std::size_t Planner::free_channel_axis(std::size_t rank) const {
  const bool is_sequence = (rank == 3 && !has_lines_) || (rank == 4 && has_heads_);
  return is_sequence ? last_channel_axis(rank) : image_channel_axis(rank);
}

std::optional<View> Planner::plain_operand(ValueId value, std::size_t channel_axis) {
  const auto found = operand(value, channel_axis);
  if (!found || found->dequantized) return std::nullopt;
  return found->view;
}

const graph::Constant* Planner::lazy_constant(ValueId value) const {
  if (value == graph::kNoValue || !graph_.is_constant(value)) return nullptr;
  return &*graph_.values[value].constant;
}

std::optional<graph::Tensor> Planner::constant(ValueId value) const {
  const graph::Constant* found = lazy_constant(value);
  if (found == nullptr) return std::nullopt;
  return found->tensor();
}

std::optional<float> Planner::scalar(ValueId value) const {
  const graph::Constant* found = lazy_constant(value);
  if (found == nullptr || found->type().type != graph::DataType::kFloat32 ||
      graph::element_count(found->type().shape) != 1) {
    return std::nullopt;
  }
  return found->tensor().data<float>()[0];
}

std::optional<std::int32_t> Planner::zero_point(ValueId value) const {
  if (value == graph::kNoValue) return 0;
  const auto tensor = constant(value);
  if (!tensor || tensor->size() != 1) return std::nullopt;
  if (tensor->type() == graph::DataType::kUint8) return tensor->data<std::uint8_t>()[0] - 128;
  if (tensor->type() == graph::DataType::kInt8) return tensor->data<std::int8_t>()[0];
  return std::nullopt;
}

std::optional<std::int32_t> Planner::correction(std::int32_t zero) const {
  if (!int8() || (zero == 0 && !options_.calibrated)) return std::nullopt;
  return zero;
}

View Planner::new_result(ValueId value, std::size_t channel_axis, bool wide) {
  const Shape& shape = graph_.type(value).shape;
  Sheet sheet;
  sheet.size = dense_sheet(shape, channel_axis);
  sheet.value = value;
  sheet.wide = wide;
  sheet.view = dense_view(segment_->sheets.size(), shape, channel_axis);
  View view = sheet.view;
  segment_->sheets.push_back(std::move(sheet));
  segment_->values[value] = {.view = view};
  return view;
}

View Planner::new_result(ValueId value, std::size_t channel_axis, const Shape& shape) {
  View dense = dense_view(segment_->sheets.size(), shape, channel_axis);
  const Shape& own = graph_.type(value).shape;
  View view = dense;
  std::erase_if(view.dims, [](const ViewDim& dim) { return dim.extent == 1; });
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    if (own[axis] == 1)
      view.dims.insert(view.dims.begin() + static_cast<std::ptrdiff_t>(axis), ViewDim{});
  }
  Sheet sheet;
  sheet.size = dense_sheet(shape, channel_axis);
  sheet.value = value;
  sheet.view = view;
  segment_->sheets.push_back(std::move(sheet));
  segment_->values[value] = {.view = view};
  return dense;
}

View Planner::constant_sheet(SheetSize size, std::function<Matrix()> make) {
  Sheet sheet;
  sheet.size = size;
  sheet.from_host = true;
  sheet.make = std::move(make);
  sheet.view = dense_view(segment_->sheets.size(), {size.rows, size.channels}, 1);
  View view = sheet.view;
  segment_->sheets.push_back(std::move(sheet));
  return view;
}

void Planner::add_layer(const graph::Node& node, ValueId result, std::uint64_t macs, LayerBody body,
                        std::string note) {
  segment_->layers.push_back({node.name, std::string(to_string(node.op)), result,
                              graph_.type(result), macs, std::move(note), std::move(body)});
}

void Planner::add_movement(const char* op, ValueId value, Shape shape, LayerBody body,
                           std::string note) {
  const std::string& name = value == graph::kNoValue ? node_->name : graph_.values[value].name;
  std::string what = op;
  std::ranges::transform(what, what.begin(), [](unsigned char c) { return std::tolower(c); });
  segment_->layers.push_back({fmt::format("{}/{}", name, what),
                              op,
                              value,
                              {graph::DataType::kFloat32, std::move(shape)},
                              0,
                              std::move(note),
                              std::move(body)});
}

const graph::Node* Planner::only_user(ValueId value) const {
  if (is_output_[value] || users_[value].size() != 1) return nullptr;
  return &graph_.nodes[users_[value].front()];
}

std::optional<Planner::QuantizedAtOnce> Planner::quantized_at_once(ValueId value) {
  const graph::Node* quantize = only_user(value);
  if (quantize == nullptr || quantize->op != Op::kQuantizeLinear) return std::nullopt;
  const auto scale = scalar(quantize->input(1));
  const auto zero = zero_point(quantize->input(2));
  if (!scale || !zero) return std::nullopt;
  absorb(*quantize);
  return QuantizedAtOnce{quantize->outputs[0], {std::bit_cast<std::uint32_t>(*scale), *zero}};
}

bool Planner::only_output(ValueId value) const {
  return is_output_[value] && users_[value].empty();
}

bool Planner::only_leaves(ValueId value) const {
  if (users_[value].empty()) return is_output_[value];
  return std::ranges::all_of(users_[value], [&](std::size_t user) {
    const graph::Node& node = graph_.nodes[user];
    return has(node.op, graph::Trait::kView) && node.outputs.size() == 1 &&
           only_leaves(node.outputs[0]);
  });
}

bool Planner::host_takes(ValueId value) const {
  return is_output_[value] || std::ranges::any_of(users_[value], [&](std::size_t user) {
           const graph::Node& node = graph_.nodes[user];
           return node.op == Op::kDequantizeLinear && is_output_[node.outputs[0]];
         });
}

void Planner::absorb(const graph::Node& node) {
  absorbed_->push_back(static_cast<std::size_t>(&node - graph_.nodes.data()));
}

}  // namespace weft::compiler
