#include "compiler/passes/simplify/decompose_conv_transpose.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/shapes/windows.h"
#include "compiler/passes/fusion/fuse_activation.h"
#include "compiler/passes/rewrite/constants.h"
#include "compiler/passes/rewrite/contraction.h"
#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {

using graph::Attributes;
using graph::Constant;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using graph::ValueType;
using graph::WindowDim;

namespace {

using Extents = std::vector<std::int64_t>;

/// One phase along one dimension, as a convolution of stride 1.
struct PhaseDim {
  std::int64_t first_tap = 0;
  std::int64_t tap_step = 1;
  std::int64_t taps = 0;  // 0: these outputs use no input
  std::int64_t dilation = 1;
  std::int64_t begin = 0;  // inputs [begin, end)
  std::int64_t end = 0;
  std::int64_t pad_begin = 0;
  std::int64_t pad_end = 0;
};

using PhaseDims = std::vector<PhaseDim>;

std::int64_t phase_count(const WindowDim& dim) {
  return std::min(dim.stride, dim.output);
}

std::int64_t positions(const WindowDim& dim) {
  return (dim.output + phase_count(dim) - 1) / phase_count(dim);
}

PhaseDim phase_of(const WindowDim& dim, std::int64_t remainder) {
  const std::int64_t common = std::gcd(dim.stride, dim.dilation);
  PhaseDim phase;
  phase.tap_step = dim.stride / common;
  phase.dilation = dim.dilation / common;
  const std::int64_t offset = remainder + dim.pad_begin;
  const auto misses = [&] { return (offset - phase.first_tap * dim.dilation) % dim.stride != 0; };
  while (phase.first_tap < dim.kernel && misses()) ++phase.first_tap;
  if (phase.first_tap >= dim.kernel) return phase;
  const std::int64_t taps = (dim.kernel - 1 - phase.first_tap) / phase.tap_step + 1;
  const std::int64_t last_tap = phase.first_tap + (taps - 1) * phase.tap_step;
  // The range of inputs that the phase reaches: it starts at the last tap of the first output.
  const std::int64_t low = (offset - last_tap * dim.dilation) / dim.stride;
  const std::int64_t high = positions(dim) + (offset - phase.first_tap * dim.dilation) / dim.stride;
  phase.begin = std::max<std::int64_t>(low, 0);
  phase.end = std::min(high, dim.input);
  if (phase.begin >= phase.end) return phase;
  phase.taps = taps;
  phase.pad_begin = phase.begin - low;
  phase.pad_end = high - phase.end;
  return phase;
}

/// One ConvTranspose node.
class Transposed {
 public:
  Transposed(Rewriter& rewriter, const Node& node)
      : rewriter_(rewriter),
        node_(node),
        input_(rewriter.type(node.inputs[0]).shape),
        output_(rewriter.type(node.outputs[0])),
        weights_(*rewriter.constant(node.inputs[kWeights])),
        groups_(node.attributes.integer("group", 1)),
        result_(node.outputs[0]) {
    const Shape& filters = weights_.type().shape;
    dims_ = graph::resolve_transposed_windows(node.attributes, input_,
                                              {filters.begin() + 2, filters.end()});
  }

  /// Applies `activation` to every phase. The result is then the activation's output instead of the
  /// node's output.
  void give(const Node& activation) {
    activation_ = &activation;
    result_ = activation.outputs[0];
  }

  /// The number of phases; 0 if there are too many or the input or output has no elements.
  std::int64_t phases() const {
    if (graph::element_count(input_) == 0 || graph::element_count(output_.shape) == 0) return 0;
    std::int64_t count = 1;
    for (const WindowDim& dim : dims_) {
      if (phase_count(dim) > kMostPhases) return 0;
      count *= phase_count(dim);
    }
    return count <= kMostPhases ? count : 0;
  }

  bool decompose() {
    const std::int64_t count = phases();
    if (count == 0) return false;
    if (count == 1) return emit_whole();
    std::vector<ValueId> parts;
    for (std::int64_t i = 0; i < count; ++i) parts.push_back(activated(part(phase(i))));
    interleave(std::move(parts));
    return true;
  }

 private:
  std::string name(const char* what) const { return node_.name + "/" + what; }
  ValueId list(const Extents& values, const char* what) {
    return rewriter_.add_constant(Tensor::vector(values), name(what));
  }

  /// Phase `number`; the remainder of the last dimension varies fastest.
  PhaseDims phase(std::int64_t number) const {
    PhaseDims result(dims_.size());
    for (std::size_t d = dims_.size(); d-- > 0;) {
      result[d] = phase_of(dims_[d], number % phase_count(dims_[d]));
      number /= phase_count(dims_[d]);
    }
    return result;
  }

