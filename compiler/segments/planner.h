// Decides what runs where. A segment collects the nodes that one program of the machine can run.
// Each node becomes a layer, or no layer if its result is the same elements seen through another
// view. For a node that does not fit, the planner gives the reason; the host computes it.
//
// Values of a segment have views. A value on the host becomes an input sheet when a layer asks for
// it, in the layout that the layer asks for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/op_array.h"
#include "compiler/layers/lane_function.h"
#include "compiler/layers/segment.h"
#include "compiler/layers/sheet.h"
#include "compiler/program/network_program.h"
#include "compiler/segments/lines/joined_lines.h"
#include "sim/config/machine_config.h"

namespace weft::compiler {

/// Why a node cannot run on the machine; nullopt if it can.
using Refusal = std::optional<std::string>;

inline constexpr const char* kUnreadable =
    "its input does not lie in rows of channels on this machine";
inline constexpr const char* kNotQuantized = "its float result is not directly quantized";

/// A value as a layer reads it: where it lies and, on int8 machines, what its integers mean.
struct LayerOperand {
  View view;
  Quantization quantization = {};
  bool dequantized = false;  // a float value stored as int8
  /// The value is [N, C*H*W], but the view is the image [N, C, H, W] before a Flatten. A matrix
  /// product reads it as a window over the whole image.
  bool flattened = false;
  /// Lines of the image that are joined (joined_lines.h). If there are several, the view is the
  /// wider image.
  ImageLines lines = {};
};

/// A segment to which layers are still added.
struct OpenSegment : Segment {
  std::map<graph::ValueId, LayerOperand> values;
  /// Where images lie with joined lines whose lines were taken apart.
  std::map<graph::ValueId, LayerOperand> joined;
  std::map<std::pair<graph::ValueId, std::size_t>, std::size_t> inputs;  // value, axis -> sheet
};

/// Bounds of int8 values, both included.
struct IntegerBounds {
  std::int32_t low = -128;
  std::int32_t high = 127;
};

class Planner {
 public:
  /// `graph` and `config` must outlive the planner. `on_host[v]`: the host has value v.
  Planner(const graph::Graph& graph, const MachineConfig& config, const std::vector<bool>& on_host,
          const CompileOptions& options = {});

  /// Adds node `index` to the segment; a refusal leaves the segment unchanged. `absorbed` receives
  /// the nodes that became part of it (an activation, a quantization).
  Refusal add(std::size_t index, OpenSegment& segment, std::vector<std::size_t>& absorbed);

  /// True for a Transpose of a matrix, or of an image's batch and channels, if only products of
  /// computed operands use the result. The machine then takes the operand from the host: the array
  /// or a fetch transposes it, or a view is enough.
  bool transposes_for_product(const graph::Node& node) const;

  /// Takes apart the lines of wanted values that lie with a border or in slices, over which the
  /// host cannot read.
  void take_lines_apart(OpenSegment& segment, const std::vector<bool>& wanted);

  /// Tells the planner that `segment` is complete and stays in memory.
  void keep(const Segment& segment);

