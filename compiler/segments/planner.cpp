#include "compiler/segments/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "compiler/passes/decompose_recurrent.h"

namespace weft::network {

using graph::Op;
using graph::ValueId;

namespace {

/// True for a convolution or pool of a value [N, C, L].
bool walks_line(const graph::Graph& graph, const graph::Node& node) {
  switch (node.op) {
    case Op::kConv:
    case Op::kConvInteger:
    case Op::kQLinearConv:
    case Op::kMaxPool:
    case Op::kAveragePool:
    case Op::kGlobalMaxPool:
    case Op::kGlobalAveragePool:
      return graph.type(node.input(0)).shape.size() == 3;
    default:
      return false;
  }
}

/// True for an operator that only shows its elements under another shape.
bool is_view(Op op) {
  switch (op) {
    case Op::kReshape:
    case Op::kFlatten:
    case Op::kSqueeze:
    case Op::kUnsqueeze:
    case Op::kTranspose:
    case Op::kIdentity:
    case Op::kSlice:
      return true;
    default:
      return false;
  }
}

/// Why a recurrent node was not unrolled.
std::string recurrent_refusal(const graph::Graph& graph, const graph::Node& node) {
  const bool is_batch_first = node.attributes.integer("layout", 0) == 1;
  const std::int64_t steps = graph.type(node.input(0)).shape[is_batch_first ? 1 : 0];
  if (steps <= passes::kMostSteps) {
    return fmt::format("the machine has no {} of this form", to_string(node.op));
  }
  return fmt::format("{} steps are too many to unroll, {} at most", steps, passes::kMostSteps);
}

}  // namespace

Planner::Planner(const graph::Graph& graph, const MachineConfig& config,
                 const std::vector<bool>& on_host, const CompileOptions& options)
    : graph_(graph),
      config_(config),
      on_host_(on_host),
      options_(options),
      users_(graph.values.size()),
      is_output_(graph.values.size(), false) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId input : graph.nodes[i].inputs) {
      if (input != graph::kNoValue) users_[input].push_back(i);
    }
  }
  for (const graph::Output& output : graph.outputs) is_output_[output.value] = true;
  for (const graph::Node& node : graph.nodes) has_lines_ = has_lines_ || walks_line(graph, node);
}

Refusal Planner::add(std::size_t index, Segment& segment, std::vector<std::size_t>& absorbed) {
  Refusal refusal = try_add(index, segment, absorbed);
  if (!refusal || has_lines_) return refusal;
  // Operands of rank 3 may be images after all, with a constant for each index of axis 1.
  has_lines_ = true;
  const Refusal second = try_add(index, segment, absorbed);
  has_lines_ = false;
  return second ? refusal : second;
}

Refusal Planner::try_add(std::size_t index, Segment& segment, std::vector<std::size_t>& absorbed) {
  const std::size_t sheets = segment.sheets.size();
  const std::size_t layers = segment.layers.size();
  const auto inputs = segment.inputs;
  const std::size_t taken = absorbed.size();
  segment_ = &segment;
  absorbed_ = &absorbed;
  moved_.clear();
  node_ = &graph_.nodes[index];
  Refusal refusal = plan(graph_.nodes[index]);
  if (refusal) {
    segment.sheets.erase(segment.sheets.begin() + static_cast<std::ptrdiff_t>(sheets),
                         segment.sheets.end());
    segment.layers.erase(segment.layers.begin() + static_cast<std::ptrdiff_t>(layers),
                         segment.layers.end());
    segment.inputs = inputs;
    absorbed.resize(taken);
    for (const ValueId output : graph_.nodes[index].outputs) segment.values.erase(output);
    for (auto& [value, operand] : moved_) segment.values.insert_or_assign(value, operand);
  }
  return refusal;
}