  static bool has_taps(const PhaseDims& phase) {
    return std::ranges::all_of(phase, [](const PhaseDim& dim) { return dim.taps > 0; });
  }

  bool emit_whole() {
    const PhaseDims whole = phase(0);
    if (!has_taps(whole)) {
      rewriter_.become(node_.outputs[0], bias_alone());
      return true;
    }
    Node conv = convolution(whole);
    conv.name = node_.name;
    conv.outputs = node_.outputs;
    rewriter_.emit(std::move(conv));
    return true;
  }

  ValueId part(const PhaseDims& phase) {
    if (!has_taps(phase)) return rewriter_.add_constant(bias_alone(), name("bias"));
    Node conv = convolution(phase);
    return rewriter_.add(Op::kConv, std::move(conv.inputs), std::move(conv.attributes),
                         name("phase"));
  }

  ValueId activated(ValueId value) {
    if (activation_ == nullptr) return value;
    std::vector<ValueId> inputs = activation_->inputs;
    inputs[0] = value;
    return rewriter_.add(activation_->op, std::move(inputs), activation_->attributes,
                         activation_->name);
  }

  Node convolution(const PhaseDims& phase) {
    Node conv;
    conv.op = Op::kConv;
    conv.inputs = {inputs_of(phase), rewriter_.add_constant(filters(phase), name("weights"))};
    if (node_.input(kBias) != kNoValue) conv.inputs.push_back(node_.input(kBias));
    Extents dilations;
    Extents pads;
    for (const PhaseDim& dim : phase) dilations.push_back(dim.dilation);
    for (const PhaseDim& dim : phase) pads.push_back(dim.pad_begin);
    for (const PhaseDim& dim : phase) pads.push_back(dim.pad_end);
    conv.attributes = {{"dilations", dilations}, {"pads", pads}, {"group", groups_}};
    return conv;
  }

  ValueId inputs_of(const PhaseDims& phase) {
    Extents starts;
    Extents ends;
    Extents axes;
    for (std::size_t d = 0; d < phase.size(); ++d) {
      if (phase[d].begin == 0 && phase[d].end == dims_[d].input) continue;
      starts.push_back(phase[d].begin);
      ends.push_back(phase[d].end);
      axes.push_back(static_cast<std::int64_t>(d) + 2);
    }
    if (axes.empty()) return node_.inputs[0];
    return rewriter_.add(
        Op::kSlice,
        {node_.inputs[0], list(starts, "starts"), list(ends, "ends"), list(axes, "axes")}, {},
        name("read"));
  }

  /// The weights [C, M/g, kernel...] as [M, C/g, taps...], with the phase's taps in reverse order.
  Constant filters(const PhaseDims& phase) const {
    const Shape& from = weights_.type().shape;
    Shape to = {from[1] * groups_, from[0] / groups_};
    for (const PhaseDim& dim : phase) to.push_back(dim.taps);
    const ValueType type{weights_.type().type, to};
    return derive(type, {weights_}, [type, phase, groups = groups_](auto sources) {
      return turned(sources[0], type, phase, groups);
    });
  }

  static Tensor turned(const Tensor& weights, const ValueType& type, const PhaseDims& phase,
                       std::int64_t groups) {
    const std::vector<double> from = real_values(weights);
    const Shape& kernel = weights.shape();
    const Extents taps = tap_offsets(kernel, phase);
    const std::int64_t volume = graph::element_count({kernel.begin() + 2, kernel.end()});
    const std::int64_t group_m = kernel[1];
    const std::int64_t group_c = kernel[0] / groups;
    std::vector<double> to;
    to.reserve(static_cast<std::size_t>(graph::element_count(type.shape)));
    for (std::int64_t m = 0; m < group_m * groups; ++m) {
      for (std::int64_t c = 0; c < group_c; ++c) {
        const std::int64_t row = (m / group_m * group_c + c) * group_m + m % group_m;
        for (const std::int64_t tap : taps) {
          to.push_back(from[static_cast<std::size_t>(row * volume + tap)]);
        }
      }
    }
    return real_tensor(type, to);
  }

  /// The offsets of the phase's taps in a kernel, in the order of the convolution's taps.
  static Extents tap_offsets(const Shape& kernel, const PhaseDims& phase) {
    Extents offsets = {0};
    for (std::size_t d = 0; d < phase.size(); ++d) {
      Extents next;
      for (const std::int64_t offset : offsets) {
        for (std::int64_t tap = phase[d].taps; tap-- > 0;) {
          next.push_back(offset * kernel[d + 2] + phase[d].first_tap + tap * phase[d].tap_step);
        }
      }
      offsets = std::move(next);
    }
    return offsets;
  }