 private:
  Refusal try_add(std::size_t index, OpenSegment& segment, std::vector<std::size_t>& absorbed);
  Refusal plan(const graph::Node& node);
  using Plan = Refusal (Planner::*)(const graph::Node& node);
  /// For each operator how it is planned, or why the machine has none.
  static const graph::OpArray<Plan>& plans();
  /// `plan`, but a refusal on an int8 machine.
  template <Plan plan>
  Refusal on_floats(const graph::Node& node);
  Refusal plan_recurrent(const graph::Node& node);
  // plan_convolution.cpp
  Refusal plan_conv(const graph::Node& node);
  Refusal plan_conv_integer(const graph::Node& node);
  Refusal plan_qlinear_conv(const graph::Node& node);
  struct ConvParts;
  JoinedLines lines_between(const ConvParts& parts, graph::ValueId result,
                            const std::vector<graph::WindowDim>& windows) const;
  Refusal plan_joined(const graph::Node& node, graph::ValueId x, const JoinedLines& lines,
                      bool wide, ContractionLayer layer);
  Refusal plan_convolution(const graph::Node& node, ConvParts parts);
  std::string pack_taps(graph::ValueId x, const std::vector<graph::WindowDim>& windows,
                        ContractionLayer& layer);
  void add_packed_lines(const ContractionLayer& layer);
  Refusal plan_depthwise(const graph::Node& node, const ConvParts& parts,
                         const MakeTensor& plain_bias, ContractionLayer layer);
  // plan_rearranged.cpp
  std::optional<View> ordered_rows(const View& view, std::size_t axis, graph::ValueId value);
  Refusal plan_rearranged(const graph::Node& node, const LayerOperand& source);
  Refusal plan_expand(const graph::Node& node);
  Refusal plan_ordered_rows(const graph::Node& node, const View& source, std::size_t axis);
  Refusal plan_flat_rows(const graph::Node& node, const View& image);
  Refusal plan_image_of_rows(const graph::Node& node, const View& flat);
  // plan_weight_gradient.cpp
  Refusal plan_weight_gradient(const graph::Node& node);
  View seen_by_outputs(const View& image, const std::vector<graph::WindowDim>& windows,
                       std::int64_t rows);
  View gradient_result(graph::ValueId value, bool wide);
  // plan_product.cpp
  Refusal plan_matmul(const graph::Node& node);
  Refusal plan_gemm(const graph::Node& node);
  Refusal plan_qlinear_matmul(const graph::Node& node);
  Refusal plan_matmul_integer(const graph::Node& node);
  Refusal plan_product(const graph::Node& node, graph::ValueId result, ConstantWeights weights,
                       std::int64_t n, Epilogue epilogue, bool wide);
  struct OperandZeros {
    std::int32_t a = 0;
    std::int32_t b = 0;
  };
  Refusal plan_integer_product(const graph::Node& node, graph::ValueId result,
                               const graph::Constant& b, OperandZeros zeros, Epilogue epilogue,
                               bool wide);
  Refusal plan_products(const graph::Node& node, ConstantWeights weights, const Shape& b_shape,
                        Epilogue epilogue, bool wide);
  Refusal plan_float_product(const graph::Node& node);
  Refusal plan_quantized_product(const graph::Node& node);
  Refusal plan_computed_product(const graph::Node& node, graph::ValueId second, Epilogue epilogue,
                                std::optional<std::int32_t> correction);
  Refusal plan_straight_product(const graph::Node& node, graph::ValueId second, Epilogue epilogue,
                                std::optional<std::int32_t> correction);
  void check_products_fit(const Shape& batch) const;
  Refusal matrix_rows(graph::ValueId a, ContractionLayer& layer);
  Refusal product_rows(graph::ValueId a, ContractionLayer& layer);
  static void image_as_windows(const View& image, ContractionLayer& layer);
  // plan_turned.cpp
  bool is_turned(graph::ValueId value);
  View turned_copy(const View& source, graph::ValueId value, bool swapped);
  void turn(graph::ValueId value);
  Refusal plan_turned_product(const graph::Node& node, graph::ValueId second, Epilogue epilogue);
  void plan_turned_result(const graph::Node& node, graph::ValueId second);
  bool turns(bool by_default);
  bool turns_values() {
    return options_.mapping.turned_values.value_or(false) && !masks_with_infinities();
  }
  std::int64_t turning_factor(graph::ValueId value, bool by_lanes) const;
  bool saves_cycles(const graph::Node& node) const;
  bool masks_with_infinities();
  bool straighten(const graph::Node& node);
  bool plan_streamed_weights(const graph::Node& node, const ConstantWeights& weights,
                             const Epilogue& epilogue, bool wide);
  // plan_epilogue.cpp
  std::optional<LaneFunction> integer_function(const graph::Node& node) const;
  graph::ValueId integer_epilogue(graph::ValueId sums, std::int64_t columns, Epilogue& epilogue);
  Refusal float_epilogue(const graph::Node& node, std::int64_t channels, Epilogue& epilogue);
  Refusal residual(const graph::Node& node, Epilogue& epilogue);
  Refusal requantization(const graph::Node& node, graph::ValueId x_scale, graph::ValueId w_scale,
                         graph::ValueId y_scale, graph::ValueId y_zero, Epilogue& epilogue);
  // plan_elementwise.cpp
  Refusal plan_unary(const graph::Node& node);
  Refusal plan_binary(const graph::Node& node);
  Refusal plan_elementwise(const graph::Node& node, LaneStep step);
  std::optional<std::size_t> take_rows(graph::ValueId a, ElementwiseLayer& layer,
                                       bool joined = false);
  View result_of(graph::ValueId value, std::size_t axis, const ElementwiseLayer& layer);
  Refusal plan_step(const graph::Node& node, std::size_t axis, ElementwiseLayer layer);
  Refusal plan_steps(const graph::Node& node, std::size_t axis, ElementwiseLayer layer);
  bool append_function(const graph::Node& next, ElementwiseLayer& layer) const;
  bool append_factor(const graph::Node& next, graph::ValueId value, std::size_t axis,
                     ElementwiseLayer& layer);
  bool append_step(const graph::Node& next, graph::ValueId value, std::size_t axis,
                   ElementwiseLayer& layer);
  Refusal second_operand(graph::ValueId b, const Shape& shape, std::size_t axis,
                         ElementwiseLayer& layer, LaneStep& step);
  Refusal operand_rows(graph::ValueId b, const Shape& shape, std::size_t axis,
                       ElementwiseLayer& layer, LaneStep& step);
  Refusal constant_rows(const graph::Constant& constant, const Shape& shape, std::size_t axis,
                        ElementwiseLayer& layer, LaneStep& step);
  std::optional<IntegerBounds> integer_bounds(graph::Op op, graph::ValueId a,
                                              graph::ValueId b) const;
  Refusal plan_integer_clip(const graph::Node& node, graph::ValueId a, const IntegerBounds& bounds);
  Refusal integer_arithmetic(graph::ValueId a, graph::ValueId b, const LaneStep& step) const;
  /// The node as a function of one value; nullopt if there is none, or if Clip has computed bounds.
  std::optional<LaneFunction> function_of(const graph::Node& node) const;
  // plan_logic.cpp
  bool is_zero(graph::ValueId value) const;
  Refusal plan_negation(const graph::Node& node);
  Refusal plan_lane_steps(const graph::Node& node, graph::ValueId a, std::vector<LaneStep> steps,
                          std::optional<std::pair<std::size_t, graph::ValueId>> operand);
  /// Compares two operands. `sign` is applied to their difference, and a positive result is true;
  /// with kAbs, it is false.
  template <VectorOp sign>
  Refusal plan_comparison(const graph::Node& node) {
    return plan_comparison(node, sign);
  }
  Refusal plan_comparison(const graph::Node& node, VectorOp sign);
  Refusal plan_choice(const graph::Node& node);
  Refusal plan_choice_of_two(const graph::Node& node);
  /// Combines two truth values, which are 1 or 0.
  template <VectorCombine combine>
  Refusal plan_truths(const graph::Node& node) {
    return plan_truths(node, combine);
  }
  Refusal plan_truths(const graph::Node& node, VectorCombine combine);
  Refusal plan_cast(const graph::Node& node);
  // plan_pool.cpp
  Refusal plan_max_pool(const graph::Node& node);
  std::optional<JoinedLines> pooled_lines(const graph::Node& node,
                                          const std::vector<graph::WindowDim>& windows) const;
  void plan_joined_pool(const graph::Node& node, const std::vector<graph::WindowDim>& windows,
                        const JoinedLines& lines);
  ElementwiseLayer largest_of_lines(const View& maxima, const graph::WindowDim& y,
                                    const JoinedLines& lines, std::int64_t line) const;
  Refusal plan_average_pool(const graph::Node& node);
  Refusal plan_pool(const graph::Node& node, WindowLayer layer,
                    const std::vector<graph::WindowDim>& windows);
  // plan_along_channels.cpp
  struct LaneRows {
    View view;
    RowWalk walk;
    Quantization quantization = {};
  };
  std::optional<LaneRows> lane_rows(graph::ValueId value, std::size_t axis);
  template <class Layer>
  Refusal finish_rows(const graph::Node& node, std::size_t axis, Layer layer);
  Refusal plan_softmax(const graph::Node& node);
  /// `before`: the rows that the softmax takes, and the steps that scale or mask them.
  Refusal plan_softmax_after(const graph::Node& node, ElementwiseLayer before);
  std::size_t softmax_axis(const graph::Node& node) const;
  Refusal plan_layer_normalization(const graph::Node& node);
  Refusal plan_concat(const graph::Node& node);
  View stacked_result(graph::ValueId value, std::size_t channel_axis, std::size_t axis);
  // plan_reduction.cpp
  template <ReductionKind kind>
  Refusal plan_reduction(const graph::Node& node) {
    return plan_reduction(node, kind);
  }
  Refusal plan_reduction(const graph::Node& node, ReductionKind kind);
  Refusal plan_row_reduction(const graph::Node& node, ReductionKind kind);
  Refusal plan_image_reduction(const graph::Node& node, ReductionKind kind);
  bool tile_fits(std::int64_t rows) const;
  Refusal plan_sum_of_rows(const graph::Node& node, ReductionKind kind, std::size_t axis,
                           const std::vector<std::int64_t>& reduced);
  std::optional<std::vector<std::int64_t>> reduced_axes(const graph::Node& node) const;
  // plan_views.cpp
  const LayerOperand* view_of(graph::ValueId value);
  Refusal plan_dequantize(const graph::Node& node);
  Refusal plan_view(const graph::Node& node);
  Refusal plan_flatten(const graph::Node& node, const LayerOperand& source);
  Refusal plan_slice(const graph::Node& node);
  Refusal plan_split(const graph::Node& node);
  Refusal plan_gather(const graph::Node& node);

