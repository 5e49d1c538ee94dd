// Layers that only training graphs need, one at a time on random float machines. Operands are whole
// numbers, so sums are exact. Everything stays on the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

/// Expects an exact result without host steps; now and then runs every engine.
void expect_machine(LayerCase& layer, ValueId y, MachineConfig& config, bool narrow, Random& random,
                    Hits& hits) {
  const LayerOutcome outcome = run_layer(layer, y, config, {.effort = random_effort(random)});
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  expect_exact(outcome, layer, narrow);
  count_layers(outcome, hits);
  try_engines(outcome, layer, config, random, hits);
}

ValueId maybe_computed(LayerCase& layer, const Tensor& tensor, Random& random) {
  const ValueId value = layer.input(tensor);
  return random.chance(60) ? layer.through_machine(value) : value;
}

/// Exchanges the last two axes.
ValueId transposed(LayerCase& layer, ValueId matrix) {
  Ints perm(layer.builder.type(matrix).shape.size());
  std::iota(perm.begin(), perm.end(), 0);
  std::iter_swap(perm.end() - 1, perm.end() - 2);
  return layer.builder.add(Op::kTranspose, {matrix}, {{"perm", perm}});
}

// --- Products with transposed operands ---

/// A product with the identity: the machine writes the last axis into the channels.
ValueId lies_in_last_channels(LayerCase& layer, const Tensor& matrices) {
  const std::int64_t width = matrices.shape().back();
  Tensor one(DataType::kFloat32, {width, width});
  for (std::int64_t i = 0; i < width; ++i) {
    one.mutable_data<float>()[static_cast<std::size_t>(i * width + i)] = 1;
  }
  return layer.builder.add(Op::kMatMul, {layer.input(matrices), layer.constant(std::move(one))});
}

/// A'B, A'B' or AB', with or without a layer after it.
void check_transposed_product(Random& random, Hits& hits) {
  LayerCase layer(random_float_type(random));
  MachineConfig config = random_layer_machine(layer.dtype, random);
  // All rows of one column tile must fit in the buffer.
  config.unified_buffer_kib = std::max(config.unified_buffer_kib, 2U);
  const std::int64_t m = size_about(config.array_rows, random);
  const std::int64_t k = size_about(config.array_rows, random);
  const std::int64_t n = size_about(config.array_cols, random);
  const bool turns_a = random.chance(80);
  const bool turns_b = !turns_a || random.chance(30);
  Shape batch;
  if (random.chance(40)) batch = {random.between(1, 3)};
  if (!batch.empty() && random.chance(40)) batch.push_back(random.between(1, 2));
  const auto matrix = [&](std::int64_t rows, std::int64_t cols, bool turned) {
    Shape shape = batch;
    shape.insert(shape.end(), {turned ? cols : rows, turned ? rows : cols});
    const Tensor elements = random.tensor<float>(shape, -8, 8);
    const ValueId value = batch.empty() ? maybe_computed(layer, elements, random)
                                        : lies_in_last_channels(layer, elements);
    return turned ? transposed(layer, value) : value;
  };
  const ValueId a = matrix(m, k, turns_a);
  ValueId y = layer.builder.add(Op::kMatMul, {a, matrix(k, n, turns_b)});
  const bool leaves = random.chance(50);
  // Sums that leave the machine are not rounded; Neg rounds them to the array's type.
  if (!leaves) y = layer.builder.add(Op::kNeg, {y});
  expect_machine(layer, y, config, !leaves, random, hits);
  ++hits[turns_a ? (turns_b ? "A'B'" : "A'B") : "AB'"];
  ++hits[leaves ? "leaves" : "stays"];
  ++hits[batch.empty() ? "one matrix" : "several matrices"];
  ++hits["rows " + size_class(m, config.array_rows)];
}

TEST(TrainingLayersTest, TransposedOperandsOfProductsAreTurnedByTheMachine) {
  Hits hits;
  for_each_seed(hits, check_transposed_product);
  expect_hits(hits,
              {"A'B", "A'B'", "AB'", "one matrix", "several matrices", "leaves", "stays", "rows 1",
               "rows side - 1", "rows side", "rows side + 1", "rows larger", "engines", "streamed"},
              5);
}

