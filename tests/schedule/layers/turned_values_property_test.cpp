// Chains of products whose inner results may lie turned, features in rows: the same bits as the
// usual way, and as the reference, in all engines.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/schedule/layers/layer_check.h"
#include "tests/schedule/machine_runs.h"

namespace weft::compiler::testing {
namespace {

using graph::Attributes;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

enum class User : std::uint8_t { kProduct, kResidual, kRows, kSum, kHost };

/// X W + bias, relu, doubled, then what `user` says. All numbers are small and whole.
void check_turned_values(Random& random, Hits& hits) {
  const ElementType dtype = random_float_type(random);
  MachineConfig machine = random_layer_machine(dtype, random);
  // With one slot each tile of weights waits for the one before, so the other way saves cycles.
  machine.weight_fifo_tiles = 1;
  machine.memory_kind = MemoryKind::kIdeal;
  machine.unified_buffer_kib = 64;
  const std::int64_t m = random.between(1, 2 * machine.array_cols);
  const std::int64_t k = random.between(1, 2 * machine.array_rows + 1);
  const std::int64_t n = random.between(1, 4 * machine.array_cols);
  const std::int64_t last = random.between(1, 3 * machine.array_cols);
  const bool leading = random.chance(50);
  const bool bias = random.chance(50);
  const bool doubled = random.chance(50);
  const auto user = static_cast<User>(random.between(0, 4));
  const auto shape = [&](std::int64_t columns) {
    return leading ? Shape{1, m, columns} : Shape{m, columns};
  };
  const Tensor x = random.tensor<float>(shape(k), -1, 1);
  const Tensor w = random.tensor<float>({k, n}, -1, 1);
  const Tensor offsets = random.tensor<float>({n}, -3, 3);
  const Tensor second = random.tensor<float>({n, last}, -1, 1);
  const Tensor residual = random.tensor<float>(shape(last), -9, 9);
  const Tensor addend = random.tensor<float>(shape(n), -9, 9);
  const SearchEffort effort = random_effort(random);
  Tensor straight;
  for (const bool turned : {false, true}) {
    LayerCase layer(dtype);
    std::vector<ValueId> inputs = {layer.through_machine(layer.input(x)), layer.constant(w)};
    if (bias) inputs.push_back(layer.constant(offsets));
    Attributes relu;
    relu.set("activation", std::string("Relu"));
    ValueId y = layer.builder.add(Op::kMatMul, inputs, relu);
    if (doubled) y = layer.builder.add(Op::kMul, {y, layer.constant(Tensor::scalar(2.0F))});
    bool narrow = false;
    if (user == User::kProduct) y = layer.builder.add(Op::kMatMul, {y, layer.constant(second)});
    if (user == User::kResidual) {
      y = layer.builder.add(Op::kMatMul,
                            {y, layer.constant(second), graph::kNoValue, layer.input(residual)});
    }
    if (user == User::kRows) {
      y = layer.builder.add(Op::kReduceMax, {y},
                            {{"axes", std::vector<std::int64_t>{leading ? 2 : 1}}});
      narrow = true;
    }
    if (user == User::kSum) {
      y = layer.builder.add(Op::kAdd, {y, layer.input(addend)});
      narrow = true;
    }
    if (user == User::kHost) {
      y = layer.builder.add(Op::kNeg, {y});
      narrow = true;
    }
    MappingOptions options;
    options.turned_values = turned;
    options.effort = effort;
    const LayerOutcome outcome = run_layer(layer, y, machine, options);
    EXPECT_TRUE(outcome.on_machine) << layer_table(outcome.program);
    expect_exact(outcome, layer, narrow);
    bool streams = false;
    bool turns_back = false;
    for (const LayerInfo& info : layers_of(outcome.program)) {
      streams = streams || info.note.find("the weights stream") != std::string::npos;
      turns_back = turns_back || info.note.find("rows of the identity") != std::string::npos;
    }
    if (!turned) {
      EXPECT_FALSE(turns_back) << layer_table(outcome.program);
      straight = outcome.result();
    } else {
      EXPECT_EQ(outcome.result(), straight);
      if (streams) ++hits["streams"];
      if (turns_back) ++hits["turned back"];
      if (streams && !turns_back) ++hits["read where it lies"];
      if (streams && bias) ++hits["bias"];
      if (streams && m > machine.array_cols) ++hits["several tiles of tokens"];
      const std::string users[] = {"product", "residual", "rows", "sum", "host"};
      if (streams) ++hits[users[static_cast<std::size_t>(user)]];
    }
    try_engines(outcome, layer, machine, random, hits);
  }
}

TEST(TurnedValuesPropertyTest, ResultsAreTheSameWhereverTheyLie) {
  Hits hits;
  for_each_seed(hits, check_turned_values);
  expect_hits(hits,
              {"streams", "turned back", "read where it lies", "bias", "several tiles of tokens",
               "product", "residual", "rows", "sum", "host", "engines"},
              8);
}

}  // namespace
}  // namespace weft::compiler::testing
