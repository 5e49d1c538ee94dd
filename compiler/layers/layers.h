// A network before its addresses are known: one layer for each node that the machine runs, with
// views in place of values. The planner (planner.h) makes the layers. Lowering turns each into
// instructions.
//
// Layers hold no addresses. They hold constants as functions, since a run without values never
// needs their elements.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/graph/shapes/windows.h"
#include "compiler/layers/make_tensor.h"
#include "compiler/program/mapping.h"
#include "compiler/rows/image_lines.h"
#include "compiler/rows/view.h"
#include "sim/isa/instruction.h"

namespace weft::compiler {

/// Rows that a window walks, outermost loop first: images, y, x. A matmul has one image of one
/// line; its M is x.output. Steps are in sheet rows. For windows of three dimensions each output
/// layer z counts as an image: `images` is n * z.output, `image_step` is the step of n, and
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

/// The way from sums (in the accumulators or in wide rows) to the result: op((sum + bias) * scale +
/// residual). An epilogue has a scale, a residual or neither, never both.
struct Epilogue {
  MakeTensor bias;          // [N], int32 or float32 like the accumulators; null: none
  std::int64_t biases = 1;  // more than 1: [biases, N], one for each matrix of the weights
  /// The bias is [M]: a number for each row of the result. Then there is no scale and no residual.
  bool bias_by_row = false;
  bool bias_is_float = false;  // float32 on an int8 machine, where the sums are binary32
  MakeTensor scale;            // [N] or [1] float32: requantization; null: none
  bool divides = false;        // by `scale`, for an average
  std::optional<View> residual;
  VectorOp op = VectorOp::kCopy;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  VectorDomain domain = VectorDomain::kAccumulator;
  Quantization quantization = {};
};

/// Row and channel offsets of one product in a batch of equal shape: attention heads, batched
/// matmuls.
struct BatchOffset {
  std::int64_t a_row = 0;
  std::int64_t a_channel = 0;
  std::int64_t b_row = 0;
  std::int64_t b_channel = 0;
  std::int64_t out_row = 0;
  std::int64_t out_channel = 0;
  std::int64_t matrix = 0;  // which of the constant weights
};

/// How the elements of constant weights are arranged.
enum class WeightForm : std::uint8_t {
  kFilters,  // [N, K/groups, (y, x)], or a transposed matrix [N, K]
  kMatrix,   // [K, (y, x), N]; several matrices follow one another
};

struct ConstantWeights {
  MakeTensor make;
  WeightForm form = WeightForm::kMatrix;
  std::int32_t zero_point = 0;  // subtracted from each weight
  // Each difference is split into this many int8 numbers, one per tile: 1 if all differences fit
  // int8, else 2 or 3 (they may reach 255).
  std::int64_t pieces = 1;
  bool fixed = false;  // the compiler generates them: the same in every run
  /// The value of the graph that these are; kNoValue: other elements, or no matter.
  graph::ValueId constant = graph::kNoValue;
};

/// Weights that the network computes: rows of a sheet, fetched into the weight FIFO.
struct ComputedWeights {
  View view;
  bool transpose = false;  // the sheet has N in rows and K in channels
  /// Zero point of int8 activations: every sum is corrected by this times its column's sum. nullopt
  /// if there is nothing to correct.
  std::optional<std::int32_t> a_zero = {};
  Stationary operand = Stationary::kActivations;  // what the network calls them
};

/// The joined lines of an operand and of a result.
struct JoinedLines {
  ImageLines in = {};
  ImageLines out = {};
  bool any() const { return in.any() || out.any(); }
};

/// Lanes of a tile of the result that stand for lines beyond its image and hold padding: the first
/// `first` lanes in the rows of its first joined line, the last `last` of `lanes` lanes in the rows
/// of its last one.
struct LineBorder {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t lanes = 0;
  std::uint16_t pad = 0;  // bit pattern
  bool any() const { return first > 0 || last > 0; }
};

/// A line of the filters between joined lines. It meets line `in` of the joined line `place` of the
/// window, and its sums go to line `out` of the result.
struct JoinedTap {
  std::int64_t place = 0;
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t tap = 0;
};

/// How a convolution between joined lines follows from the one between single lines.
struct LineJoin {
  JoinedLines lines = {};
  std::int64_t kernel = 1;  // lines of the window between single lines
  std::int64_t groups = 1;
  std::int64_t channels = 1;  // of a single line of the operand
  std::int64_t filters = 1;
  std::vector<JoinedTap> taps = {};  // all other weights are zero
};

/// Convolutions and matrix products.
struct ContractionLayer {
  View a;  // only sheet, row and channel matter; `walk` has the steps
  RowWalk walk;
  std::int64_t k = 1;  // channels of a
  std::int64_t n = 1;  // columns
  std::int64_t groups = 1;
  std::int64_t packed_taps = 1;  // taps of the window that lie side by side in the channels of a
  /// Groups of the channels under each packed tap. The weights already have zeros between them, so
  /// `groups` is 1, and only drawings look at this.
  std::int64_t packed_groups = 1;
  /// The channels and columns of all joined lines are in k and n, so only drawings look at this.
  LineJoin join = {};
  std::uint16_t pad = 0;  // bit pattern of a border element
  std::variant<ConstantWeights, ComputedWeights> weights;
  std::vector<BatchOffset> batch = {{}};
  Epilogue epilogue;
  LineBorder border = {};  // if there is one, each tile holds all joined lines of its channels
  View out;
};

/// Pools, and depthwise convolutions on the vector unit. They combine the taps of a window lane by
/// lane.
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
  /// Average pools with unequal windows: the elements of a window along y for each output line, and
  /// along x for each output column. The divisor is their product. Empty: the epilogue divides.
  std::vector<std::int64_t> line_counts = {};
  std::vector<std::int64_t> column_counts = {};
  std::int64_t first_line = 0;  // number in `line_counts` of the walk's first line
  Epilogue epilogue;            // average and depthwise only
  View out;
};

