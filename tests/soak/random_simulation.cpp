#include "tests/soak/random_simulation.h"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"
#include "models/networks/sample_inputs.h"
#include "rtl/cosim/rtl_models.h"
#include "runtime/compile.h"
#include "runtime/network_check.h"
#include "runtime/network_runner.h"
#include "tests/machine/matmul_oracle.h"
#include "tests/machine/random_transfers.h"
#include "tests/machine/run_matmul.h"

namespace weft::soak {
namespace {

using testing::Random;

void require(bool holds, std::uint64_t seed, std::string_view what) {
  if (!holds) throw std::runtime_error(fmt::format("seed {}: {}", seed, what));
}

/// Half of the machines have an array that the build makes in SystemVerilog.
MachineConfig machine_of(Random& random) {
  MachineConfig machine = testing::random_machine(random);
  machine.array_rows = std::min(machine.array_rows, 8U);
  machine.array_cols = std::min(machine.array_cols, 8U);
  constexpr std::uint64_t kLeastRate = 1'000'000;  // bytes a second that a machine file may give
  machine.memory_bytes_per_s = std::max(machine.memory_bytes_per_s, kLeastRate);
  machine.host_bytes_per_s = std::max(machine.host_bytes_per_s, kLeastRate);
  if (random.chance(50)) machine.array_rows = machine.array_cols = random.chance(50) ? 4 : 8;
  return machine;
}

/// fast first, because the others are compared with it.
std::vector<Engine> engines_with_values(const MachineConfig& machine, Counts& counts) {
  std::vector<Engine> engines = {Engine::kFast, Engine::kTimed, Engine::kStepped};
  if (has_rtl_array(machine)) {
    engines.push_back(Engine::kRtl);
    ++counts.rtl;
  }
  return engines;
}

// --- Products ------------------------------------------------------------------------------------

MatmulSpec random_spec(Random& random) {
  MatmulSpec spec;
  spec.m = random.between(1, 24);
  spec.k = random.between(1, 24);
  spec.n = random.between(1, 24);
  spec.bias = random.chance(50);
  spec.activation = static_cast<Activation>(random.between(0, 2));
  return spec;
}

template <class Arithmetic>
void run_product(std::uint64_t seed, Random& random, MachineConfig machine, Counts& counts) {
  const MatmulSpec spec = random_spec(random);
  TilingPlan plan;
  try {
    plan = plan_matmul(spec, machine);
  } catch (const ConfigError&) {
    machine.unified_buffer_kib = 64;
    plan = plan_matmul(spec, machine);
  }
  plan = testing::with_random_transfers(plan, machine, random);
  const Program program = lower_matmul(plan, machine);
  const auto operands = testing::random_operands(spec, machine.dtype, random.chance(50), random);
  const Matrix expected = testing::oracle_matmul<Arithmetic>(
      operands.a, operands.b, spec.bias ? &operands.bias : nullptr, spec, machine.array_rows);
  const Result analytic = simulate(machine, program, nullptr, {Engine::kAnalytic, 1, {}});
  for (const Engine engine : engines_with_values(machine, counts)) {
    const auto run = testing::run_matmul(machine, program, operands, engine);
    require(run.result.timeline == analytic.timeline, seed, "another timeline");
    require(run.result.ledger == analytic.ledger, seed, "another ledger");
    require(run.out == expected, seed, "other values than the in-order loop");
  }
  ++counts.products;
}

// --- Networks ------------------------------------------------------------------------------------

graph::Tensor random_floats(const graph::Shape& shape, Random& random) {
  graph::Tensor tensor(graph::DataType::kFloat32, shape);
  for (float& value : tensor.mutable_data<float>()) {
    value = static_cast<float>(random.between(0, 64)) / 64 - 0.5F;
  }
  return tensor;
}

/// Two products with biases and a ReLU between them.
void add_perceptron(graph::Builder& builder, Random& random) {
  const std::int64_t inputs = random.between(1, 20);
  const std::int64_t hidden = random.between(1, 20);
  const std::int64_t outputs = random.between(1, 12);
  graph::ValueId x =
      builder.input("x", {graph::DataType::kFloat32, {random.between(1, 4), inputs}});
  const auto dense = [&](std::int64_t from, std::int64_t to) {
    x = builder.add(graph::Op::kGemm, {x, builder.constant(random_floats({from, to}, random)),
                                       builder.constant(random_floats({to}, random))});
  };
  dense(inputs, hidden);
  x = builder.add(graph::Op::kRelu, {x});
  dense(hidden, outputs);
  builder.output(x, "y");
}

/// A convolution with a ReLU over a small image.
void add_convolution(graph::Builder& builder, Random& random) {
  const std::int64_t channels = random.between(1, 4);
  const std::int64_t kernel = random.between(1, 3);
  const std::int64_t side = random.between(3, 6);
  const graph::ValueId x =
      builder.input("x", {graph::DataType::kFloat32, {1, channels, side, side}});
  const graph::ValueId weights =
      builder.constant(random_floats({random.between(1, 6), channels, kernel, kernel}, random));
  builder.output(builder.add(graph::Op::kRelu, {builder.add(graph::Op::kConv, {x, weights})}), "y");
}

void run_network(std::uint64_t seed, Random& random, MachineConfig machine, Counts& counts) {
  machine.unified_buffer_kib = std::max(machine.unified_buffer_kib, 16U);
  machine.accumulator_rows = std::max(machine.accumulator_rows, 64U);
  graph::Builder builder("soak");
  random.chance(50) ? add_perceptron(builder, random) : add_convolution(builder, random);
  graph::Graph graph = builder.finish();
  const runtime::NamedTensors inputs = networks::sample_inputs(graph, seed);
  const runtime::CompiledNetwork compiled = runtime::compile(std::move(graph), machine, &inputs);
  runtime::NetworkRunOptions options;
  options.simulate.engine = Engine::kAnalytic;
  const runtime::NetworkRun analytic = runtime::run_network(compiled.program, machine, {}, options);
  std::optional<runtime::NetworkRun> fast;
  for (const Engine engine : engines_with_values(machine, counts)) {
    options.simulate.engine = engine;
    options.keep_results = !fast;
    runtime::NetworkRun run = runtime::run_network(compiled.program, machine, inputs, options);
    require(run.total == analytic.total, seed, "another number of cycles");
    require(run.ledger == analytic.ledger, seed, "another ledger");
    if (!fast) {
      const auto check = runtime::check_network(compiled.program, machine, inputs, run);
      require(!check.mismatch, seed, check.mismatch.value_or(""));
      fast = std::move(run);
    } else {
      require(run.outputs == fast->outputs, seed, "other outputs");
    }
  }
  ++counts.networks;
}

}  // namespace

void run_random_simulation(std::uint64_t seed, Counts& counts) {
  constexpr std::uint32_t kNetworkPercent = 20;  // a network takes longer than a product
  Random random(seed);
  const MachineConfig machine = machine_of(random);
  if (random.chance(kNetworkPercent)) return run_network(seed, random, machine, counts);
  with_arithmetic(machine.dtype, [&]<class Arithmetic>(Arithmetic) {
    run_product<Arithmetic>(seed, random, machine, counts);
  });
}

std::uint64_t heap_bytes() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::uint64_t resident_bytes() {
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;  // in pages
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace weft::soak