  // --- Operands ---

  /// The value where it lies, or as an input sheet with `channel_axis` in the channels; nullopt if
  /// the machine cannot read it.
  std::optional<LayerOperand> operand(graph::ValueId value, std::size_t channel_axis);
  /// Like operand(), but for layers that read joined lines: with as many as planned.
  std::optional<LayerOperand> joined_operand(graph::ValueId value, std::size_t channel_axis);
  /// How many lines joined_operand() finds or joins.
  ImageLines joined_lines(graph::ValueId value) const;
  /// Adds a sheet for an image, whose dense rows have the shape `rows`. `view`: how it lies there.
  /// `wide` as in new_result().
  void add_image(graph::ValueId value, const graph::Shape& rows, const View& view,
                 bool wide = false);
  /// Copies an image such that the planned number of its lines is joined.
  LayerOperand join(graph::ValueId value, const LayerOperand& apart);
  /// Copies the lines of an image that is joined into rows of their own.
  LayerOperand take_apart(graph::ValueId value, const LayerOperand& joined);
  /// The joined lines of two images of one shape. If the two differ, the images are read unjoined.
  ImageLines common_lines(graph::ValueId a, graph::ValueId b) const;
  /// The channel axis for layers that accept any: image_channel_axis(), but the last axis for
  /// sequences. Those are values of rank 3 if no window of the network is one-dimensional, and of
  /// rank 4 if the network has heads.
  std::size_t free_channel_axis(std::size_t rank) const;
  /// Like operand(), but nullopt for a float value stored as integers.
  std::optional<View> plain_operand(graph::ValueId value, std::size_t channel_axis);
  /// True if the array's elements can hold values of this type.
  bool holds(graph::DataType type) const;
  bool int8() const { return config_.dtype == ElementType::kInt8; }

