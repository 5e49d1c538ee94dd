// Decides what runs where. A segment collects the nodes that one program of the machine can run:
// each becomes a layer, or nothing at all where the result is the same elements seen through
// another view. A node that does not fit says why, and waits for the host.
//
// Values of a segment have views; values with the host become input sheets when a layer asks for
// them, in the layout that it asks for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/network/layers.h"
#include "compiler/network/network_program.h"
#include "compiler/network/sheet_memory.h"
#include "sim/config/machine_config.h"

namespace weft::network {

/// Why a node cannot run on the machine; nothing if it does.
using Refusal = std::optional<std::string>;

inline constexpr const char* kUnreadable =
    "its input does not lie in rows of channels on this machine";
inline constexpr const char* kNotQuantised = "its float result is not quantised at once";

/// A value as a layer reads it: where it lies and, on int8 machines, what its integers mean.
struct Operand {
  View view;
  Quantization quantization = {};
  bool dequantized = false;  // a float value that lies as int8
  /// The value is [N, C*H*W], but the view that of the image [N, C, H, W] before a Flatten: a
  /// matrix product reads it as a window over the whole image.
  bool flattened = false;
};

/// The layers and sheets of one program.
struct Segment {
  std::vector<Sheet> sheets;
  std::vector<Layer> layers;
  std::map<graph::ValueId, Operand> values;
  std::map<std::pair<graph::ValueId, std::size_t>, std::size_t> inputs;  // value, axis -> sheet
};

/// A unary operator as the vector unit's function.
struct LaneFunction {
  VectorOp op = VectorOp::kCopy;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};

/// Of int8 values, both included.
struct IntegerBounds {
  std::int32_t low = -128;
  std::int32_t high = 127;
};

class Planner {
 public:
  /// `graph` and `config` must outlive the planner. `on_host[v]`: the host has value v.
  Planner(const graph::Graph& graph, const MachineConfig& config, const std::vector<bool>& on_host,
          const CompileOptions& options = {});

  /// Adds node `index` to the segment; on refusal the segment is as it was. Nodes that were taken
  /// along with it (an activation, a quantisation) are in `absorbed`.
  Refusal add(std::size_t index, Segment& segment, std::vector<std::size_t>& absorbed);

  /// True for the transposition of a value of the host's, a matrix or an image that exchanges batch
  /// and channels, that is only used in products of computed operands: the array transposes, or a
  /// fetch, or nothing need be moved.
  bool transposes_for_product(const graph::Node& node) const;

