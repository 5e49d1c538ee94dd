// How `weft run` checks a float machine: element-wise operators with constants of every broadcast
// form, on random machines. The planner stores each constant as 32-bit words or as elements of the
// array. No bound is wider than one rounding of the result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "compiler/schedule/compile_network.h"
#include "runtime/network_check.h"
#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/layers/pass_count.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

/// 0.5 to 1.5, of either sign unless `positive`: their powers and quotients do not overflow.
Tensor moderate(const Shape& shape, bool positive, Random& random) {
  Tensor result = random.reals(shape, 1);
  for (float& element : result.mutable_data<float>()) {
    const float size = std::abs(element) + 0.5F;
    element = positive || element >= 0 ? size : -size;
  }
  return result;
}

/// Sets some extents of `shape` to 1 and drops some leading axes of extent 1.
Shape broadcast_form(const Shape& shape, Random& random, Hits& hits) {
  Shape form = shape;
  for (std::int64_t& extent : form) {
    if (random.chance(50)) extent = 1;
  }
  while (!form.empty() && form.front() == 1 && random.chance(50)) form.erase(form.begin());
  const auto kept = std::ranges::count_if(form, [](std::int64_t extent) { return extent > 1; });
  ++hits[kept == 0 ? "one number" : kept == 1 ? "one axis" : "several axes"];
  if (form.size() < shape.size()) ++hits["fewer axes"];
  if (form.size() == shape.size() && form.back() == 1 && kept == 1) ++hits["1 behind the axis"];
  return form;
}

Shape random_shape(Random& random) {
  Shape shape(static_cast<std::size_t>(random.between(2, 4)));
  for (std::int64_t& extent : shape) extent = random.between(1, 6);
  return shape;
}

ValueId add_operator(LayerCase& layer, Random& random, Hits& hits) {
  const Op op = random.one_of(
      {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kPow, Op::kMin, Op::kMax, Op::kPRelu});
  const Shape shape = random_shape(random);
  ValueId x = layer.input(moderate(shape, op == Op::kPow, random));
  if (random.chance(50)) x = layer.builder.add(Op::kSigmoid, {x});
  const ValueId c =
      layer.constant(moderate(broadcast_form(shape, random, hits), op == Op::kDiv, random));
  const bool turned = (op == Op::kAdd || op == Op::kMul) && random.chance(30);
  ++hits[std::string(graph::to_string(op))];
  const ValueId y = layer.builder.add(op, turned ? std::vector{c, x} : std::vector{x, c});
  if (!random.chance(40)) return y;
  ++hits["function"];
  return layer.builder.add(Op::kTanh, {y});
}

/// Counts "elements" if the last layer reads a constant as array elements, else "words".
void count_constants(const NetworkProgram& program, Hits& hits) {
  const auto& step = std::get<MachineStep>(program.steps.back());
  const auto narrow = std::ranges::any_of(step.results.back().narrow_inputs, [&](ValueId value) {
    return program.graph.is_constant(value);
  });
  ++hits[narrow ? "elements" : "words"];
}

/// The same run with the last result off by a few roundings.
runtime::NetworkRun moved(runtime::NetworkRun run, ValueId value) {
  for (float& element : run.values.at(value).mutable_data<float>()) element *= 1 + 0x1p-5F;
  return run;
}

void check_operator(Random& random, Hits& hits) {
  LayerCase layer(random.chance(50) ? ElementType::kBf16 : ElementType::kFp16);
  ++hits[layer.dtype == ElementType::kBf16 ? "bf16" : "fp16"];
  MachineConfig config = random_layer_machine(layer.dtype, random);
  config.unified_buffer_kib = 512;
  layer.builder.output(add_operator(layer, random, hits), "y");
  const NetworkProgram program = compile_network(prepared(layer.builder.finish()), config);
  const runtime::NetworkRun run =
      runtime::run_network(program, config, layer.inputs, {.simulate = {}, .keep_results = true});
  const runtime::NetworkCheck check = runtime::check_network(program, config, layer.inputs, run);
  EXPECT_FALSE(check.mismatch) << *check.mismatch << "\n" << layer_table(program);
  if (!host_steps(program).empty()) {
    ++hits["host"];
    return;
  }
  count_constants(program, hits);
  const auto aside = moved(run, program.graph.outputs[0].value);
  EXPECT_TRUE(runtime::check_network(program, config, layer.inputs, aside).mismatch)
      << layer_table(program);
}

