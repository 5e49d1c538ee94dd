// Random chains of convolutions, maxima and lane-by-lane operators whose images have several lines
// in a row of the buffer: bit-exact with the CPU reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

/// Layers, each on the image that the one before it gives.
class LayersInARow {
 protected:
  LayersInARow(LayerCase& layer, Random& random) : layer_(layer), random_(random) {}

  void draw_shape() {
    const std::int64_t lines =
        random_.chance(70) ? 4 * random_.between(1, 3) : random_.between(3, 11);
    shape_ = {random_.between(1, 3), random_.between(1, 2), lines, random_.between(3, 9)};
  }

  void set(ValueId value) {
    value_ = value;
    shape_ = layer_.builder.type(value).shape;
  }

  LayerCase& layer_;
  Random& random_;
  ValueId value_ = graph::kNoValue;
  Shape shape_;  // of value_
};

/// A network of a few layers on images. Whole numbers stay below 2^8, which bf16 holds exactly:
/// each convolution has few taps of -1, 0 and 1, and a Clip follows where sums grow.
class Chain : LayersInARow {
 public:
  Chain(LayerCase& layer, Random& random, Hits& hits) : LayersInARow(layer, random), hits_(hits) {
    draw_shape();
    value_ = layer.input(random.tensor<float>(shape_, -3, 3));
  }

  /// `leaves`: the result is for the host alone. It is then in 32-bit words if a convolution comes
  /// last.
  ValueId run(bool leaves) {
    convolve();
    for (std::int64_t i = random_.between(2, 5); i > 0; --i) {
      switch (random_.between(0, 6)) {
        case 0:
          pool();
          break;
        case 1:
          scale();
          break;
        case 2:
          add_residual();
          break;
        default:
          convolve();
      }
    }
    return leaves ? value_ : layer_.through_machine(value_);
  }

 private:
  void clip() {
    value_ = layer_.builder.add(Op::kClip, {value_, layer_.constant(Tensor::scalar(-4.0F)),
                                            layer_.constant(Tensor::scalar(4.0F))});
    most_ = 4;
  }

  void convolve() {
    const bool depthwise = random_.chance(30);
    const std::int64_t k = shape_[1];
    const std::int64_t n = depthwise ? k : random_.between(1, std::max<std::int64_t>(2, k));
    Ints pads(4);
    Ints strides = {random_.chance(70) ? 1 : 2, random_.chance(70) ? 1 : 2};
    Ints dilations = {random_.chance(80) ? 1 : 2, 1};
    Shape filters = {n, depthwise ? 1 : k, 1, 1};
    for (std::size_t i = 0; i < 2; ++i) {
      filters[2 + i] = random_.between(1, 3);
      const std::int64_t extent = (filters[2 + i] - 1) * dilations[i] + 1;
      // Most results have as many lines as before, or half.
      pads[i] = random_.chance(80) ? (extent - 1) / 2 : random_.between(0, 2);
      pads[i + 2] = extent - 1 - std::min(extent - 1, pads[i]);
      if (shape_[2 + i] + pads[i] + pads[i + 2] < extent) return;
    }
    const std::int64_t taps = filters[1] * filters[2] * filters[3];
    if (most_ * taps + 2 > kMost) clip();
    Attributes attributes = {{"strides", strides},
                             {"dilations", dilations},
                             {"pads", pads},
                             {"group", depthwise ? k : std::int64_t{1}}};
    std::vector<ValueId> inputs = {value_, layer_.constant(random_.tensor<float>(filters, -1, 1))};
    if (random_.chance(50)) inputs.push_back(layer_.constant(random_.tensor<float>({n}, -2, 2)));
    set(layer_.builder.add(Op::kConv, inputs, attributes));
    most_ = most_ * taps + 2;
    // Without a Clip the next convolution may read what this one writes.
    if (most_ > kMost / 9 || random_.chance(40)) clip();
    if (depthwise && k > 1) ++hits_["depthwise"];
    if (strides[0] == 2) ++hits_["stride"];
    if (dilations[0] == 2 && filters[2] > 1) ++hits_["dilation"];
  }

  void pool() {
    const std::int64_t kernel = random_.between(2, 3);
    if (shape_[2] < kernel || shape_[3] < kernel) return;
    const std::int64_t pad = kernel == 3 ? random_.between(0, 1) : 0;
    const Ints strides = {random_.between(1, 2), random_.between(1, 2)};
    set(layer_.builder.add(Op::kMaxPool, {value_},
                           {{"kernel_shape", Ints{kernel, kernel}},
                            {"strides", strides},
                            {"pads", Ints{pad, pad, kernel - 2, kernel - 2}}}));
    ++hits_["pool"];
  }

  void scale() {
    const Tensor factors = random_.tensor<float>({shape_[1], 1, 1}, -1, 1);
    set(layer_.builder.add(Op::kMul, {value_, layer_.constant(factors)}));
  }