TEST(TrainingLayersTest, ATransposedOperandServesSeveralProducts) {
  Random random(1);
  LayerCase layer(ElementType::kBf16);
  MachineConfig config = small_machine(layer.dtype, 4, 4);
  const ValueId x = layer.through_machine(layer.input(random.tensor<float>({9, 6}, -8, 8)));
  const ValueId turned = transposed(layer, x);
  const auto product = [&](std::int64_t n) {
    const ValueId b = layer.input(random.tensor<float>({9, n}, -1, 1));
    return layer.builder.add(Op::kNeg, {layer.builder.add(Op::kMatMul, {turned, b})});
  };
  const ValueId y =
      layer.builder.add(Op::kConcat, {product(5), product(3)}, {{"axis", std::int64_t{1}}});
  const LayerOutcome outcome = run_layer(layer, y, config);
  EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
  const auto layers = layers_of(outcome.program);
  EXPECT_EQ(std::ranges::count(layers, "Transpose", &LayerInfo::op), 1);
  expect_exact(outcome, layer, true);
}

TEST(TrainingLayersTest, TheHostComputesWhatIsTransposedOnce) {
  Random random(1);
  LayerCase layer(ElementType::kBf16);
  MachineConfig config = small_machine(layer.dtype, 4, 4);
  const Tensor rows = Tensor::vector(Ints{6, 5});
  const ValueId x = layer.builder.add(
      Op::kReshape, {layer.input(random.tensor<float>({2, 3, 5}, -8, 8)), layer.constant(rows)});
  // There are two segments, since the host computes the maximum over all rows in between.
  const ValueId first = layer.through_machine(layer.input(random.tensor<float>({6, 4}, -8, 8)));
  const ValueId largest = layer.builder.add(Op::kReduceMax, {first}, {{"axes", Ints{0}}});
  const ValueId b = layer.builder.add(Op::kAdd, {first, largest});
  const ValueId product = layer.builder.add(Op::kMatMul, {transposed(layer, x), b});
  const LayerOutcome outcome = run_layer(layer, product, config);
  EXPECT_GT(outcome.run.programs, 1U);
  const auto steps = host_steps(outcome.program);
  EXPECT_EQ(steps.size(), 2U) << layer_table(outcome.program);
  expect_exact(outcome, layer, false);
}

// --- Sums over rows ---

void check_sum_of_rows(Random& random, Hits& hits) {
  LayerCase layer(random_float_type(random));
  MachineConfig config = random_layer_machine(layer.dtype, random);
  // All rows of one column tile must fit in the buffer.
  config.unified_buffer_kib = std::max(config.unified_buffer_kib, 2U);
  const Op op = random.one_of({Op::kReduceSum, Op::kReduceMean});
  const bool image = random.chance(50);
  Shape shape(image ? 4 : 2);
  for (std::int64_t& extent : shape) extent = random.between(1, 4);
  // A mean is exact if its number of elements is a power of two.
  if (op == Op::kReduceMean) {
    for (std::int64_t& extent : shape) extent = random.one_of<std::int64_t>({1, 2, 4});
  }
  shape[1] = size_about(config.array_cols, random);
  const Ints axes = image ? Ints{0, 2, 3} : Ints{0};
  const std::int64_t keep = random.between(0, 1);
  std::vector<ValueId> inputs = {
      maybe_computed(layer, random.tensor<float>(shape, -99, 99), random)};
  Attributes attributes = {{"keepdims", keep}};
  if (op == Op::kReduceSum) {
    inputs.push_back(layer.constant(Tensor::vector<std::int64_t>(axes)));
  } else {
    attributes.set("axes", axes);
  }
  ValueId y = layer.builder.add(op, inputs, attributes);
  const bool leaves = random.chance(50);
  if (!leaves) y = layer.builder.add(Op::kNeg, {y});
  expect_machine(layer, y, config, !leaves, random, hits);
  ++hits[std::string(to_string(op))];
  ++hits[image ? "image" : "matrix"];
  ++hits[leaves ? "leaves" : "stays"];
  ++hits[keep != 0 ? "kept" : "dropped"];
}