TEST(CheckPropertyTest, ConstantsOfEveryBroadcastFormAreTakenAsTheMachineHadThem) {
  Hits hits;
  for_each_seed(hits, check_operator);
  expect_hits(
      hits,
      {"bf16", "fp16", "one number", "one axis", "several axes", "fewer axes", "1 behind the axis",
       "words", "elements", "function", "Add", "Sub", "Mul", "Div", "Pow", "Min", "Max", "PRelu"},
      10);
}

// --- Products of sums ---

/// Infinities, NaN, zeros of both signs, subnormals and large numbers.
Tensor with_special_numbers(Tensor tensor, Random& random) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (float& element : tensor.mutable_data<float>()) {
    if (!random.chance(30)) continue;
    element = random.one_of(
        {kInfinity, -kInfinity, std::nanf(""), 0.0F, -0.0F, 0x1p-130F, -0x1p-133F, 3e38F, -3e38F});
  }
  return tensor;
}

/// A second operand for rows of `shape`: a value, or a constant of one of three forms.
ValueId second_factor(LayerCase& layer, const Shape& shape, Random& random, Hits& hits) {
  if (random.chance(40)) {
    ++hits["by a value"];
    return layer.input(moderate(shape, false, random));
  }
  ++hits["by a constant"];
  return layer.constant(moderate(random.one_of<Shape>({{}, {shape.back()}, shape}), false, random));
}

/// (x + c) * y or (x - c) / y, perhaps with a function. x and c may be special numbers.
ValueId add_product_of_sum(LayerCase& layer, const Shape& shape, bool special, Random& random,
                           Hits& hits) {
  graph::Builder& builder = layer.builder;
  Tensor first = moderate(shape, false, random);
  Tensor addend = moderate(random.chance(50) ? Shape{} : Shape{shape.back()}, false, random);
  if (special) first = with_special_numbers(std::move(first), random);
  if (special) addend = with_special_numbers(std::move(addend), random);
  const ValueId x = layer.input(first);
  const ValueId sum =
      builder.add(random.one_of({Op::kAdd, Op::kSub}), {x, layer.constant(std::move(addend))});
  const ValueId factor = random.chance(30) ? x : second_factor(layer, shape, random, hits);
  const bool divides = factor != x && random.chance(40);
  const bool swapped = !divides && random.chance(40);
  ++hits[divides ? "quotient" : swapped ? "swapped" : "product"];
  const ValueId y = builder.add(divides ? Op::kDiv : Op::kMul,
                                swapped ? std::vector{factor, sum} : std::vector{sum, factor});
  if (!random.chance(40)) return y;
  ++hits["function"];
  return builder.add(random.one_of({Op::kTanh, Op::kRelu, Op::kSigmoid}), {y});
}

