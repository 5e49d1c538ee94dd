// Optimizers in float32 on the vector unit: bit-exact with the CPU reference, on every engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "compiler/schedule/compile_update.h"
#include "models/reference/cpu/run_graph.h"
#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

using graph::Builder;
using graph::Graph;

/// A graph under construction with its inputs.
struct UpdateCase {
  Builder builder{"update"};
  runtime::NamedTensors inputs;

  ValueId input(const std::string& name, Tensor tensor) {
    const ValueId value = builder.input(name, tensor.value_type());
    inputs.insert_or_assign(name, std::move(tensor));
    return value;
  }
  ValueId number(const std::string& name, float value) {
    return input(name, Tensor::vector<float>({value}));
  }
};

/// velocity = momentum * velocity + (gradient + decay * p); p -= rate * velocity
void add_momentum(UpdateCase& update, const std::string& name, const Shape& shape,
                  const std::vector<ValueId>& numbers, Random& random) {
  Builder& b = update.builder;
  const ValueId p = update.input(name, random.reals(shape, 1));
  const ValueId gradient = update.input("gradient/" + name, random.reals(shape, 0.25F));
  const ValueId velocity = update.input("velocity/" + name, random.reals(shape, 0.5F));
  const ValueId decayed = b.add(Op::kAdd, {gradient, b.add(Op::kMul, {p, numbers[0]})});
  const ValueId moved = b.add(Op::kAdd, {b.add(Op::kMul, {numbers[1], velocity}), decayed});
  b.output(moved, "updated/velocity/" + name);
  // No optimizer has a scalar as first operand, but the compiler allows it.
  b.output(b.add(Op::kReciprocal, {b.add(Op::kSub, {numbers[2], p})}), "inverse/" + name);
  b.output(b.add(Op::kSub, {p, b.add(Op::kMul, {moved, numbers[2]})}), "updated/" + name);
}

/// Adam. The step's bias corrections are scalar inputs; one scalar is computed in the graph.
void add_adam(UpdateCase& update, const std::string& name, const Shape& shape,
              const std::vector<ValueId>& numbers, Random& random) {
  Builder& b = update.builder;
  const ValueId p = update.input(name, random.reals(shape, 1));
  const ValueId gradient = update.input("gradient/" + name, random.reals(shape, 0.25F));
  const ValueId first = update.input("moment1/" + name, random.reals(shape, 0.25F));
  Tensor squares = random.reals(shape, 0.25F);
  for (float& x : squares.mutable_data<float>()) x *= x;
  const ValueId second = update.input("moment2/" + name, squares);
  const ValueId one = b.constant(Tensor::scalar(1.0F));
  const auto mixed = [&](ValueId beta, ValueId old, ValueId now) {
    const ValueId rest = b.add(Op::kSub, {one, beta});
    return b.add(Op::kAdd, {b.add(Op::kMul, {beta, old}), b.add(Op::kMul, {rest, now})});
  };
  const ValueId m = mixed(numbers[0], first, gradient);
  const ValueId v = mixed(numbers[1], second, b.add(Op::kMul, {gradient, gradient}));
  const ValueId root = b.add(Op::kSqrt, {b.add(Op::kDiv, {v, numbers[3]})});
  const ValueId epsilon = b.constant(Tensor::scalar(1e-8F));
  const ValueId ratio =
      b.add(Op::kDiv, {b.add(Op::kMul, {m, numbers[2]}), b.add(Op::kAdd, {root, epsilon})});
  b.output(m, "updated/moment1/" + name);
  b.output(v, "updated/moment2/" + name);
  b.output(b.add(Op::kSub, {p, ratio}), "updated/" + name);
}

MachineConfig random_machine(Random& random) {
  MachineConfig config =
      random_layer_machine(random.one_of({ElementType::kBf16, ElementType::kFp16}), random);
  config.unified_buffer_kib = random.one_of<std::uint32_t>({4, 8, 512});
  return config;
}