  /// The elements of a constant; nullopt for other values.
  std::optional<graph::Tensor> constant(graph::ValueId value) const;
  const graph::Constant* lazy_constant(graph::ValueId value) const;
  std::optional<float> scalar(graph::ValueId value) const;
  std::optional<std::int32_t> zero_point(graph::ValueId value) const;
  /// The zero point to correct sums for; nullopt if it is 0 in every run.
  std::optional<std::int32_t> correction(std::int32_t zero) const;

  // --- Results ---

  /// Adds a sheet for `value` and returns its view. `wide`: rows of 32-bit words, for the host
  /// only.
  View new_result(graph::ValueId value, std::size_t channel_axis, bool wide = false);
  /// Adds a sheet for an image whose lines are joined.
  View joined_result(graph::ValueId value, const ImageLines& lines, bool wide = false);
  /// Adds a sheet laid out as for `shape`, which differs from the value's shape only by axes of 1.
  View new_result(graph::ValueId value, std::size_t channel_axis, const Shape& shape);
  /// Adds a sheet for a constant that the compiler generates with `make`, and returns its view.
  View constant_sheet(SheetSize size, std::function<Matrix()> make);
  void add_layer(const graph::Node& node, graph::ValueId result, std::uint64_t macs, LayerBody body,
                 std::string note = "");
  /// Adds a layer that moves elements to where the node can read them. They belong to `value`;
  /// kNoValue if they belong to none. Its name is that of the value or node, with "/" and its
  /// operator.
  void add_movement(const char* op, graph::ValueId value, Shape shape, LayerBody body,
                    std::string note);
  /// The only node that uses `value`; nullptr if there is no single one or if the graph outputs
  /// `value`.
  const graph::Node* only_user(graph::ValueId value) const;
  /// Absorbs the QuantizeLinear that alone uses `value` and returns its result. Returns nullopt if
  /// there is none.
  struct QuantizedAtOnce {
    graph::ValueId result = graph::kNoValue;
    Quantization quantization = {};
  };
  std::optional<QuantizedAtOnce> quantized_at_once(graph::ValueId value);
  /// True if only the host reads the value: it is an output and no node uses it.
  bool only_output(graph::ValueId value) const;
  /// Like only_output(), but nodes may change the value's shape first: it is never an operand on
  /// the machine.
  bool only_leaves(graph::ValueId value) const;
  /// True if the value is an output, directly or after a DequantizeLinear.
  bool host_takes(graph::ValueId value) const;
  void absorb(const graph::Node& node);