  /// The output of a phase without taps.
  Constant bias_alone() const {
    ValueType type{output_.type, {output_.shape[0], output_.shape[1]}};
    std::int64_t image = 1;
    for (const WindowDim& dim : dims_) {
      type.shape.push_back(positions(dim));
      image *= positions(dim);
    }
    if (node_.input(kBias) == kNoValue) return spread(Tensor(type.type, {1}), type, image);
    return spread(*rewriter_.constant(node_.input(kBias)), type, image);
  }

  // --- Combine the phases into one output ---

  /// Combines the phases, each [N, M, n..]: stacks them as [N, M, n.., s..], transposes to
  /// [N, M, n, s, n, s..] and reshapes.
  void interleave(std::vector<ValueId> parts) {
    const ValueId last = list({-1}, "axes");
    for (ValueId& value : parts) {
      value = rewriter_.add(Op::kUnsqueeze, {value, last}, {}, name("phase"));
    }
    const ValueId stacked =
        rewriter_.add(Op::kConcat, std::move(parts), {{"axis", std::int64_t{-1}}}, name("phases"));
    Shape apart = {output_.shape[0], output_.shape[1]};
    Shape whole = apart;
    Extents order = {0, 1};
    for (const WindowDim& dim : dims_) apart.push_back(positions(dim));
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      apart.push_back(phase_count(dims_[d]));
      whole.push_back(positions(dims_[d]) * phase_count(dims_[d]));
      order.push_back(static_cast<std::int64_t>(2 + d));
      order.push_back(static_cast<std::int64_t>(2 + dims_.size() + d));
    }
    ValueId value =
        rewriter_.add(Op::kReshape, {stacked, list(apart, "shape")}, {}, name("phases"));
    value = rewriter_.add(Op::kTranspose, {value}, {{"perm", order}}, name("interleaved"));
    finish(value, whole);
  }

  /// Reshapes `value` to `whole` and slices off positions beyond the output.
  void finish(ValueId value, const Shape& whole) {
    Node reshape{Op::kReshape, "", {value, list(whole, "shape")}, {}, {}};
    if (whole == output_.shape) {
      reshape.name = rewriter_.unique(name("whole"));
      reshape.outputs = {result_};
      rewriter_.emit(std::move(reshape));
      return;
    }
    const ValueId all = rewriter_.add(Op::kReshape, reshape.inputs, {}, name("whole"));
    Extents axes(dims_.size());
    std::iota(axes.begin(), axes.end(), 2);
    rewriter_.emit(
        {Op::kSlice,
         rewriter_.unique(name("cut")),
         {all, list(Extents(dims_.size(), 0), "starts"),
          list({output_.shape.begin() + 2, output_.shape.end()}, "ends"), list(axes, "axes")},
         {result_},
         {}});
  }

  Rewriter& rewriter_;
  const Node& node_;
  const Shape input_;
  const ValueType output_;
  const Constant weights_;
  const std::int64_t groups_;
  ValueId result_;
  const Node* activation_ = nullptr;
  std::vector<WindowDim> dims_;
};

bool has_known_weights(const Rewriter& rewriter, const Node& node) {
  if (node.op != Op::kConvTranspose || rewriter.constant(node.inputs[kWeights]) == nullptr) {
    return false;
  }
  return node.input(kBias) == kNoValue || rewriter.constant(node.inputs[kBias]) != nullptr;
}

bool decompose_conv_transpose_node(Rewriter& rewriter, const Node& node) {
  return has_known_weights(rewriter, node) && Transposed(rewriter, node).decompose();
}

/// Moves an activation into each phase, so that it can be fused with the phase's convolution.
bool decompose_activated(Rewriter& rewriter, const Node& activation) {
  if (!activation_attributes(rewriter, activation)) return false;
  const ValueId value = activation.inputs[0];
  const Node* producer = rewriter.producer(value, Op::kConvTranspose);
  if (producer == nullptr || !rewriter.used_once(value) ||
      !has_known_weights(rewriter, *producer) || Transposed(rewriter, *producer).phases() < 2) {
    return false;
  }
  const Node node = rewriter.take(value);
  Transposed transposed(rewriter, node);
  transposed.give(activation);
  return transposed.decompose();
}

}  // namespace

graph::Graph decompose_conv_transpose(graph::Graph graph) {
  return rewrite(rewrite(std::move(graph), decompose_activated), decompose_conv_transpose_node);
}

}  // namespace weft::passes