Shape random_parameter(const MachineConfig& config, Random& random) {
  Shape shape(static_cast<std::size_t>(random.between(1, 4)));
  for (std::int64_t& extent : shape) extent = random.between(1, 5);
  shape[0] = size_about(config.array_cols, random);
  return shape;
}

void check_update(Random& random, Hits& hits) {
  MachineConfig config = random_machine(random);
  UpdateCase update;
  const bool adam = random.chance(50);
  std::vector<ValueId> numbers;
  for (const char* name : {"a", "b", "c", "d"}) {
    if (!adam && numbers.size() == 3) break;
    const auto thousandths = static_cast<float>(random.between(1, 999));
    numbers.push_back(update.number(name, thousandths / 1000));
  }
  const std::int64_t parameters = random.between(1, 3);
  for (std::int64_t i = 0; i < parameters; ++i) {
    const Shape shape = random_parameter(config, random);
    std::string name = "p";
    name += std::to_string(i);
    (adam ? add_adam : add_momentum)(update, name, shape, numbers, random);
    if (graph::element_count(shape) == 1) ++hits["one element"];
    if (graph::element_count(shape) % config.array_cols != 0) ++hits["last row in part"];
  }
  const NetworkProgram program = compile_update(update.builder.finish(), config);
  const runtime::NetworkRun run = run_everywhere(program, config, update.inputs);
  // Tolerance 0: tensors are compared element by element.
  EXPECT_EQ(run.outputs, reference::run_graph(program.graph, update.inputs));
  ++hits[adam ? "adam" : "momentum"];
  count_layers({program, run}, hits);
}

TEST(UpdateTest, OptimizersHaveTheBitsOfTheReferenceOnEveryEngine) {
  Hits hits;
  for_each_seed(hits, check_update);
  expect_hits(hits, {"adam", "momentum", "one element", "last row in part", "several chunks"}, 20);
}

TEST(UpdateTest, NumbersMayChangeWithoutCompilingAnew) {
  Random random(1);
  const MachineConfig config = small_machine(ElementType::kBf16, 8, 8);
  UpdateCase update;
  const ValueId p = update.input("p", random.reals({3, 7}, 1));
  update.builder.output(update.builder.add(Op::kMul, {update.number("rate", 0.1F), p}), "y");
  const NetworkProgram program = compile_update(update.builder.finish(), config);
  for (const float rate : {0.1F, 0.3F}) {
    update.inputs.insert_or_assign("rate", Tensor::vector<float>({rate}));
    const runtime::NetworkRun run = runtime::run_network(program, config, update.inputs, {});
    EXPECT_EQ(run.outputs, reference::run_graph(program.graph, update.inputs));
  }
}

TEST(UpdateTest, RefusesWhatItCannotRoundOnce) {
  UpdateCase update;
  const ValueId p = update.input("p", Tensor(DataType::kFloat32, {2}));
  update.builder.output(update.builder.add(Op::kExp, {p}, {}, "growth"), "y");
  const Graph graph = update.builder.finish();
  const MachineConfig config = small_machine(ElementType::kBf16, 8, 8);
  try {
    compile_update(graph, config);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "node 'growth' (Exp): an update has no such operator");
  }
}

TEST(UpdateTest, RefusesRowsThatAreBroadcast) {
  UpdateCase update;
  const ValueId p = update.input("p", Tensor(DataType::kFloat32, {2, 3}));
  const ValueId row = update.input("row", Tensor(DataType::kFloat32, {3}));
  update.builder.output(update.builder.add(Op::kAdd, {p, row}, {}, "add"), "y");
  EXPECT_THROW(compile_update(update.builder.finish(), small_machine(ElementType::kBf16, 8, 8)),
               InputError);
}

TEST(UpdateTest, RefusesAnInt8Machine) {
  UpdateCase update;
  const ValueId p = update.input("p", Tensor(DataType::kFloat32, {2}));
  update.builder.output(update.builder.add(Op::kNeg, {p}), "y");
  EXPECT_THROW(compile_update(update.builder.finish(), small_machine(ElementType::kInt8, 8, 8)),
               InputError);
}

}  // namespace
}  // namespace weft::compiler::testing