void check_product_of_sum(Random& random, Hits& hits) {
  LayerCase layer(random_float_type(random));
  MachineConfig config = random_layer_machine(layer.dtype, random);
  config.unified_buffer_kib = 512;
  const Shape shape{random.between(1, 6), size_about(config.array_cols, random)};
  const bool special = random.chance(50);
  layer.builder.output(add_product_of_sum(layer, shape, special, random, hits), "y");
  const NetworkProgram program = compile_network(prepared(layer.builder.finish()), config);
  EXPECT_EQ(layers_of(program).size(), 1U) << layer_table(program);
  EXPECT_TRUE(host_steps(program).empty()) << layer_table(program);
  if (config.array_rows == config.array_cols) {  // else lanes may have to be cleared
    expect_passes(program, shape, config, 1);
    ++hits["one pass"];
  }
  const runtime::NetworkRun run =
      runtime::run_network(program, config, layer.inputs, {.simulate = {}, .keep_results = true});
  const runtime::NetworkCheck check = runtime::check_network(program, config, layer.inputs, run);
  EXPECT_FALSE(check.mismatch) << *check.mismatch << "\n" << layer_table(program);
  if (runtime::note_beyond_binary32(check)) ++hits["beyond"];
  ++hits[special ? "special" : "moderate"];
  if (random.chance(10)) {
    run_everywhere(program, config, layer.inputs);
    ++hits["engines"];
  }
  if (special) return;
  const auto aside = moved(run, program.graph.outputs[0].value);
  EXPECT_TRUE(runtime::check_network(program, config, layer.inputs, aside).mismatch)
      << layer_table(program);
}

TEST(CheckPropertyTest, AProductOfASumTakesOnePassWithinItsBound) {
  Hits hits;
  for_each_seed(hits, check_product_of_sum);
  expect_hits(hits,
              {"by a value", "by a constant", "quotient", "swapped", "product", "function",
               "beyond", "special", "moderate", "one pass", "engines"},
              5);
}

// --- Beyond binary32 ---

/// Scales some columns of `weights` [K, N] to nearly the largest binary32 values, of either sign.
Tensor with_large_columns(Tensor weights, Random& random) {
  const std::int64_t n = weights.shape().back();
  for (std::int64_t column = 0; column < n; ++column) {
    if (random.chance(50)) continue;
    for (std::int64_t i = column; i < weights.size(); i += n) {
      weights.mutable_data<float>()[static_cast<std::size_t>(i)] *= 2e38F;
    }
  }
  return weights;
}

ValueId add_large_product(LayerCase& layer, Random& random, Hits& hits) {
  const std::int64_t k = random.between(1, 20);
  const Tensor weights = moderate({k, random.between(2, 10)}, false, random);
  const ValueId x = layer.input(moderate({random.between(1, 5), k}, false, random));
  const ValueId y =
      layer.builder.add(Op::kMatMul, {x, layer.constant(with_large_columns(weights, random))});
  if (random.chance(40)) {
    ++hits["product"];
    return y;
  }
  ++hits["function of a product"];
  const Op function = random.one_of({Op::kRelu, Op::kSigmoid, Op::kTanh, Op::kHardSwish});
  return layer.builder.add(function, {y});
}

ValueId add_large_row_layer(LayerCase& layer, Random& random, Hits& hits) {
  const Op op = random.one_of({Op::kReduceSum, Op::kReduceMean, Op::kGlobalAveragePool,
                               Op::kLayerNormalization, Op::kSoftmax});
  const std::int64_t channels = random.between(2, 8);
  const float size = random.one_of({1e18F, 1e20F, 2e38F, 1e-38F});
  Tensor x = moderate({2, channels, 3, channels}, false, random);
  for (float& element : x.mutable_data<float>()) element *= size;
  const ValueId input = layer.input(x);
  ++hits[std::string(graph::to_string(op))];
  if (op == Op::kLayerNormalization) {
    const ValueId scale = layer.constant(moderate({channels}, false, random));
    return layer.builder.add(op, {input, scale}, {{"axis", std::int64_t{-1}}});
  }
  if (op == Op::kGlobalAveragePool) return layer.builder.add(op, {input});
  if (op == Op::kSoftmax) return layer.builder.add(op, {input}, {{"axis", std::int64_t{-1}}});
  if (op == Op::kReduceMean) return layer.builder.add(op, {input}, {{"axes", Ints{-1}}});
  return layer.builder.add(op, {input, layer.constant(Tensor::of<std::int64_t>({1}, {-1}))});
}

bool has_numbers(const Tensor& tensor) {
  return std::ranges::any_of(tensor.data<float>(),
                             [](float x) { return std::isfinite(x) && x != 0; });
}