  void add_residual() {
    clip();
    const ValueId before = value_;
    const Shape filters = {shape_[1], shape_[1], 1, 1};
    set(layer_.builder.add(Op::kConv,
                           {value_, layer_.constant(random_.tensor<float>(filters, -1, 1))}));
    if (random_.chance(50)) clip();
    set(layer_.builder.add(Op::kAdd, {value_, before}));
    clip();
    ++hits_["residual"];
  }

  static constexpr std::int64_t kMost = 255;
  std::int64_t most_ = 3;  // no element is larger
  Hits& hits_;
};

/// The same in int8, where every element has the reference's bits.
class QuantizedChain : LayersInARow {
 public:
  QuantizedChain(LayerCase& layer, Random& random) : LayersInARow(layer, random) {
    draw_shape();
    value_ = layer.input(random_bytes(shape_, is_unsigned_, random));
    zero_ = random_zero_point(is_unsigned_, random);
  }

  ValueId run() {
    convolve();
    for (std::int64_t i = random_.between(2, 5); i > 0; --i) {
      if (random_.chance(25)) {
        pool();
      } else if (random_.chance(25)) {
        add_residual();
      } else {
        convolve();
      }
    }
    return value_;
  }

 private:
  ValueId scale() { return layer_.constant(random_scales({}, 0.05, random_)); }

  void convolve() {
    const bool depthwise = random_.chance(30);
    const std::int64_t k = shape_[1];
    const std::int64_t n = depthwise ? k : random_.between(1, std::max<std::int64_t>(2, k));
    const std::int64_t kernel = random_.between(1, 3);
    const std::int64_t before = (kernel - 1) / 2;
    const std::int64_t after = kernel - 1 - before;
    const Shape filters = {n, depthwise ? 1 : k, kernel, kernel};
    const Shape scales = random_.chance(60) ? Shape{n} : Shape{};
    const ByteWeights weights = random_byte_weights(filters, scales, random_);
    const double spread = spread_of_sums(filters[1] * kernel * kernel);
    const Tensor zero = random_zero_point(is_unsigned_, random_);
    // What pads the image is then no zero of the layer that wrote it.
    if (random_.chance(10)) zero_ = random_zero_point(is_unsigned_, random_);
    std::vector<ValueId> inputs = {
        value_,
        scale(),
        layer_.constant(zero_),
        layer_.constant(weights.elements),
        layer_.constant(random_scales(scales, 0.02, random_)),
        layer_.constant(weights.zero_point),
        layer_.constant(random_scales({}, 0.05 * 0.02 * spread, random_)),
        layer_.constant(zero)};
    if (random_.chance(50)) {
      inputs.push_back(layer_.constant(random_.tensor<std::int32_t>({n}, -20000, 20000)));
    }
    const std::int64_t stride = random_.chance(70) ? 1 : 2;
    set(layer_.builder.add(Op::kQLinearConv, inputs,
                           {{"pads", Ints{before, before, after, after}},
                            {"strides", Ints{stride, stride}},
                            {"group", depthwise ? k : std::int64_t{1}}}));
    zero_ = zero;
  }

  void pool() {
    const std::int64_t kernel = random_.between(2, 3);
    if (shape_[2] < kernel || shape_[3] < kernel) return;
    const std::int64_t pad = kernel == 3 ? random_.between(0, 1) : 0;
    set(layer_.builder.add(Op::kMaxPool, {value_},
                           {{"kernel_shape", Ints{kernel, kernel}},
                            {"strides", Ints{2, random_.between(1, 2)}},
                            {"pads", Ints{pad, pad, kernel - 2, kernel - 2}}}));
  }

  /// In binary32, whose scales are powers of two, so that sums are exact.
  void add_residual() {
    const ValueId before = real(value_, zero_);
    convolve();
    const ValueId after = real(value_, zero_);
    if (layer_.builder.type(after).shape != layer_.builder.type(before).shape) return;
    const ValueId sum = layer_.builder.add(Op::kAdd, {after, before});
    zero_ = random_zero_point(is_unsigned_, random_);
    set(layer_.builder.add(Op::kQuantizeLinear,
                           {sum, layer_.constant(Tensor::scalar(0.125F)), layer_.constant(zero_)}));
  }

  ValueId real(ValueId value, const Tensor& zero) {
    return layer_.builder.add(
        Op::kDequantizeLinear,
        {value, layer_.constant(Tensor::scalar(0.0625F)), layer_.constant(zero)});
  }

  const bool is_unsigned_ = random_.chance(40);
  Tensor zero_ = Tensor(DataType::kInt8, {});
};

bool has_note(const LayerInfo& layer, const char* part) {
  return layer.note.find(part) != std::string::npos;
}

