// What a network becomes before any address is known: one layer for each node that the machine
// runs, with views in place of values. Planning (plan_layers.h) makes them, lowering turns each
// into instructions.
//
// Layers are pure descriptions: they hold no addresses, and constants only as functions that make
// them, since a run without values never asks for them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/windows.h"
#include "compiler/network/view.h"
#include "sim/isa/instruction.h"

namespace weft::network {

using MakeTensor = std::function<graph::Tensor()>;

/// Rows that a window walks, outermost first: images n, then y and x. Matmuls have one image of one
/// line; their M is x. Steps are in sheet rows. Windows of three dimensions walk the layers z of an
/// image as images of their own: `images` counts n * z.output, `image_step` is that of n, and
/// `one_image` is set.
struct RowWalk {
  std::int64_t images = 1;
  std::int64_t image_step = 0;
  graph::WindowDim z;
  std::int64_t z_step = 0;
  graph::WindowDim y;
  graph::WindowDim x;
  std::int64_t y_step = 0;
  std::int64_t x_step = 1;

  bool one_image = false;  // no chunk holds rows of two images

  std::int64_t rows() const { return images * y.output * x.output; }
  std::int64_t taps() const { return z.kernel * y.kernel * x.kernel; }
};

/// What happens to sums on their way from the accumulators (or from wide rows) to the result:
/// op((sum + bias) * scale + residual). At most one of scale and residual.
struct Epilogue {
  MakeTensor bias;             // [N], int32 or float32 as the accumulators; null: none
  std::int64_t biases = 1;     // more than 1: [biases, N], one for each matrix of the weights
  bool bias_is_float = false;  // float32 on an int8 machine: after sums in binary32
  MakeTensor scale;            // [N] or [1] float32: requantisation; null: none
  bool divides = false;        // by the scale: an average
  std::optional<View> residual;
  VectorOp op = VectorOp::kCopy;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  VectorDomain domain = VectorDomain::kAccumulator;
  Quantization quantization = {};
};

/// Offsets of one of several products that share a shape: attention's heads, a batch of matmuls.
struct BatchOffset {
  std::int64_t a_row = 0;
  std::int64_t a_channel = 0;
  std::int64_t b_row = 0;
  std::int64_t b_channel = 0;
  std::int64_t out_row = 0;
  std::int64_t out_channel = 0;
  std::int64_t matrix = 0;  // of constant weights
};

/// Weights that are constants: how the tensor's elements are arranged.
enum class WeightForm : std::uint8_t {
  kFilters,  // [N, K/groups, (y, x)], or a transposed matrix [N, K]
  kMatrix,   // [K, (y, x), N]; several of them follow each other
};

struct ConstantWeights {
  MakeTensor make;
  WeightForm form = WeightForm::kMatrix;
  std::int32_t zero_point = 0;  // subtracted
  // The difference is the sum of so many int8 numbers, each a tile's: 2 or 3 where it may be as far
  // as 255 from zero.
  std::int64_t pieces = 1;
  bool fixed = false;  // the same in every run, since the compiler made them up
};

/// Weights that the network computes: rows of a sheet, read into the FIFO.
struct ComputedWeights {
  View view;
  bool transpose = false;  // the sheet has N in rows and K in channels
  /// The zero point of int8 activations: it times the column's sum is taken off every sum. None:
  /// it is 0.
  std::optional<std::int32_t> a_zero = {};
};

/// Convolutions and matrix products.
struct ContractionLayer {
  View a;  // only its sheet, row and channel count; the walk has the steps
  RowWalk walk;
  std::int64_t k = 1;  // channels of a
  std::int64_t n = 1;  // columns
  std::int64_t groups = 1;
  std::uint16_t pad = 0;  // element pattern of the border
  std::variant<ConstantWeights, ComputedWeights> weights;
  std::vector<BatchOffset> batch = {{}};
  Epilogue epilogue;
  View out;
};

/// Pools, and depthwise convolutions on the vector unit: lane by lane over the taps of a window.
enum class WindowKind : std::uint8_t { kMax, kAverage, kDepthwise };

struct WindowLayer {
  WindowKind kind = WindowKind::kMax;
  View a;
  RowWalk walk;
  std::int64_t channels = 1;
  std::uint16_t pad = 0;
  Quantization a_quantization = {};
  VectorDomain domain = VectorDomain::kAccumulator;
  ConstantWeights filters;  // depthwise: kFilters [C, 1, y, x]
  /// Average: elements that the windows of each line and each column hold, if these differ; the
  /// divisor is their product. Empty: that of the epilogue.
  std::vector<std::int64_t> line_counts = {};
  std::vector<std::int64_t> column_counts = {};
  Epilogue epilogue;  // of average and depthwise
  View out;
};

/// One lane-by-lane step: op(combine(x, b)), x being the row as the step before left it.
struct LaneStep {
  VectorCombine combine = VectorCombine::kNone;
  /// MakeTensor: float32, [1] or [channels], or [b_rows, channels] if b_rows is not 1.
  std::variant<std::monostate, View, MakeTensor> b = {};
  std::int64_t b_step = 0;    // sheet rows between rows of a view b
  bool b_lane = false;        // of a view b: each row has one channel, for all of x
  std::int64_t b_rows = 1;    // rows of a constant
  std::int64_t b_period = 0;  // b begins anew after so many rows: an image of the walk; 0: never
  Quantization b_quantization = {};
  VectorOp op = VectorOp::kCopy;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};

/// One pass for each step, lane by lane; between steps rows are binary32. The walks of this and the
/// layers below have windows of one tap.
struct ElementwiseLayer {
  View a;
  RowWalk walk;
  std::int64_t channels = 1;
  Quantization a_quantization = {};
  std::vector<LaneStep> steps = {{}};  // one or more
  VectorDomain domain = VectorDomain::kAccumulator;
  Quantization quantization = {};
  View out;
};

/// Copies of several values into windows of one sheet.
struct ConcatLayer {
  std::vector<ElementwiseLayer> parts;
  View out;
};

/// Along the channels of each row, after steps that scale or mask it.
struct SoftmaxLayer {
  View a;
  RowWalk walk;
  std::int64_t channels = 1;
  Quantization a_quantization = {};
  std::vector<LaneStep> steps = {};  // may be empty
  bool logarithm = false;
  Quantization quantization = {};
  View out;
};

struct NormalizationLayer {
  View a;
  RowWalk walk;
  std::int64_t channels = 1;
  Quantization a_quantization = {};
  float epsilon = 1e-5F;
  MakeTensor scale;  // [channels] float32; null: none
  MakeTensor bias;
  Quantization quantization = {};
  View out;
};

enum class ReductionKind : std::uint8_t { kSum, kMean, kMax, kMin };

/// All channels of each row to one.
struct ReductionLayer {
  ReductionKind kind = ReductionKind::kSum;
  View a;
  RowWalk walk;
  std::int64_t channels = 1;
  Quantization a_quantization = {};
  Quantization quantization = {};
  View out;
};

using LayerBody = std::variant<ContractionLayer, WindowLayer, ElementwiseLayer, ConcatLayer,
                               SoftmaxLayer, NormalizationLayer, ReductionLayer>;

struct Layer {
  std::string name;  // the node's
  std::string op;
  graph::ValueId value = graph::kNoValue;  // the result
  graph::ValueType result;
  std::uint64_t macs = 0;  // useful
  std::string note;        // why it runs as it does
  LayerBody body;
};

}  // namespace weft::network