  const graph::Graph& graph_;
  const graph::Node* node_ = nullptr;  // the node being added
  const MachineConfig& config_;
  const std::vector<bool>& on_host_;
  const CompileOptions options_;
  std::vector<std::vector<std::size_t>> users_;
  std::vector<bool> is_output_;
  const std::vector<ImageLines> lines_;  // joined in each value (line_plan.h)
  bool has_lines_ = false;               // images of rank 3
  bool has_heads_ = false;               // rank 4 has heads of attention and no images
  std::optional<bool> masks_with_infinities_;
  double kept_products_ = 0;  // in the lists of complete segments
  OpenSegment* segment_ = nullptr;
  std::vector<std::size_t>* absorbed_ = nullptr;
  std::map<graph::ValueId, LayerOperand> moved_;  // earlier places of values that the node moved
};

/// Walks the rows of a view, all axes but `channel_axis`, in the order of a dense result. Returns
/// nullopt if that takes more than three loops or an axis does not lie along rows.
std::optional<RowWalk> walk_rows(const View& view, std::size_t channel_axis);
/// The walk over at most three axes along rows, outermost first.
RowWalk walk_of(const std::vector<ViewDim>& loops);
/// The only axis along the channels (an axis of 1 if there is one channel); else nullopt.
std::optional<std::size_t> channel_axis_of(const View& view);

/// How the vector unit combines two operands; nullopt if it lacks the operator.
std::optional<VectorCombine> lane_combine(graph::Op op);
/// nullopt if the vector unit lacks the operator. `first` and `second` are the operator's
/// attributes, or Clip's bounds.
std::optional<LaneFunction> lane_function(std::string_view op, float first, float second);
/// Uses the node's own attributes and defaults. Returns nullopt for Clip, which needs `min` and
/// `max`.
std::optional<LaneFunction> lane_function(const graph::Node& node);

}  // namespace weft::compiler