TEST(TrainingLayersTest, SumsOverRowsAreExact) {
  Hits hits;
  for_each_seed(hits, check_sum_of_rows);
  expect_hits(hits,
              {"ReduceSum", "ReduceMean", "image", "matrix", "leaves", "stays", "kept", "dropped",
               "engines"},
              5);
}

// --- Comparisons and choices ---

/// -2 to 2, with some zeros of negative sign and some of the smallest and largest elements.
Tensor random_operand(const Shape& shape, ElementType dtype, Random& random) {
  Tensor tensor = random.tensor<float>(shape, -2, 2);
  const bool bf16 = dtype == ElementType::kBf16;
  const float smallest = bf16 ? 0x1p-133F : 0x1p-24F;
  const float largest = bf16 ? 0x1.FEp127F : 65504;
  for (float& x : tensor.mutable_data<float>()) {
    if (random.chance(15)) x = random.one_of({-0.0F, smallest, -smallest, largest, -largest});
  }
  return tensor;
}

void check_choice(Random& random, Hits& hits) {
  LayerCase layer(random_float_type(random));
  MachineConfig config = random_layer_machine(layer.dtype, random);
  Shape shape(static_cast<std::size_t>(random.between(2, 4)));
  for (std::int64_t& extent : shape) extent = random.between(1, 5);
  shape[1] = size_about(config.array_cols, random);
  const auto operand = [&] { return layer.input(random_operand(shape, layer.dtype, random)); };
  const auto number = [&](float value) { return layer.constant(Tensor::scalar(value)); };
  const Op op = random.one_of({Op::kGreater, Op::kLess, Op::kEqual});
  const ValueId a = operand();
  const bool with_number = random.chance(50);
  const ValueId b = with_number ? number(random.one_of({0.0F, 1.0F})) : operand();
  const bool swapped = with_number && random.chance(30);
  ValueId mask = layer.builder.add(op, swapped ? std::vector{b, a} : std::vector{a, b});
  if (random.chance(30)) {
    mask = layer.builder.add(Op::kNot, {mask});
    ++hits["Not"];
  }
  if (random.chance(30)) {
    const Op join = random.one_of({Op::kAnd, Op::kOr});
    mask = layer.builder.add(join, {mask, layer.builder.add(Op::kGreater, {a, number(-1)})});
    ++hits[std::string(to_string(join))];
  }
  ValueId y = graph::kNoValue;
  switch (random.between(0, 4)) {
    case 4:
      y = layer.builder.add(Op::kWhere, {mask, operand(), operand()});
      ++hits["x or y"];
      break;
    case 0:
      y = layer.builder.add(Op::kWhere, {mask, operand(), number(0)});
      ++hits["x or 0"];
      break;
    case 1:
      y = layer.builder.add(Op::kWhere, {mask, number(0), operand()});
      ++hits["0 or x"];
      break;
    case 2:
      y = layer.builder.add(Op::kWhere, {mask, number(3), number(0)});
      ++hits["3 or 0"];
      break;
    default:
      y = layer.builder.add(Op::kCast, {mask}, {{"to", std::int64_t{1}}});
      y = layer.builder.add(Op::kMul, {operand(), y});
      ++hits["product"];
  }
  expect_machine(layer, y, config, true, random, hits);
  ++hits[std::string(to_string(op))];
  if (swapped) ++hits["swapped"];
}

TEST(TrainingLayersTest, ChoicesAreThoseOfTheReference) {
  Hits hits;
  for_each_seed(hits, check_choice);
  expect_hits(hits,
              {"Greater", "Less", "Equal", "Not", "And", "Or", "x or y", "x or 0", "0 or x",
               "3 or 0", "product", "swapped", "engines", "streamed"},
              5);
}

// --- Elements that are moved ---

ValueId reshaped(LayerCase& layer, ValueId value, const Shape& shape) {
  return layer.builder.add(
      Op::kReshape, {value, layer.constant(Tensor::vector(Ints(shape.begin(), shape.end())))});
}