void count_joined(const LayerOutcome& outcome, Hits& hits) {
  for (const LayerInfo& layer : layers_of(outcome.program)) {
    if (has_note(layer, "lines in a row")) ++hits["joined " + layer.op];
    if (has_note(layer, "lines in a row") && has_note(layer, "side by side"))
      ++hits["joined with packed taps"];
    if (has_note(layer, "taken apart")) ++hits["taken apart"];
    if (has_note(layer, "padded by 0"))
      ++hits["padded after"];
    else if (has_note(layer, "padded by"))
      ++hits["padded before"];
    if (has_note(layer, "joined in a row")) ++hits["joined by copies"];
    if (layer.op == "MaxPool" && has_note(layer, "along lines")) ++hits["joined maxima"];
  }
}

MachineConfig machine_for(ElementType dtype, Random& random) {
  MachineConfig config = random_layer_machine(dtype, random);
  config.array_rows = static_cast<std::uint32_t>(random.between(4, 12));
  config.array_cols =
      random.chance(50) ? config.array_rows : static_cast<std::uint32_t>(random.between(4, 12));
  return config;
}

void check_chain(Random& random, Hits& hits) {
  LayerCase layer(random.chance(70) ? ElementType::kBf16 : ElementType::kFp16);
  MachineConfig config = machine_for(layer.dtype, random);
  const bool leaves = random.chance(50);
  const ValueId y = Chain(layer, random, hits).run(leaves);
  MappingOptions options;
  options.joined_lines = true;
  options.effort = random_effort(random);
  if (random.chance(30)) options.packed_taps = random.chance(50);
  if (random.chance(30)) options.depthwise_on_vector_unit = random.chance(50);
  const LayerOutcome outcome = run_layer(layer, y, config, options);
  EXPECT_TRUE(outcome.on_machine);
  expect_exact(outcome, layer, true);
  expect_exact_layers(outcome, layer, config);
  try_engines(outcome, layer, config, random, hits);
  count_joined(outcome, hits);
  if (outcome.streamed) ++hits["streamed"];
  const LayerInfo last = layers_of(outcome.program).back();
  if (leaves && has_note(last, "lines in a row")) ++hits["joined " + last.op + " that leaves"];
}

TEST(JoinedLinesPropertyTest, ChainsOfWholeNumbersAreExact) {
  Hits hits;
  for_each_seed(hits, check_chain);
  expect_hits(hits,
              {"joined Conv", "joined with packed taps", "joined maxima", "joined by copies",
               "taken apart", "depthwise", "stride", "dilation", "pool", "residual", "streamed",
               "engines", "padded before", "padded after", "joined Conv that leaves"},
              5);
}

void check_quantized_chain(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kInt8);
  MachineConfig config = machine_for(layer.dtype, random);
  const ValueId y = QuantizedChain(layer, random).run();
  MappingOptions options;
  options.joined_lines = true;
  options.effort = random_effort(random);
  if (random.chance(30)) options.packed_taps = random.chance(50);
  const LayerOutcome outcome = run_layer(layer, y, config, options);
  expect_exact(outcome, layer, true);
  expect_exact_layers(outcome, layer, config);
  try_engines(outcome, layer, config, random, hits);
  count_joined(outcome, hits);
  if (outcome.streamed) ++hits["streamed"];
}

TEST(JoinedLinesPropertyTest, QuantizedChainsHaveTheBitsOfTheReference) {
  Hits hits;
  for_each_seed(hits, check_quantized_chain);
  expect_hits(hits,
              {"joined QLinearConv", "joined with packed taps", "joined maxima", "taken apart",
               "streamed", "engines", "padded before", "padded after"},
              5);
}

/// The host cannot read over a border: copies take the lines apart first. The last convolution runs
/// there, since its bias is no constant.
TEST(JoinedLinesTest, TheHostReadsAnImageWithABorder) {
  Random random(1);
  LayerCase layer(ElementType::kBf16);
  MachineConfig config = machine_for(layer.dtype, random);
  config.array_rows = config.array_cols = 12;
  const auto conv = [&](ValueId x, std::int64_t filters, std::optional<ValueId> bias) {
    std::vector<ValueId> inputs = {x,
                                   layer.constant(random.tensor<float>({filters, 3, 3, 3}, -1, 1))};
    if (bias) inputs.push_back(*bias);
    return layer.builder.add(Op::kConv, inputs, {{"pads", Ints{1, 1, 1, 1}}});
  };
  const ValueId image = layer.input(random.tensor<float>({1, 3, 24, 20}, 0, 1));
  const ValueId bordered = conv(conv(image, 3, std::nullopt), 3, std::nullopt);
  const ValueId y = conv(bordered, 12, layer.input(random.tensor<float>({12}, -2, 2)));
  MappingOptions options;
  options.joined_lines = options.line_borders = true;
  const LayerOutcome outcome = run_layer(layer, y, config, options);
  EXPECT_FALSE(outcome.on_machine);
  Hits hits;
  count_joined(outcome, hits);
  EXPECT_EQ(hits["padded before"] + hits["padded after"], 1) << layer_table(outcome.program);
  EXPECT_EQ(hits["taken apart"], 1) << layer_table(outcome.program);
  expect_exact(outcome, layer, true);
}

}  // namespace
}  // namespace weft::compiler::testing
