// A product is a network of one layer: the same program, whichever way it comes to the compiler.
// And that program is no slower than the better of the two that earlier compilers made: the cycles
// in product_cycles.csv were recorded with a compiler for products and one for networks, before
// they became one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/graph/builder/builder.h"
#include "compiler/onnx/export.h"
#include "compiler/onnx/import.h"
#include "compiler/schedule/network_bound.h"
#include "compiler/schedule/product/product_graph.h"
#include "runtime/compile.h"
#include "runtime/network_runner.h"
#include "sim/isa/text/text.h"
#include "sim/simulate.h"
#include "tests/schedule/random.h"

namespace weft::compiler::testing {
namespace {

using graph::DataType;
using graph::Op;
using graph::Tensor;
using graph::ValueId;

struct Product {
  MatmulSpec spec;
  MachineConfig config;
};

std::string describe(const Product& product) {
  const MachineConfig& config = product.config;
  const MatmulSpec& spec = product.spec;
  std::ostringstream text;
  text << spec.m << " x " << spec.k << " x " << spec.n << (spec.bias ? ", bias" : "")
       << ", activation " << static_cast<int>(spec.activation) << " on " << config.array_rows
       << " x " << config.array_cols << ' ' << to_string(config.dtype) << ", accumulators "
       << config.accumulator_rows << ", buffer " << config.unified_buffer_kib << " KiB";
  return text.str();
}

const MachineStep& only_step(const NetworkProgram& program) {
  EXPECT_EQ(program.steps.size(), 1U);
  return std::get<MachineStep>(program.steps.front());
}

NetworkProgram compiled(graph::Graph graph, const MachineConfig& config) {
  return runtime::compile(std::move(graph), config).program;
}

Cycle cycles_of(const Product& product) {
  const NetworkProgram program =
      compiled(product_graph(product.spec, product.config.dtype), product.config);
  SimulateOptions options;
  options.engine = Engine::kAnalytic;
  return simulate(product.config, only_step(program).program, nullptr, options).total;
}

// --- The recorded cycles ---

using Row = std::map<std::string, std::uint64_t>;

std::vector<Row> recorded_rows() {
  std::ifstream file(WEFT_SOURCE_DIR "/tests/schedule/product_cycles.csv");
  const auto cells = [](const std::string& line) {
    std::vector<std::string> words;
    std::istringstream text(line);
    for (std::string word; std::getline(text, word, ',');) words.push_back(word);
    return words;
  };
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = cells(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> values = cells(line);
    Row row;
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = std::stoull(values.at(i));
    rows.push_back(std::move(row));
  }
  return rows;
}

Product product_of(const Row& row) {
  const auto small = [&](const char* name) { return static_cast<std::uint32_t>(row.at(name)); };
  Product product;
  product.spec = {row.at("m"), row.at("k"), row.at("n"), row.at("bias") != 0,
                  static_cast<Activation>(row.at("activation"))};
  MachineConfig& config = product.config;
  config.clock_hz = 700'000'000;
  config.array_rows = small("array_rows");
  config.array_cols = small("array_cols");
  config.dtype = static_cast<ElementType>(row.at("dtype"));
  config.double_buffer = row.at("double_buffer") != 0;
  config.accumulator_rows = small("accumulator_rows");
  config.unified_buffer_kib = small("unified_buffer_kib");
  config.weight_fifo_tiles = small("weight_fifo_tiles");
  config.memory_kind = static_cast<MemoryKind>(row.at("memory_kind"));
  config.memory_bytes_per_s = row.at("memory_bytes_per_s");
  config.memory_latency_cycles = small("memory_latency");
  config.host_bytes_per_s = row.at("host_bytes_per_s");
  config.host_latency_cycles = small("host_latency");
  config.vector_latency_cycles = small("vector_latency");
  config.queue_depth = small("queue_depth");
  return product;
}

TEST(OneCompilerTest, IsNoSlowerThanTheBetterOfTwo) {
  const std::vector<Row> rows = recorded_rows();
  ASSERT_EQ(rows.size(), 500U);
  double logarithms = 0;
  for (const Row& row : rows) {
    const Product product = product_of(row);
    const auto cycles = static_cast<double>(cycles_of(product));
    const auto better = static_cast<double>(std::min(row.at("product"), row.at("network")));
    EXPECT_LE(cycles, 1.02 * better) << describe(product);
    EXPECT_GE(cycles, static_cast<double>(lower_bound(product.spec, product.config).cycles))
        << describe(product);
    logarithms += std::log(cycles / better);
  }
  const double mean = std::exp(logarithms / static_cast<double>(rows.size()));
  EXPECT_LE(mean, 1.0);
  RecordProperty("geometric_mean", std::to_string(mean));
}

// --- The same program from a file ---

Product random_product(Random& random) {
  Product product;
  MachineConfig& config = product.config;
  config.array_rows = static_cast<std::uint32_t>(random.between(1, random.chance(30) ? 64 : 12));
  config.array_cols = static_cast<std::uint32_t>(random.between(1, random.chance(30) ? 64 : 12));
  config.dtype = std::vector{ElementType::kInt8, ElementType::kBf16,
                             ElementType::kFp16}[static_cast<std::size_t>(random.between(0, 2))];
  config.double_buffer = random.chance(75);
  config.accumulator_rows = static_cast<std::uint32_t>(random.between(4, 300));
  config.unified_buffer_kib = static_cast<std::uint32_t>(random.between(2, 64));
  config.weight_fifo_tiles = static_cast<std::uint32_t>(random.between(1, 4));
  config.memory_kind = static_cast<MemoryKind>(random.between(0, 2));
  config.memory_bytes_per_s = config.clock_hz * static_cast<std::uint64_t>(random.between(1, 64));
  config.host_bytes_per_s = config.clock_hz * static_cast<std::uint64_t>(random.between(1, 64));
  config.memory_latency_cycles = static_cast<std::uint32_t>(random.between(0, 50));
  config.queue_depth = static_cast<std::uint32_t>(random.between(1, 16));
  const auto size = [&](std::int64_t most) {
    return static_cast<std::uint64_t>(random.between(1, most));
  };
  product.spec = {size(200), size(90), size(90), random.chance(50),
                  static_cast<Activation>(random.between(0, 2))};
  return product;
}

template <class T>
Tensor drawn(Random& random, const graph::Shape& shape) {
  Tensor tensor(graph::data_type_of<T>(), shape);
  for (T& value : tensor.template mutable_data<T>()) {
    value = static_cast<T>(random.between(-100, 100));
  }
  return tensor;
}

/// A file with the product's operator, its weights as initializers: MatMul and Add, or Gemm as it
/// is or with transposed weights, or MatMulInteger; then the activation.
graph::Graph file_of(const Product& product, Random& random) {
  const MatmulSpec& spec = product.spec;
  const auto m = static_cast<std::int64_t>(spec.m);
  const auto k = static_cast<std::int64_t>(spec.k);
  const auto n = static_cast<std::int64_t>(spec.n);
  const bool integers = product.config.dtype == ElementType::kInt8;
  graph::Builder builder("file");
  const ValueId x =
      builder.input("image", {integers ? DataType::kInt8 : DataType::kFloat32, {m, k}});
  ValueId y = graph::kNoValue;
  if (integers) {
    y = builder.add(Op::kMatMulInteger,
                    {x, builder.constant(drawn<std::int8_t>(random, {k, n}), "weights")});
    if (spec.bias) {
      y = builder.add(Op::kAdd, {y, builder.constant(drawn<std::int32_t>(random, {n}), "addend")});
    }
  } else if (random.chance(50)) {
    const bool transposed = random.chance(50);
    graph::Attributes attributes;
    if (transposed) attributes.set("transB", std::int64_t{1});
    std::vector<ValueId> inputs = {x, builder.constant(transposed ? drawn<float>(random, {n, k})
                                                                  : drawn<float>(random, {k, n}),
                                                       "weights")};
    if (spec.bias) inputs.push_back(builder.constant(drawn<float>(random, {n}), "c"));
    y = builder.add(Op::kGemm, std::move(inputs), attributes);
  } else {
    y = builder.add(Op::kMatMul, {x, builder.constant(drawn<float>(random, {k, n}), "weights")});
    if (spec.bias) {
      y = builder.add(Op::kAdd, {builder.constant(drawn<float>(random, {n}), "addend"), y});
    }
  }
  if (spec.activation == Activation::kRelu) y = builder.add(Op::kRelu, {y});
  if (spec.activation == Activation::kRelu6) {
    const auto bound = [&](int value) {
      return builder.constant(integers ? Tensor::scalar(std::int32_t{value})
                                       : Tensor::scalar(static_cast<float>(value)));
    };
    y = builder.add(Op::kClip, {y, bound(0), bound(6)});
  }
  builder.output(y, "scores");
  const std::string bytes = onnx_io::to_onnx_bytes(builder.finish());
  return onnx_io::import_onnx_bytes(std::as_bytes(std::span(bytes)), "product.onnx");
}

TEST(OneCompilerTest, GivesAProductAndItsFileTheSameProgram) {
  constexpr std::uint64_t kSeed = 2611;
  Random random(kSeed);
  for (int i = 0; i < 300; ++i) {
    const Product product = random_product(random);
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", product " + std::to_string(i) + ": " +
                 describe(product));
    const NetworkProgram from_sizes =
        compiled(product_graph(product.spec, product.config.dtype), product.config);
    const NetworkProgram from_file = compiled(file_of(product, random), product.config);
    const Program& expected = only_step(from_sizes).program;
    ASSERT_EQ(only_step(from_file).program.code, expected.code);
    EXPECT_EQ(disassemble(only_step(from_file).program), disassemble(expected));
    EXPECT_EQ(only_step(from_file).program.computes, product.spec);
  }
}

// --- Values of integer products with a bias and an activation ---

std::int64_t expected_element(const Tensor& a, const Tensor& b, const Tensor* bias,
                              Activation activation, std::int64_t row, std::int64_t column) {
  const auto k = a.shape()[1];
  const auto n = b.shape()[1];
  std::int64_t sum = bias == nullptr ? 0 : bias->data<std::int32_t>()[std::size_t(column)];
  for (std::int64_t i = 0; i < k; ++i) {
    sum += std::int64_t{a.data<std::int8_t>()[std::size_t(row * k + i)]} *
           b.data<std::int8_t>()[std::size_t(i * n + column)];
  }
  if (activation != Activation::kNone) sum = std::max<std::int64_t>(sum, 0);
  if (activation == Activation::kRelu6) sum = std::min<std::int64_t>(sum, 6);
  return sum;
}

TEST(OneCompilerTest, AddsABiasAndAnActivationToIntegerSums) {
  constexpr std::uint64_t kSeed = 2612;
  Random random(kSeed);
  for (int i = 0; i < 60; ++i) {
    Product product = random_product(random);
    product.config.dtype = ElementType::kInt8;
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", product " + std::to_string(i) + ": " +
                 describe(product));
    const graph::Graph graph = file_of(product, random);
    const auto constant = [&](std::string_view name) -> std::optional<Tensor> {
      const auto found = std::ranges::find(graph.values, name, &graph::Value::name);
      if (found == graph.values.end()) return std::nullopt;
      return found->constant->tensor();
    };
    const Tensor a = drawn<std::int8_t>(random, graph.type(graph.inputs.front()).shape);
    const Tensor b = *constant("weights");
    const auto bias = constant("addend");
    const runtime::NetworkRun run =
        runtime::run_network(compiled(graph, product.config), product.config, {{"image", a}}, {});
    const Tensor& out = run.outputs.at("scores");
    ASSERT_EQ(out.type(), DataType::kInt32);
    for (std::int64_t row = 0; row < a.shape()[0]; ++row) {
      for (std::int64_t column = 0; column < b.shape()[1]; ++column) {
        ASSERT_EQ(
            out.data<std::int32_t>()[std::size_t(row * b.shape()[1] + column)],
            expected_element(a, b, bias ? &*bias : nullptr, product.spec.activation, row, column))
            << row << ", " << column;
      }
    }
  }
}

}  // namespace
}  // namespace weft::compiler::testing
