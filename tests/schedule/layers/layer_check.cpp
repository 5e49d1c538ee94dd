#include "tests/schedule/layers/layer_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "base/error.h"
#include "compiler/schedule/compile_network.h"
#include "models/reference/cpu/run_graph.h"
#include "pe/float_formats.h"
#include "runtime/network_check.h"
#include "tests/schedule/draws.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {

ValueId LayerCase::input(const Tensor& tensor) {
  std::string name = "x";
  name += std::to_string(input_count++);
  inputs.insert_or_assign(name, tensor);
  return builder.input(name, tensor.value_type());
}

ValueId LayerCase::dequantized(const Tensor& bytes, double scale, Random& random) {
  const bool is_unsigned = bytes.type() == DataType::kUint8;
  return builder.add(Op::kDequantizeLinear,
                     {input(bytes), constant(random_scales({}, scale, random)),
                      constant(random_zero_point(is_unsigned, random))});
}

ValueId LayerCase::quantized(ValueId real, bool is_unsigned, double scale, Random& random) {
  return builder.add(Op::kQuantizeLinear, {real, constant(random_scales({}, scale, random)),
                                           constant(random_zero_point(is_unsigned, random))});
}

ElementType random_float_type(Random& random) {
  return random.chance(70) ? ElementType::kBf16 : ElementType::kFp16;
}

MachineConfig random_layer_machine(ElementType dtype, Random& random) {
  MachineConfig config = small_machine(dtype, 0, 0);
  config.array_rows = random.one_of<std::uint32_t>({8, 8, 4, 5, 3});
  config.array_cols = random.one_of<std::uint32_t>({8, config.array_rows, 4, 3, 7});
  config.accumulator_rows = random.one_of<std::uint32_t>({8, 21, 64, 512});
  config.unified_buffer_kib = random.one_of<std::uint32_t>({1, 2, 4, 512});
  config.double_buffer = random.chance(50);
  config.memory_kind = random.one_of({MemoryKind::kIdeal, MemoryKind::kShared, MemoryKind::kSplit});
  config.memory_bytes_per_s = random.one_of<std::uint64_t>({1'000'000'000, 100'000'000});
  config.weight_fifo_tiles = random.one_of<std::uint32_t>({1, 2, 4});
  return config;
}

SearchEffort random_effort(Random& random) {
  const auto unsearched = static_cast<int>(draws(85, 0));  // percent
  return random.chance(unsearched) ? SearchEffort::kNone : SearchEffort::kNormal;
}

namespace {

NetworkProgram compile(const graph::Graph& graph, MachineConfig& config,
                       const MappingOptions& mapping) {
  const CompileOptions options{.mapping = mapping};
  try {
    return compile_network(graph, config, options);
  } catch (const ConfigError&) {
    config.unified_buffer_kib = 512;
    return compile_network(graph, config, options);
  }
}

}  // namespace

LayerOutcome run_layer(LayerCase& layer, ValueId value, MachineConfig& config,
                       const MappingOptions& mapping) {
  layer.builder.output(value, "y");
  LayerOutcome outcome;
  outcome.program = compile(layer.builder.finish(), config, mapping);
  outcome.run = runtime::run_network(outcome.program, config, layer.inputs, {});
  runtime::NetworkRunOptions analytic;
  analytic.simulate.engine = Engine::kAnalytic;
  EXPECT_EQ(runtime::run_network(outcome.program, config, {}, analytic).total, outcome.run.total);
  outcome.on_machine = host_steps(outcome.program).empty();
  for (const LayerInfo& info : layers_of(outcome.program)) {
    outcome.streamed = outcome.streamed || !info.spilled.empty();
  }
  return outcome;
}

std::int64_t size_about(std::uint32_t side, Random& random) {
  const std::int64_t s = side;
  return random.one_of<std::int64_t>({1, s - 1, s, s + 1, 2 * s + 3});
}

std::string size_class(std::int64_t size, std::uint32_t side) {
  const std::int64_t s = side;
  if (size == 1) return "1";
  if (size == s) return "side";
  if (size == s - 1) return "side - 1";
  if (size == s + 1) return "side + 1";
  return size > s ? "larger" : "smaller";
}

void expect_exact_layers(const LayerOutcome& outcome, const LayerCase& layer,
                         const MachineConfig& config) {
  runtime::NetworkRunOptions options;
  options.keep_results = true;
  const auto run = runtime::run_network(outcome.program, config, layer.inputs, options);
  const auto check = runtime::check_network(outcome.program, config, layer.inputs, run);
  EXPECT_FALSE(check.mismatch) << *check.mismatch;
  EXPECT_TRUE(check.bit_exact);
}

Tensor random_bytes(const graph::Shape& shape, bool is_unsigned, Random& random) {
  return is_unsigned ? random.tensor<std::uint8_t>(shape, 0, 255)
                     : random.tensor<std::int8_t>(shape, -128, 127);
}

Tensor random_zero_point(bool is_unsigned, Random& random) {
  return random_bytes({}, is_unsigned, random);
}

Tensor random_scales(const graph::Shape& shape, double about, Random& random) {
  Tensor scales(graph::DataType::kFloat32, shape);
  for (float& scale : scales.mutable_data<float>()) {
    scale = static_cast<float>(about * static_cast<double>(random.between(50, 200)) / 100);
  }
  return scales;
}

ByteWeights random_byte_weights(const graph::Shape& shape, const graph::Shape& scale_shape,
                                Random& random) {
  if (random.chance(75)) {
    return {random_bytes(shape, false, random), Tensor(graph::DataType::kInt8, scale_shape)};
  }
  const std::int64_t zero = random.between(100, 156);
  return {random.tensor<std::uint8_t>(shape, std::max<std::int64_t>(0, zero - 128),
                                      std::min<std::int64_t>(255, zero + 127)),
          random.tensor<std::uint8_t>(scale_shape, zero, zero)};
}

double spread_of_sums(std::int64_t count) {
  // 128 is the largest distance from the zero point, 74 the standard deviation of a byte. One
  // standard deviation of the sum spans 60 steps of the result.
  return std::sqrt(static_cast<double>(count)) * 128 * 74 / 60;
}

Tensor rounded(const Tensor& tensor, ElementType dtype) {
  Tensor result = tensor;
  for (float& element : result.mutable_data<float>()) {
    element = dtype == ElementType::kBf16 ? to_float(to_bf16(element)) : to_float(to_fp16(element));
  }
  return result;
}

void expect_exact(const LayerOutcome& outcome, const LayerCase& layer, bool narrow) {
  Tensor expected = reference::run_graph(outcome.program.graph, layer.inputs).at("y");
  ASSERT_EQ(outcome.result().value_type(), expected.value_type());
  if (expected.type() != graph::DataType::kFloat32) {
    ASSERT_EQ(outcome.result(), expected) << layer_table(outcome.program);
    return;
  }
  if (narrow && outcome.on_machine) expected = rounded(expected, layer.dtype);
  const auto actual = outcome.result().data<float>();
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(actual[i], expected.data<float>()[i]) << "element " << i << "\n"
                                                    << layer_table(outcome.program);
  }
}

void expect_within(const LayerOutcome& outcome, const LayerCase& layer,
                   const std::function<double(double)>& bound) {
  const Tensor expected =
      reference::run_graph(outcome.program.graph, layer.inputs, {.double_precision = true}).at("y");
  ASSERT_EQ(outcome.result().shape(), expected.shape());
  const auto actual = outcome.result().data<float>();
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double exact = expected.data<double>()[i];
    ASSERT_LE(std::abs(static_cast<double>(actual[i]) - exact), bound(exact))
        << "element " << i << " is " << actual[i] << " instead of " << exact << "\n"
        << layer_table(outcome.program);
  }
}