/// One lane-by-lane step: op(combine(x + bias, b)), where x is the row that the previous step left.
struct LaneStep {
  MakeTensor bias = {};  // float32, [1] or [channels]; null: none
  VectorCombine combine = VectorCombine::kNone;
  /// MakeTensor: float32, [1] or [channels], or [b_rows, channels] if b_rows is not 1.
  std::variant<std::monostate, View, MakeTensor> b = {};
  std::optional<float> number = {};  // b, if it is one number that the planner may look at
  std::int64_t b_step = 0;           // sheet rows between rows of a view b
  bool b_lane = false;               // view b has one channel per row, for all lanes of x
  std::int64_t b_rows = 1;           // rows of a constant b
  std::int64_t b_period = 0;         // rows after which b repeats: an image of the walk; 0: never
  Quantization b_quantization = {};
  VectorOp op = VectorOp::kCopy;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};

/// One pass per step, lane by lane. Between steps rows are binary32. From here on all walks have
/// windows of one tap.
struct ElementwiseLayer {
  View a;
  RowWalk walk;
  std::int64_t channels = 1;
  std::uint16_t pad = 0;     // bit pattern of a border element
  bool fills_plane = false;  // zeros into the lanes after its own; later layers may write there
  Quantization a_quantization = {};
  std::vector<LaneStep> steps = {{}};  // one or more
  VectorDomain domain = VectorDomain::kAccumulator;
  Quantization quantization = {};
  View out;
};

/// Copies several values into windows of one sheet.
struct ConcatLayer {
  std::vector<ElementwiseLayer> parts;
  View out;
};

/// Softmax along the channels of each row, after steps that scale or mask the row.
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

/// Reduces all channels of each row to one.
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

/// Another way to run a layer: several bodies in order. The last one gives the result.
struct LayerForm {
  std::vector<LayerBody> bodies;
  std::string note;
};

struct Layer {
  std::string name;  // the node's
  std::string op;
  graph::ValueId value = graph::kNoValue;  // the result
  graph::ValueType result;
  std::uint64_t macs = 0;  // useful
  std::string note;        // why it runs this way
  LayerBody body;
  /// Further forms of the layer: number i + 1 is others[i], number 0 is `body`.
  std::vector<LayerForm> others = {};
};

/// Calls look(LayerBody) for each body of each form of the layer.
template <class Look>
void for_each_body(const Layer& layer, const Look& look) {
  look(layer.body);
  for (const LayerForm& form : layer.others) std::ranges::for_each(form.bodies, look);
}

/// Calls look(ContractionLayer) for those of them that use the array.
template <class Look>
void for_each_contraction(const Layer& layer, const Look& look) {
  for_each_body(layer, [&](const LayerBody& body) {
    if (const auto* contraction = std::get_if<ContractionLayer>(&body)) look(*contraction);
  });
}

}  // namespace weft::compiler