 private:
  Refusal try_add(std::size_t index, Segment& segment, std::vector<std::size_t>& absorbed);
  Refusal plan(const graph::Node& node);
  // plan_convolution.cpp
  Refusal plan_conv(const graph::Node& node);
  Refusal plan_conv_integer(const graph::Node& node);
  Refusal plan_qlinear_conv(const graph::Node& node);
  struct ConvParts;
  Refusal plan_convolution(const graph::Node& node, ConvParts parts);
  Refusal plan_depthwise(const graph::Node& node, const ConvParts& parts,
                         const MakeTensor& plain_bias, ContractionLayer layer);
  // plan_rearranged.cpp
  std::optional<View> ordered_rows(const View& view, std::size_t axis, graph::ValueId value);
  Refusal plan_rearranged(const graph::Node& node, const Operand& source);
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
  Refusal plan_product(const graph::Node& node, graph::ValueId a, ConstantWeights weights,
                       std::int64_t n, Epilogue epilogue, bool wide);
  Refusal plan_integer_product(const graph::Node& node, const graph::Constant& b,
                               std::int32_t a_zero, std::int32_t b_zero, Epilogue epilogue,
                               bool wide);
  Refusal plan_products(const graph::Node& node, ConstantWeights weights, const Shape& b_shape,
                        Epilogue epilogue, bool wide);
  Refusal plan_float_product(const graph::Node& node);
  Refusal plan_quantised_product(const graph::Node& node);
  Refusal plan_computed_product(const graph::Node& node, graph::ValueId second, Epilogue epilogue,
                                std::optional<std::int32_t> correction);
  Refusal plan_straight_product(const graph::Node& node, graph::ValueId second, Epilogue epilogue,
                                std::optional<std::int32_t> correction);
  Refusal matrix_rows(graph::ValueId a, ContractionLayer& layer);
  Refusal product_rows(graph::ValueId a, ContractionLayer& layer);
  static void image_as_windows(const View& image, ContractionLayer& layer);
  // plan_turned.cpp
  bool is_turned(graph::ValueId value);
  View turned_copy(const View& source, graph::ValueId value, bool swapped);
  void turn(graph::ValueId value);
  Refusal plan_turned_product(const graph::Node& node, graph::ValueId second, Epilogue epilogue);
  void plan_turned_result(const graph::Node& node, graph::ValueId second);
  // plan_epilogue.cpp
  Refusal float_epilogue(const graph::Node& node, std::int64_t channels, Epilogue& epilogue);
  Refusal residual(const graph::Node& node, Epilogue& epilogue);
  Refusal requantisation(const graph::Node& node, graph::ValueId x_scale, graph::ValueId w_scale,
                         graph::ValueId y_scale, graph::ValueId y_zero, Epilogue& epilogue);
  // plan_elementwise.cpp
  Refusal plan_unary(const graph::Node& node);
  Refusal plan_binary(const graph::Node& node);
  Refusal plan_elementwise(const graph::Node& node, LaneStep step);
  std::optional<std::size_t> take_rows(graph::ValueId a, ElementwiseLayer& layer);
  Refusal plan_step(const graph::Node& node, std::size_t axis, ElementwiseLayer layer);
  Refusal plan_steps(const graph::Node& node, std::size_t axis, ElementwiseLayer layer);
  bool append_function(const graph::Node& next, ElementwiseLayer& layer) const;
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
  /// The node as a function of one value: Clip needs constant bounds.
  std::optional<LaneFunction> function_of(const graph::Node& node) const;
  // plan_logic.cpp
  bool is_zero(graph::ValueId value) const;
  Refusal plan_logic(const graph::Node& node);
  Refusal plan_lane_steps(const graph::Node& node, graph::ValueId a, std::vector<LaneStep> steps,
                          std::optional<std::pair<std::size_t, graph::ValueId>> operand);
  Refusal plan_comparison(const graph::Node& node);
  Refusal plan_choice(const graph::Node& node);
  Refusal plan_choice_of_two(const graph::Node& node);
  Refusal plan_truths(const graph::Node& node);
  Refusal plan_cast(const graph::Node& node);
  // plan_pool.cpp
  Refusal plan_max_pool(const graph::Node& node);
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
  /// `before`: what the softmax takes, with the steps that scale or mask it.
  Refusal plan_softmax_after(const graph::Node& node, ElementwiseLayer before);
  std::size_t softmax_axis(const graph::Node& node) const;
  Refusal plan_layer_normalization(const graph::Node& node);
  Refusal plan_concat(const graph::Node& node);
  View stacked_result(graph::ValueId value, std::size_t channel_axis, std::size_t axis);
  // plan_reduction.cpp
  Refusal plan_reduction(const graph::Node& node);
  Refusal plan_row_reduction(const graph::Node& node);
  Refusal plan_image_reduction(const graph::Node& node);
  bool tile_fits(std::int64_t rows) const;
  Refusal plan_sum_of_rows(const graph::Node& node, std::size_t axis,
                           const std::vector<std::int64_t>& reduced);
  std::optional<std::vector<std::int64_t>> reduced_axes(const graph::Node& node) const;
  // plan_views.cpp
  Refusal plan_dequantize(const graph::Node& node);
  Refusal plan_view(const graph::Node& node);
  Refusal plan_flatten(const graph::Node& node, const Operand& source);
  Refusal plan_slice(const graph::Node& node);
  Refusal plan_split(const graph::Node& node);
  Refusal plan_gather(const graph::Node& node);

  // --- Operands ---

