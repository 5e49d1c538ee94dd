#include "compiler/onnx/codec/composite/composites.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "compiler/graph/fixed_list.h"
#include "compiler/onnx/codec/composite/recipes.h"
#include "compiler/onnx/located.h"

namespace weft::onnx_io {
namespace {

using graph::ValueId;

using Names = graph::FixedList<std::string_view, 3>;

struct Composite {
  std::string_view op;
  int since;  // the first opset with this operator or form
  std::size_t least_inputs;
  std::size_t most_inputs;
  Names attributes;
  ValueId (*compose)(Assembly&);
};

constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);
constexpr Names kReduction = {"axes", "keepdims"};

constexpr auto kComposites = std::to_array<Composite>({
    {"CastLike", 15, 2, 2, {}, compose_cast_like},
    {"Celu", 12, 1, 1, {"alpha"}, compose_celu},
    {"DepthToSpace", 1, 1, 1, {"blocksize", "mode"}, compose_depth_to_space},
    {"Einsum", 12, 1, kAnyNumber, {"equation"}, compose_einsum},
    {"Gelu", 20, 1, 1, {"approximate"}, compose_gelu},
    {"GreaterOrEqual", 12, 2, 2, {}, compose_greater_or_equal},
    {"GroupNormalization",
     18,
     3,
     3,
     {"epsilon", "num_groups", "stash_type"},
     compose_group_normalization},
    {"Hardmax", 1, 1, 1, {"axis"}, compose_hardmax},
    {"LessOrEqual", 12, 2, 2, {}, compose_less_or_equal},
    {"MeanVarianceNormalization", 9, 1, 1, {"axes"}, compose_mean_variance_normalization},
    {"Mish", 18, 1, 1, {}, compose_mish},
    {"RMSNormalization", 23, 2, 2, {"axis", "epsilon", "stash_type"}, compose_rms_normalization},
    {"ReduceL1", 1, 1, 1, kReduction, compose_reduce_l1},
    {"ReduceL2", 1, 1, 1, kReduction, compose_reduce_l2},
    {"ReduceLogSum", 1, 1, 1, kReduction, compose_reduce_log_sum},
    {"ReduceLogSumExp", 1, 1, 1, kReduction, compose_reduce_log_sum_exp},
    {"ReduceSumSquare", 1, 1, 1, kReduction, compose_reduce_sum_square},
    {"RotaryEmbedding",
     23,
     3,
     4,
     {"interleaved", "num_heads", "rotary_embedding_dim"},
     compose_rotary_embedding},
    {"Shrink", 9, 1, 1, {"bias", "lambd"}, compose_shrink},
    {"Size", 1, 1, 1, {}, compose_size},
    {"Softsign", 1, 1, 1, {}, compose_softsign},
    {"SpaceToDepth", 1, 1, 1, {"blocksize"}, compose_space_to_depth},
    {"Swish", 24, 1, 1, {"alpha"}, compose_swish},
    {"ThresholdedRelu", 10, 1, 1, {"alpha"}, compose_thresholded_relu},
    {"Trilu", 14, 1, 2, {"upper"}, compose_trilu},
});

constexpr Composite kWrappingPad = {"Pad", 19, 2, 3, {"mode"}, compose_wrapping_pad};
constexpr Composite kTruths = {"ReduceMax", 20, 1, 1, kReduction, compose_reduce_of_truths};

const Composite* find_operator(std::string_view op) {
  const auto* const at = std::ranges::find(kComposites, op, &Composite::op);
  return at == kComposites.end() ? nullptr : at;
}

bool wraps(const ::onnx::NodeProto& node) {
  return node.op_type() == "Pad" && std::ranges::any_of(node.attribute(), [](const auto& each) {
           return each.name() == "mode" && each.s() == "wrap";
         });
}

bool reduces_truths(const ::onnx::NodeProto& node, const std::vector<ValueId>& inputs,
                    const graph::Builder& builder) {
  if (node.op_type() != "ReduceMax" && node.op_type() != "ReduceMin") return false;
  return !inputs.empty() && inputs[0] != graph::kNoValue &&
         builder.type(inputs[0]).type == graph::DataType::kBool;
}

/// The way to build this node; null if the graph has its operator and form.
const Composite* find(const ::onnx::NodeProto& node, const std::vector<ValueId>& inputs, int opset,
                      const graph::Builder& builder) {
  if (opset >= kWrappingPad.since && wraps(node)) return &kWrappingPad;
  if (opset >= kTruths.since && reduces_truths(node, inputs, builder)) return &kTruths;
  return find_operator(node.op_type());
}

void require_form(const ::onnx::NodeProto& node, const Composite& composite) {
  for (const auto& attribute : node.attribute()) {
    if (std::ranges::find(composite.attributes, attribute.name()) == composite.attributes.end()) {
      throw InputError("has no " + labeled("attribute", attribute.name()));
    }
  }
  const auto count = static_cast<std::size_t>(node.input_size());
  if (count < composite.least_inputs || count > composite.most_inputs) {
    const std::string range =
        composite.most_inputs == kAnyNumber ? fmt::format("{} or more", composite.least_inputs)
        : composite.most_inputs == composite.least_inputs
            ? fmt::format("{}", composite.least_inputs)
            : fmt::format("{} to {}", composite.least_inputs, composite.most_inputs);
    throw InputError(fmt::format("{} inputs, not {}", count, range));
  }
  if (node.output_size() != 1) throw InputError("needs one output");
}

}  // namespace

bool is_composite(const std::string& op) {
  return find_operator(op) != nullptr;
}

bool composite_exists(const std::string& op, int opset) {
  const Composite* const composite = find_operator(op);
  return composite != nullptr && composite->since <= opset;
}

bool is_composed(const ::onnx::NodeProto& node, const std::vector<ValueId>& inputs, int opset,
                 const graph::Builder& builder) {
  return find(node, inputs, opset, builder) != nullptr;
}

ValueId compose(const ::onnx::NodeProto& node, const std::vector<ValueId>& inputs, int opset,
                graph::Builder& builder) {
  const Composite& composite = *find(node, inputs, opset, builder);
  require_form(node, composite);
  Assembly assembly(node, inputs, opset, builder);
  const ValueId result = composite.compose(assembly);
  const bool is_input = std::ranges::find(inputs, result) != inputs.end();
  return is_input ? assembly.add(graph::Op::kIdentity, {result}) : result;
}

}  // namespace weft::onnx_io
