// The table of operators. Each entry gives the least and most inputs, the most outputs, the
// attributes, the inference rule, and the names and types of the inputs. The types follow ONNX
// opset 17, without the types that DataType lacks.
#include "compiler/graph/operator_table.h"

#include "compiler/graph/inference.h"

namespace weft::graph {
namespace {

using Names = std::vector<std::string_view>;
using Rules = std::vector<InputRule>;

constexpr TypeSet kFloat32 = types_of(DataType::kFloat32);
constexpr TypeSet kFloats = types_of(DataType::kFloat16) | kFloat32 | types_of(DataType::kFloat64);
constexpr TypeSet kInt32 = types_of(DataType::kInt32);
constexpr TypeSet kInt64 = types_of(DataType::kInt64);
constexpr TypeSet kWords = kInt32 | kInt64;
constexpr TypeSet kInt8 = types_of(DataType::kInt8);
constexpr TypeSet kBytes = kInt8 | types_of(DataType::kUint8);
constexpr TypeSet kNumbers = kFloats | kWords | kBytes;
constexpr TypeSet kBool = types_of(DataType::kBool);
constexpr TypeSet kAll = kNumbers | kBool;

Names operator+(Names a, const Names& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// An input with the same type as input `i`.
InputRule like(std::size_t i, std::string_view name) {
  return {name, 0, i};
}

Names fused() {
  return {"activation", "activation_alpha", "activation_beta"};
}
Names window() {
  return {"auto_pad", "kernel_shape", "pads", "strides"};
}
Names convolution() {
  return window() + Names{"dilations", "group"};
}
Names recurrent() {
  return {"activation_alpha", "activation_beta", "activations", "clip",
          "direction",        "hidden_size",     "layout"};
}

Operator unary(Op op, TypeSet types, Names attributes = {}) {
  return {op, 1, 1, 1, std::move(attributes), infer_unary, {{"X", types}}};
}
Operator binary(Op op, TypeSet types) {
  return {op, 2, 2, 1, {}, infer_broadcast, {{"A", types}, like(0, "B")}};
}
Operator comparison(Op op, TypeSet types) {
  return {op, 2, 2, 1, {}, infer_comparison, {{"A", types}, like(0, "B")}};
}
Operator variadic(Op op, TypeSet types) {
  return {op, 1, kAnyNumber, 1, {}, infer_broadcast, {{"data_0", types}, like(0, "data_i")}};
}
Operator along_axis(Op op) {
  return {op, 1, 1, 1, {"axis"}, infer_along_axis, {{"input", kFloats}}};
}
Operator reduction(Op op, TypeSet types) {
  return {op, 1, 1, 1, {"axes", "keepdims"}, infer_reduce, {{"data", types}}};
}

Rules quantised(std::string_view x, std::string_view scale, std::string_view zero_point,
                std::size_t first) {
  return {{x, kBytes}, {scale, kFloat32}, like(first, zero_point)};
}

Rules qlinear(std::string_view a, std::string_view b) {
  Rules rules = quantised(a, "a_scale", "a_zero_point", 0);
  for (const InputRule& rule : quantised(b, "b_scale", "b_zero_point", 3)) rules.push_back(rule);
  rules.push_back({"y_scale", kFloat32});
  rules.push_back({"y_zero_point", kBytes});
  rules.push_back({"B", kInt32});
  return rules;
}

Rules recurrent_inputs() {
  return {{"X", kFloats},
          like(0, "W"),
          like(0, "R"),
          like(0, "B"),
          {"sequence_lens", kInt32},
          like(0, "initial_h"),
          like(0, "initial_c"),
          like(0, "P")};
}

using Table = std::vector<Operator>;

// The families, in the order of Op.
// clang-format off
Table contractions() {
  using enum Op;
  const Rules conv = {{"X", kFloats}, like(0, "W"), like(0, "B"), like(0, "residual")};
  const Rules gemm = {{"A", kFloats | kWords}, like(0, "B"), like(0, "C"), like(0, "residual")};
  const Rules product = {
      {"A", kFloats | kWords}, like(0, "B"), like(0, "bias"), like(0, "residual")};
  return {
    {kConv, 2, 4, 1, convolution() + fused(), infer_conv, conv},
    {kConvTranspose, 2, 3, 1, convolution() + Names{"output_padding", "output_shape"},
     infer_conv_transpose, conv},
    {kConvInteger, 2, 4, 1, convolution(), infer_conv_integer,
     {{"x", kBytes}, {"w", kBytes}, like(0, "x_zero_point"), like(1, "w_zero_point")}},
    {kQLinearConv, 8, 9, 1, convolution() + fused(), infer_qlinear_conv, qlinear("x", "w")},
    {kMatMul, 2, 4, 1, fused(), infer_matmul, product},
    {kGemm, 2, 4, 1, Names{"alpha", "beta", "transA", "transB"} + fused(), infer_gemm, gemm},
    {kMatMulInteger, 2, 4, 1, {}, infer_matmul_integer,
     {{"A", kBytes}, {"B", kBytes}, like(0, "a_zero_point"), like(1, "b_zero_point")}},
    {kQLinearMatMul, 8, 9, 1, fused(), infer_qlinear_matmul, qlinear("a", "b")},
  };
}

Table quantisation() {
  using enum Op;
  return {
    {kQuantizeLinear, 2, 3, 1, {"axis"}, infer_quantize,
     {{"x", kFloat32 | kInt32}, {"y_scale", kFloat32}, {"y_zero_point", kBytes}}},
    {kDequantizeLinear, 2, 3, 1, {"axis"}, infer_dequantize,
     {{"x", kBytes | kInt32}, {"x_scale", kFloat32}, like(0, "x_zero_point")}},
    {kDynamicQuantizeLinear, 1, 1, 3, {}, infer_dynamic_quantize, {{"x", kFloat32}}},
  };
}

Table unary_operators() {
  using enum Op;
  return {
    unary(kRelu, kFloats | kWords | kInt8),
    unary(kLeakyRelu, kFloats, {"alpha"}),
    {kPRelu, 2, 2, 1, {}, infer_prelu, {{"X", kFloats | kWords}, like(0, "slope")}},
    unary(kElu, kFloats, {"alpha"}),
    unary(kSelu, kFloats, {"alpha", "gamma"}),
    unary(kSigmoid, kFloats),
    unary(kHardSigmoid, kFloats, {"alpha", "beta"}),
    unary(kHardSwish, kFloats),
    unary(kTanh, kFloats),
    unary(kErf, kNumbers),
    unary(kSoftplus, kFloats),
    {kClip, 1, 3, 1, {}, infer_clip, {{"input", kNumbers}, like(0, "min"), like(0, "max")}},
    unary(kSqrt, kFloats),
    unary(kExp, kFloats),
    unary(kLog, kFloats),
    unary(kNeg, kFloats | kWords | kInt8),
    unary(kAbs, kNumbers),
    unary(kReciprocal, kFloats),
    unary(kNot, kBool),
    unary(kIdentity, kAll),
    {kCast, 1, 1, 1, {"to"}, infer_cast, {{"input", kAll}}},
    {kDropout, 1, 3, 2, {"seed"}, infer_dropout,
     {{"data", kFloats}, {"ratio", kFloats}, {"training_mode", kBool}}},
  };
}

Table broadcasting() {
  using enum Op;
  return {
    binary(kAdd, kNumbers),
    binary(kSub, kNumbers),
    binary(kMul, kNumbers),
    binary(kDiv, kNumbers),
    {kPow, 2, 2, 1, {}, infer_broadcast, {{"X", kFloats | kWords}, {"Y", kNumbers}}},
    variadic(kMin, kNumbers),
    variadic(kMax, kNumbers),
    variadic(kMean, kFloats),
    variadic(kSum, kFloats),
    {kWhere, 3, 3, 1, {}, infer_where, {{"condition", kBool}, {"X", kAll}, like(1, "Y")}},
    comparison(kEqual, kAll),
    comparison(kLess, kNumbers),
    comparison(kGreater, kNumbers),
    comparison(kAnd, kBool),
    comparison(kOr, kBool),
  };
}

Table along_axes() {
  using enum Op;
  return {
    along_axis(kSoftmax),
    along_axis(kLogSoftmax),
    reduction(kReduceMean, kFloats | kWords),
    {kReduceSum, 1, 2, 1, {"keepdims", "noop_with_empty_axes"}, infer_reduce_sum,
     {{"data", kFloats | kWords}, {"axes", kInt64}}},
    reduction(kReduceMax, kNumbers),
    reduction(kReduceMin, kNumbers),
    {kArgMax, 1, 1, 1, {"axis", "keepdims", "select_last_index"}, infer_arg_max,
     {{"data", kNumbers}}},
  };
}

Table windows_and_norms() {
  using enum Op;
  return {
    {kMaxPool, 1, 1, 2, window() + Names{"ceil_mode", "dilations", "storage_order"},
     infer_max_pool, {{"X", kFloats | kBytes}}},
    {kAveragePool, 1, 1, 1, window() + Names{"ceil_mode", "count_include_pad"},
     infer_average_pool, {{"X", kFloats}}},
    {kGlobalAveragePool, 1, 1, 1, {}, infer_global_pool, {{"X", kFloats}}},
    {kGlobalMaxPool, 1, 1, 1, {}, infer_global_pool, {{"X", kFloats}}},
    {kBatchNormalization, 5, 5, 3, {"epsilon", "momentum", "training_mode"},
     infer_batch_normalization, {{"X", kFloats}, {"scale", kFloats}, like(1, "B"),
      {"input_mean", kFloats}, like(3, "input_var")}},
    {kInstanceNormalization, 3, 3, 1, {"epsilon"}, infer_instance_normalization,
     {{"input", kFloats}, like(0, "scale"), like(0, "B")}},
    {kLayerNormalization, 2, 3, 3, {"axis", "epsilon", "stash_type"}, infer_layer_normalization,
     {{"X", kFloats}, like(0, "Scale"), like(0, "B")}},
    {kLrn, 1, 1, 1, {"alpha", "beta", "bias", "size"}, infer_lrn, {{"X", kFloats}}},
  };
}

Table movement() {
  using enum Op;
  return {
    {kConcat, 1, kAnyNumber, 1, {"axis"}, infer_concat, {{"inputs", kAll}, like(0, "inputs")}},
    {kSplit, 1, 2, kAnyNumber, {"axis"}, infer_split, {{"input", kAll}, {"split", kInt64}}},
    {kSlice, 3, 5, 1, {}, infer_slice,
     {{"data", kAll}, {"starts", kWords}, like(1, "ends"), like(1, "axes"), like(1, "steps")}},
    {kGather, 2, 2, 1, {"axis"}, infer_gather, {{"data", kAll}, {"indices", kWords}}},
    {kReshape, 2, 2, 1, {"allowzero"}, infer_reshape, {{"data", kAll}, {"shape", kInt64}}},
    {kFlatten, 1, 1, 1, {"axis"}, infer_flatten, {{"input", kAll}}},
    {kTranspose, 1, 1, 1, {"perm"}, infer_transpose, {{"data", kAll}}},
    {kSqueeze, 1, 2, 1, {}, infer_squeeze, {{"data", kAll}, {"axes", kInt64}}},
    {kUnsqueeze, 2, 2, 1, {}, infer_unsqueeze, {{"data", kAll}, {"axes", kInt64}}},
    {kShape, 1, 1, 1, {"end", "start"}, infer_shape, {{"data", kAll}}},
    {kConstantOfShape, 1, 1, 1, {"value"}, infer_constant_of_shape, {{"input", kInt64}}},
    {kExpand, 2, 2, 1, {}, infer_expand, {{"input", kAll}, {"shape", kInt64}}},
    {kTile, 2, 2, 1, {}, infer_tile, {{"input", kAll}, {"repeats", kInt64}}},
    {kPad, 2, 3, 1, {"mode"}, infer_pad,
     {{"data", kAll}, {"pads", kInt64}, like(0, "constant_value")}},
    {kResize, 1, 4, 1,
     {"coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside",
      "extrapolation_value", "mode", "nearest_mode"}, infer_resize,
     {{"X", kAll}, {"roi", kFloats}, {"scales", kFloat32}, {"sizes", kInt64}}},
    {kRange, 3, 3, 1, {}, infer_range,
     {{"start", kFloat32 | types_of(DataType::kFloat64) | kWords}, like(0, "limit"),
      like(0, "delta")}},
  };
}

Table recurrent_cells() {
  using enum Op;
  return {
    {kLstm, 3, 8, 3, recurrent() + Names{"input_forget"}, infer_lstm, recurrent_inputs()},
    {kGru, 3, 6, 2, recurrent() + Names{"linear_before_reset"}, infer_gru, recurrent_inputs()},
    {kRnn, 3, 6, 2, recurrent(), infer_rnn, recurrent_inputs()},
  };
}

// clang-format on

Table make_table() {
  Table table;
  for (const auto family : {contractions, quantisation, unary_operators, broadcasting, along_axes,
                            windows_and_norms, movement, recurrent_cells}) {
    for (Operator& entry : family()) table.push_back(std::move(entry));
  }
  return table;
}

}  // namespace

const Operator& operator_of(Op op) {
  static const Table operators = make_table();
  return operators.at(static_cast<std::size_t>(op));
}

}  // namespace weft::graph