void try_engines(const LayerOutcome& outcome, const LayerCase& layer, const MachineConfig& config,
                 Random& random, Hits& hits) {
  constexpr int kPercent = 10;
  if (!random.chance(kPercent)) return;
  run_everywhere(outcome.program, config, layer.inputs);
  ++hits["engines"];
}

void count_layers(const LayerOutcome& outcome, Hits& hits) {
  if (outcome.streamed) ++hits["streamed"];
  for (const LayerInfo& layer : layers_of(outcome.program)) {
    if (layer.chunks > 1) ++hits["several chunks"];
  }
}

namespace {

std::vector<double> as_doubles(const Tensor& bytes) {
  std::vector<double> result;
  const auto append = [&](auto data) { result.assign(data.begin(), data.end()); };
  if (bytes.type() == DataType::kUint8) {
    append(bytes.data<std::uint8_t>());
  } else {
    append(bytes.data<std::int8_t>());
  }
  return result;
}

/// The real numbers that the last node of the graph quantizes, in float64.
Tensor before_rounding(const graph::Graph& graph, const LayerCase& layer) {
  graph::Graph real = graph;
  real.outputs = {{"y", graph.nodes.back().inputs[0]}};
  real.nodes.pop_back();
  return reference::run_graph(real, layer.inputs, {.double_precision = true}).at("y");
}

}  // namespace

void expect_quantized_within(const LayerOutcome& outcome, const LayerCase& layer,
                             const std::function<double(double)>& bound) {
  const graph::Graph& graph = outcome.program.graph;
  const graph::Node& last = graph.nodes.back();
  ASSERT_EQ(last.op, Op::kQuantizeLinear);
  const auto constant = [&](std::size_t i) {
    return graph.values[last.inputs[i]].constant->tensor();
  };
  const double scale = double{constant(1).data<float>()[0]};
  const double zero = as_doubles(constant(2))[0];
  const bool is_unsigned = constant(2).type() == DataType::kUint8;
  const Tensor exact = before_rounding(graph, layer);
  const std::vector<double> actual = as_doubles(outcome.result());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double real = exact.data<double>()[i];
    const double low = is_unsigned ? 0 : -128;
    const double place = std::clamp(real / scale + zero, low, low + 255);
    ASSERT_LE(std::abs(actual[i] - place), 0.5 + bound(real) / scale)
        << "element " << i << " of " << real << "\n"
        << layer_table(outcome.program);
  }
}

void expect_hits(const Hits& hits, std::initializer_list<const char*> names, int least) {
  for (const auto& [name, count] : hits) std::cout << name << ": " << count << '\n';
  for (const char* name : names) {
    const auto found = hits.find(name);
    EXPECT_GE(found == hits.end() ? 0 : found->second, least) << name;
  }
}

}  // namespace weft::compiler::testing
