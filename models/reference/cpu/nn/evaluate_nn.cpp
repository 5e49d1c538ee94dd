#include "models/reference/cpu/nn/evaluate_nn.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "models/reference/cpu/nn/half.h"
#include "models/reference/cpu/nn/operators.h"

namespace weft::reference {
namespace {

using graph::Op;

struct OperatorEntry {
  Op op;
  Tensors (*evaluate)(const NodeCall& call);
};

constexpr std::array kOperators = std::to_array<OperatorEntry>({
    {Op::kConv, evaluate_conv},
    {Op::kConvTranspose, evaluate_conv_transpose},
    {Op::kConvInteger, evaluate_conv_integer},
    {Op::kQLinearConv, evaluate_qlinear_conv},
    {Op::kMatMul, evaluate_matmul},
    {Op::kGemm, evaluate_gemm},
    {Op::kMatMulInteger, evaluate_matmul_integer},
    {Op::kQLinearMatMul, evaluate_qlinear_matmul},
    {Op::kQuantizeLinear, evaluate_quantize_linear},
    {Op::kDequantizeLinear, evaluate_dequantize_linear},
    {Op::kDynamicQuantizeLinear, evaluate_dynamic_quantize_linear},
    {Op::kMaxPool, evaluate_max_pool},
    {Op::kAveragePool, evaluate_average_pool},
    {Op::kGlobalAveragePool, evaluate_global_average_pool},
    {Op::kGlobalMaxPool, evaluate_global_max_pool},
    {Op::kBatchNormalization, evaluate_batch_normalization},
    {Op::kInstanceNormalization, evaluate_instance_normalization},
    {Op::kLayerNormalization, evaluate_layer_normalization},
    {Op::kLrn, evaluate_lrn},
    {Op::kLstm, evaluate_lstm},
    {Op::kGru, evaluate_gru},
    {Op::kRnn, evaluate_rnn},
    {Op::kResize, evaluate_resize},
});

const OperatorEntry* find_entry(Op op) {
  const auto* entry = std::ranges::find(kOperators, op, &OperatorEntry::op);
  return entry == kOperators.end() ? nullptr : entry;
}

bool has_half(const NodeCall& call) {
  return std::any_of(call.inputs.begin(), call.inputs.end(), [](const Tensor* tensor) {
    return tensor != nullptr && tensor->type() == DataType::kFloat16;
  });
}

}  // namespace

bool is_nn_op(graph::Op op) {
  return find_entry(op) != nullptr;
}

std::vector<graph::Tensor> evaluate_nn(const graph::NodeCall& call) {
  const OperatorEntry* entry = find_entry(call.op);
  if (entry == nullptr) {
    throw InputError(
        fmt::format("{}: not an operator of the neural-network reference", to_string(call.op)));
  }
  Tensors results =
      has_half(call) ? evaluate_widened(call, entry->evaluate) : entry->evaluate(call);
  if (results.size() > call.outputs.size()) {
    results.erase(results.begin() + static_cast<std::ptrdiff_t>(call.outputs.size()),
                  results.end());
  }
  return results;
}

}  // namespace weft::reference