  /// The value where it lies, or as an input sheet with `channel_axis` in the channels.
  std::optional<Operand> operand(graph::ValueId value, std::size_t channel_axis);
  /// The axis for a layer that does not mind: that of images, but for values of rank 3 in networks
  /// without windows over one dimension, which are sequences.
  std::size_t free_channel_axis(std::size_t rank) const;
  /// The same, refused if it lies as integers but is a float.
  std::optional<View> plain_operand(graph::ValueId value, std::size_t channel_axis);
  /// True if the array's elements can hold values of this type.
  bool holds(graph::DataType type) const;
  bool int8() const { return config_.dtype == ElementType::kInt8; }

  /// The elements of a constant, or nothing.
  std::optional<graph::Tensor> constant(graph::ValueId value) const;
  const graph::Constant* lazy_constant(graph::ValueId value) const;
  std::optional<float> scalar(graph::ValueId value) const;
  std::optional<std::int32_t> zero_point(graph::ValueId value) const;
  /// The zero point of activations whose sums are to be corrected by it; none if it is 0 and always
  /// will be.
  std::optional<std::int32_t> correction(std::int32_t zero) const;

  // --- Results ---

  /// A new sheet for `value` and its view. `wide`: 32-bit words, for the host alone.
  View new_result(graph::ValueId value, std::size_t channel_axis, bool wide = false);
  /// A sheet laid out as for `shape`, which differs from the value's by axes of 1.
  View new_result(graph::ValueId value, std::size_t channel_axis, const Shape& shape);
  /// A constant of the compiler's own, `make` as rows of elements.
  View constant_sheet(SheetSize size, std::function<Matrix()> make);
  void add_layer(const graph::Node& node, graph::ValueId result, std::uint64_t macs, LayerBody body,
                 std::string note = "");
  /// A layer of the compiler's own that brings elements to where the node can read them: those of
  /// `value`, or kNoValue if they are no value's.
  void add_movement(const char* op, graph::ValueId value, Shape shape, LayerBody body,
                    std::string note);
  /// The only node that uses `value`, unless it is an output of the graph.
  const graph::Node* only_user(graph::ValueId value) const;
  /// What a QuantizeLinear that alone uses `value` makes of it; the node is absorbed. Nothing if
  /// there is none.
  struct Quantised {
    graph::ValueId result = graph::kNoValue;
    Quantization quantization = {};
  };
  std::optional<Quantised> quantised_at_once(graph::ValueId value);
  /// True if the host alone takes the value: it is an output and nothing else uses it.
  bool only_output(graph::ValueId value) const;
  /// The same for what is the value's under other shapes: it is never an operand on the machine.
  bool only_leaves(graph::ValueId value) const;
  /// True if it is an output, perhaps once it is dequantised.
  bool host_takes(graph::ValueId value) const;
  void absorb(const graph::Node& node);

  const graph::Graph& graph_;
  const graph::Node* node_ = nullptr;  // that is being added
  const MachineConfig& config_;
  const std::vector<bool>& on_host_;
  const CompileOptions options_;
  std::vector<std::vector<std::size_t>> users_;
  std::vector<bool> is_output_;
  bool has_lines_ = false;  // images of rank 3
  Segment* segment_ = nullptr;
  std::vector<std::size_t>* absorbed_ = nullptr;
  std::map<graph::ValueId, Operand> moved_;  // where values lay that the node had moved
};

/// The rows of a view, all axes but `channel_axis`, as a walk in the order of a dense result;
/// nothing if that takes more than three loops or the axes do not lie along rows.
std::optional<RowWalk> walk_rows(const View& view, std::size_t channel_axis);
/// The walk over at most three axes along rows, outermost first.
RowWalk walk_of(const std::vector<ViewDim>& loops);
/// The axis of the view that lies along the channels, if it is the only one.
std::optional<std::size_t> channel_axis_of(const View& view);

/// Nothing for an operator that the vector unit lacks. `first` and `second` are the operator's
/// attributes, or Clip's bounds.
std::optional<LaneFunction> lane_function(std::string_view op, float first, float second);
/// With the operator's own attributes and defaults; Clip needs `min` and `max`.
std::optional<LaneFunction> lane_function(const graph::Node& node);

}  // namespace weft::network