Refusal Planner::plan(const graph::Node& node) {
  switch (node.op) {
    case Op::kConv:
      return plan_conv(node);
    case Op::kConvInteger:
      return plan_conv_integer(node);
    case Op::kQLinearConv:
      return plan_qlinear_conv(node);
    case Op::kMatMul:
      return plan_matmul(node);
    case Op::kGemm:
      return plan_gemm(node);
    case Op::kQLinearMatMul:
      return plan_qlinear_matmul(node);
    case Op::kMatMulInteger:
      return plan_matmul_integer(node);
    case Op::kMaxPool:
    case Op::kGlobalMaxPool:
      return plan_max_pool(node);
    case Op::kAveragePool:
    case Op::kGlobalAveragePool:
      return plan_average_pool(node);
    case Op::kSoftmax:
    case Op::kLogSoftmax:
      return plan_softmax(node);
    case Op::kLayerNormalization:
      return plan_layer_normalization(node);
    case Op::kReduceSum:
    case Op::kReduceMean:
    case Op::kReduceMax:
    case Op::kReduceMin:
      return plan_reduction(node);
    case Op::kConcat:
      return plan_concat(node);
    case Op::kDequantizeLinear:
      return plan_dequantize(node);
    case Op::kReshape:
    case Op::kFlatten:
    case Op::kSqueeze:
    case Op::kUnsqueeze:
    case Op::kTranspose:
    case Op::kIdentity:
    case Op::kDropout:
      return plan_view(node);
    case Op::kExpand:
      return plan_expand(node);
    case Op::kSlice:
      return plan_slice(node);
    case Op::kSplit:
      return plan_split(node);
    case Op::kGather:
      return plan_gather(node);
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kPow:
    case Op::kMin:
    case Op::kMax:
    case Op::kPRelu:
      return plan_binary(node);
    case Op::kGreater:
    case Op::kLess:
    case Op::kEqual:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
    case Op::kWhere:
    case Op::kCast:
      return plan_logic(node);
    case Op::kLstm:
    case Op::kGru:
    case Op::kRnn:
      return recurrent_refusal(graph_, node);
    default:
      if (lane_function(node) || node.op == Op::kClip) return plan_unary(node);
      return fmt::format("the machine has no {}", to_string(node.op));
  }
}

bool Planner::holds(graph::DataType type) const {
  if (int8()) return type == graph::DataType::kInt8 || type == graph::DataType::kUint8;
  return type == graph::DataType::kFloat32 || type == graph::DataType::kFloat16;
}

std::optional<Operand> Planner::operand(ValueId value, std::size_t channel_axis) {
  if (value == graph::kNoValue) return std::nullopt;
  const auto known = segment_->values.find(value);
  if (known != segment_->values.end()) {
    const Operand& found = known->second;
    if (found.flattened || segment_->sheets[found.view.sheet].wide) return std::nullopt;
    return found;
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
  return Operand{.view = view};
}

std::size_t Planner::free_channel_axis(std::size_t rank) const {
  return rank == 3 && !has_lines_ ? last_channel_axis(rank) : image_channel_axis(rank);
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
  const View view = sheet.view;
  segment_->sheets.push_back(std::move(sheet));
  segment_->values[value] = {.view = view};
  return view;
}

View Planner::new_result(ValueId value, std::size_t channel_axis, const Shape& shape) {
  const View dense = dense_view(segment_->sheets.size(), shape, channel_axis);
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
  const View view = sheet.view;
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
  segment_->layers.push_back({name,
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

std::optional<Planner::Quantised> Planner::quantised_at_once(ValueId value) {
  const graph::Node* quantize = only_user(value);
  if (quantize == nullptr || quantize->op != Op::kQuantizeLinear) return std::nullopt;
  const auto scale = scalar(quantize->input(1));
  const auto zero = zero_point(quantize->input(2));
  if (!scale || !zero) return std::nullopt;
  absorb(*quantize);
  return Quantised{quantize->outputs[0], {std::bit_cast<std::uint32_t>(*scale), *zero}};
}

bool Planner::only_output(ValueId value) const {
  return is_output_[value] && users_[value].empty();
}

bool Planner::only_leaves(ValueId value) const {
  if (users_[value].empty()) return is_output_[value];
  return std::ranges::all_of(users_[value], [&](std::size_t user) {
    const graph::Node& node = graph_.nodes[user];
    return is_view(node.op) && node.outputs.size() == 1 && only_leaves(node.outputs[0]);
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

}  // namespace weft::network