void check_large(Random& random, Hits& hits) {
  LayerCase layer(ElementType::kBf16);
  MachineConfig config = random_layer_machine(layer.dtype, random);
  config.unified_buffer_kib = 512;
  const bool product = random.chance(50);
  layer.builder.output(
      product ? add_large_product(layer, random, hits) : add_large_row_layer(layer, random, hits),
      "y");
  const NetworkProgram program = compile_network(prepared(layer.builder.finish()), config);
  const runtime::NetworkRun run =
      runtime::run_network(program, config, layer.inputs, {.simulate = {}, .keep_results = true});
  const runtime::NetworkCheck check = runtime::check_network(program, config, layer.inputs, run);
  EXPECT_FALSE(check.mismatch) << *check.mismatch << "\n" << layer_table(program);
  const bool beyond = runtime::note_beyond_binary32(check).has_value();
  ++hits[beyond ? "beyond" : "within"];
  const ValueId value = program.graph.outputs[0].value;
  const Tensor& y = run.values.at(value);
  const bool is_plain = product && program.graph.nodes.size() == 1 && check.layers.size() == 1 &&
                        program.graph.nodes[0].attributes.text("activation", "").empty();
  if (!is_plain || !has_numbers(y)) return;
  ++hits["numbers beside"];
  const auto aside = moved(run, value);
  EXPECT_TRUE(runtime::check_network(program, config, layer.inputs, aside).mismatch)
      << layer_table(program);
}

TEST(CheckPropertyTest, SumsBeyondBinary32AreNoMismatchAndNumbersBesideThemAreStillChecked) {
  Hits hits;
  for_each_seed(hits, check_large);
  expect_hits(hits,
              {"product", "function of a product", "ReduceSum", "ReduceMean", "GlobalAveragePool",
               "LayerNormalization", "Softmax", "beyond", "within", "numbers beside"},
              10);
}

// --- Values of the host ---

/// True if a layer's result has a value that a node on the host computed.
bool moves_value_of_host(const NetworkProgram& program) {
  std::set<ValueId> of_host;
  for (const HostStep& step : host_steps(program)) {
    const auto& outputs = program.graph.nodes[step.node].outputs;
    of_host.insert(outputs.begin(), outputs.end());
  }
  return std::ranges::any_of(program.steps, [&](const auto& step) {
    const auto* machine = std::get_if<MachineStep>(&step);
    return machine != nullptr && std::ranges::any_of(machine->results, [&](const auto& result) {
             return of_host.contains(result.value);
           });
  });
}

// The machine turns the second operand of a product, which the host has tiled. Tile has no bound.
TEST(CheckPropertyTest, ValuesOfTheHostThatTheMachineMovesAreTakenAsGiven) {
  std::cout << "seeds 0 to 59\n";
  int found = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    LayerCase layer(ElementType::kBf16);
    const MachineConfig config = small_machine(layer.dtype, 4, 4);
    const std::int64_t k = random.between(1, 9);
    const ValueId x =
        layer.through_machine(layer.input(moderate({k, random.between(1, 30)}, false, random)));
    const ValueId a = layer.builder.add(Op::kTranspose, {x}, {{"perm", Ints{1, 0}}});
    const ValueId b = layer.builder.add(
        Op::kTile, {layer.input(moderate({k, random.between(1, 5)}, false, random)),
                    layer.constant(Tensor::vector(Ints{1, 2}))});
    layer.builder.output(layer.builder.add(Op::kMatMul, {a, b}), "y");
    const NetworkProgram program = compile_network(prepared(layer.builder.finish()), config);
    found += moves_value_of_host(program) ? 1 : 0;
    const runtime::NetworkRun run =
        runtime::run_network(program, config, layer.inputs, {.simulate = {}, .keep_results = true});
    const auto check = runtime::check_network(program, config, layer.inputs, run);
    EXPECT_FALSE(check.mismatch) << *check.mismatch << "\n" << layer_table(program);
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace weft::compiler::testing
