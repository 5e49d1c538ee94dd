#include "compiler/passes/simplify/decompose_gemm.h"

#include <utility>
#include <vector>

#include "compiler/passes/rewrite/constants.h"
#include "compiler/passes/rewrite/contraction.h"
#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {

using graph::Constant;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Tensor;
using graph::ValueId;
using graph::ValueType;

namespace {

double factor(const Node& node, const char* name) {
  return double{node.attributes.real(name, 1)};
}

Constant scaled(const Constant& constant, double scale) {
  return derive(constant.type(), {constant}, [scale](std::span<const Tensor> sources) {
    std::vector<double> values = real_values(sources[0]);
    for (double& value : values) value *= scale;
    return real_tensor(sources[0].value_type(), values);
  });
}

ValueId scaled(Rewriter& rewriter, ValueId value, double scale) {
  if (scale == 1) return value;
  const std::string name = rewriter.name(value);
  if (const Constant* constant = rewriter.constant(value); constant != nullptr) {
    return rewriter.add_constant(scaled(*constant, scale), name);
  }
  const ValueType type{rewriter.type(value).type, {}};
  const ValueId one = rewriter.add_constant(real_tensor(type, std::vector{scale}), name + "/beta");
  return rewriter.add(Op::kMul, {value, one}, {}, name + "/scaled");
}

ValueId transposed_a(Rewriter& rewriter, const Node& node) {
  const ValueId a = node.inputs[0];
  if (node.attributes.integer("transA", 0) == 0) return a;
  if (const Constant* constant = rewriter.constant(a); constant != nullptr) {
    return rewriter.add_constant(transposed(*constant), rewriter.name(a));
  }
  return rewriter.add(Op::kTranspose, {a}, {{"perm", std::vector<std::int64_t>{1, 0}}},
                      node.name + "/transposed");
}

/// True if C can stay the bias: it is a constant with one number per column, or missing.
bool is_column_bias(const Rewriter& rewriter, const Node& node) {
  const ValueId c = node.input(kBias);
  if (c == kNoValue) return true;
  const Constant* constant = rewriter.constant(c);
  return constant != nullptr &&
         channel_bias(Op::kGemm, *constant, rewriter.type(node.outputs[0])).has_value();
}

bool is_plain(const Rewriter& rewriter, const Node& node) {
  const bool has_c = node.input(kBias) != kNoValue;
  return node.attributes.integer("transA", 0) == 0 && factor(node, "alpha") == 1 &&
         (!has_c || factor(node, "beta") == 1) &&
         (is_column_bias(rewriter, node) || is_dequantized_constant(rewriter, node.input(kBias)));
}

/// C as the operand of the Add. A constant C is expanded to the whole matrix.
ValueId addend(Rewriter& rewriter, ValueId c, const ValueType& type) {
  const Constant* constant = rewriter.constant(c);
  if (constant == nullptr || constant->type() == type) return c;
  // C is [M,1] here; a constant that varies only along the columns would be a bias.
  return rewriter.add_constant(spread(*constant, type, type.shape[1]), rewriter.name(c));
}

bool decompose_gemm_node(Rewriter& rewriter, const Node& gemm) {
  if (gemm.op != Op::kGemm || !ends_with_bias(gemm) || is_plain(rewriter, gemm)) return false;
  if (!graph::is_float(rewriter.type(gemm.inputs[0]).type)) return false;
  const double alpha = factor(gemm, "alpha");
  if (alpha != 1 && rewriter.constant(gemm.inputs[kWeights]) == nullptr) return false;
  const bool stays = is_column_bias(rewriter, gemm);
  Node product = gemm;
  for (const char* name : {"alpha", "beta", "transA"}) product.attributes.erase(name);
  product.inputs = {transposed_a(rewriter, gemm), scaled(rewriter, gemm.inputs[kWeights], alpha)};
  const ValueId c = gemm.input(kBias);
  const ValueId scaled_c = c == kNoValue ? c : scaled(rewriter, c, factor(gemm, "beta"));
  if (stays && c != kNoValue) product.inputs.push_back(scaled_c);
  if (!stays) {
    const ValueType type = rewriter.type(gemm.outputs[0]);
    product.outputs = {rewriter.new_value(type, gemm.name + "/product")};
    const ValueId sum = product.outputs[0];
    rewriter.emit(std::move(product));
    rewriter.emit({Op::kAdd,
                   rewriter.unique(gemm.name + "/add"),
                   {sum, addend(rewriter, scaled_c, type)},
                   gemm.outputs,
                   {}});
    return true;
  }
  rewriter.emit(std::move(product));
  return true;
}

}  // namespace

graph::Graph decompose_gemm(graph::Graph graph) {
  return rewrite(std::move(graph), decompose_gemm_node);
}

}  // namespace weft::passes