/// Reshapes [N, C, H, W] to [N, C*H*W] or back.
void check_flattening(Random& random, Hits& hits) {
  LayerCase layer(random_float_type(random));
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Shape image = {random.between(1, 5), size_about(config.array_rows, random),
                       random.between(1, 3), random.between(2, 3)};
  const Shape flat = {image[0], image[1] * image[2] * image[3]};
  const bool flattens = random.chance(50);
  const Tensor x = random.tensor<float>(flattens ? image : flat, -99, 99);
  const ValueId given = layer.through_machine(layer.input(x));
  const ValueId y = layer.builder.add(Op::kRelu, {reshaped(layer, given, flattens ? flat : image)});
  expect_machine(layer, y, config, true, random, hits);
  ++hits[flattens ? "to rows" : "to images"];
  ++hits["channels " + size_class(image[1], config.array_rows)];
}

TEST(TrainingLayersTest, ImagesBecomeRowsAndRowsImages) {
  Hits hits;
  for_each_seed(hits, check_flattening);
  expect_hits(hits,
              {"to rows", "to images", "channels 1", "channels side", "channels larger", "engines",
               "streamed"},
              5);
}

void check_expansion(Random& random, Hits& hits) {
  LayerCase layer(random_float_type(random));
  MachineConfig config = random_layer_machine(layer.dtype, random);
  const Shape to = {random.between(1, 4), size_about(config.array_cols, random),
                    random.between(2, 4), random.between(2, 4)};
  Shape from = {random.chance(50) ? 1 : to[0], to[1], random.chance(70) ? 1 : to[2], 1};
  const ValueId x = layer.through_machine(layer.input(random.tensor<float>(from, -99, 99)));
  const ValueId y = layer.builder.add(
      Op::kExpand, {x, layer.constant(Tensor::vector(Ints(to.begin(), to.end())))});
  expect_machine(layer, layer.builder.add(Op::kRelu, {y}), config, true, random, hits);
  ++hits[from[2] == 1 ? "pixels" : "columns"];
}

TEST(TrainingLayersTest, RowsAreRepeated) {
  Hits hits;
  for_each_seed(hits, check_expansion);
  expect_hits(hits, {"pixels", "columns", "engines"}, 5);
}

/// Stacks the four parts of 2 x 2 windows, then interleaves them into one image.
void check_interleaving(Random& random, Hits& hits) {
  LayerCase layer(random_float_type(random));
  MachineConfig config = random_layer_machine(layer.dtype, random);
  // At least two channels: with one, the parts would lie side by side in the channels.
  const Shape part = {random.between(1, 3),
                      std::max<std::int64_t>(2, size_about(config.array_cols, random)),
                      random.between(1, 4), random.between(1, 4), 1};
  std::vector<ValueId> parts;
  for (int i = 0; i < 4; ++i) {
    const Shape plain(part.begin(), part.end() - 1);
    const ValueId value = layer.input(random.tensor<float>(plain, -99, 99));
    parts.push_back(reshaped(layer, layer.through_machine(value), part));
  }
  const ValueId stack = layer.builder.add(Op::kConcat, parts, {{"axis", std::int64_t{-1}}});
  const ValueId apart = reshaped(layer, stack, {part[0], part[1], part[2], part[3], 2, 2});
  const ValueId between =
      layer.builder.add(Op::kTranspose, {apart}, {{"perm", Ints{0, 1, 2, 4, 3, 5}}});
  const ValueId whole = reshaped(layer, between, {part[0], part[1], 2 * part[2], 2 * part[3]});
  const ValueId y = layer.builder.add(Op::kRelu, {whole});
  expect_machine(layer, y, config, true, random, hits);
  ++hits["channels " + size_class(part[1], config.array_cols)];
}

TEST(TrainingLayersTest, StackedPartsAreInterleaved) {
  Hits hits;
  for_each_seed(hits, check_interleaving);
  expect_hits(hits,
              {"channels side", "channels side + 1", "channels larger", "engines", "streamed"}, 5);
}

}  // namespace
}  // namespace weft::compiler::testing
