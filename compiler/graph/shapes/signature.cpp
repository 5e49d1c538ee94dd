// What the signatures in the rows of operators.inc are made of.
#include "compiler/graph/shapes/signature.h"

#include <array>

#include "compiler/graph/shapes/inference.h"

namespace weft::graph {
namespace {

using Names = AttributeNames;
using Rules = InputRules;

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

using ShapeRule = decltype(Signature::infer);

constexpr Signature signature(std::size_t least, std::size_t most, std::size_t outputs,
                              const Names& attributes, ShapeRule infer, const Rules& inputs) {
  return {least, most, outputs, attributes, infer, inputs};
}

// An input with the same type as input `i`.
constexpr InputRule like(std::size_t i, std::string_view name) {
  return {name, 0, i};
}

// --- Attributes of several operators ---

constexpr Names fused() {
  return {"activation", "activation_alpha", "activation_beta"};
}
constexpr Names window() {
  return {"auto_pad", "kernel_shape", "pads", "strides"};
}
constexpr Names convolution() {
  return window() + Names{"dilations", "group"};
}
constexpr Names recurrent() {
  return {"activation_alpha", "activation_beta", "activations", "clip",
          "direction",        "hidden_size",     "layout"};
}

// --- Inputs of several operators ---

constexpr Rules convolved() {
  return {{"X", kFloats}, like(0, "W"), like(0, "B"), like(0, "residual")};
}

constexpr Rules quantized(std::string_view x, std::string_view scale, std::string_view zero_point,
                          std::size_t first) {
  return {{x, kBytes}, {scale, kFloat32}, like(first, zero_point)};
}

constexpr Rules qlinear(std::string_view a, std::string_view b) {
  return quantized(a, "a_scale", "a_zero_point", 0) + quantized(b, "b_scale", "b_zero_point", 3) +
         Rules{{"y_scale", kFloat32}, {"y_zero_point", kBytes}, {"B", kInt32}};
}

constexpr Rules recurrent_inputs() {
  return {{"X", kFloats},
          like(0, "W"),
          like(0, "R"),
          like(0, "B"),
          {"sequence_lens", kInt32},
          like(0, "initial_h"),
          like(0, "initial_c"),
          like(0, "P")};
}

// --- Families with one signature ---

constexpr Signature unary(TypeSet types, const Names& attributes = {}) {
  return signature(1, 1, 1, attributes, infer_unary, {{"X", types}});
}
constexpr Signature binary(TypeSet types) {
  return signature(2, 2, 1, {}, infer_broadcast, {{"A", types}, like(0, "B")});
}
constexpr Signature comparison(TypeSet types) {
  return signature(2, 2, 1, {}, infer_comparison, {{"A", types}, like(0, "B")});
}
constexpr Signature variadic(TypeSet types) {
  return signature(1, kAnyNumber, 1, {}, infer_broadcast, {{"data_0", types}, like(0, "data_i")});
}
constexpr Signature along_axis() {
  return signature(1, 1, 1, {"axis"}, infer_along_axis, {{"input", kFloats}});
}
constexpr Signature arg_extreme() {
  return signature(1, 1, 1, {"axis", "keepdims", "select_last_index"}, infer_arg_extreme,
                   {{"data", kNumbers}});
}
constexpr Signature reduction(TypeSet types) {
  return signature(1, 1, 1, {"axes", "keepdims"}, infer_reduce, {{"data", types}});
}

#define WEFT_OPERATOR(op, name, row_signature, ...) row_signature,
constexpr std::array kSignatures = std::to_array<Signature>({
#include "compiler/graph/operators.inc"
});
#undef WEFT_OPERATOR

}  // namespace

const Signature& signature_of(Op op) {
  return kSignatures.at(static_cast<std::size_t>(op));
}

}  // namespace weft::graph
