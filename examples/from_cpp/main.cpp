// Weft as a library: a product, a network and a step of training. Prints cycles and values.
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/schedule/product/product_graph.h"
#include "models/data/digits8x8.h"
#include "models/networks/networks.h"
#include "models/networks/sample_inputs.h"
#include "models/training/trainer.h"
#include "runtime/compile.h"
#include "runtime/network_check.h"
#include "runtime/network_runner.h"
#include "runtime/network_timing.h"
#include "runtime/sim_backend.h"
#include "sim/config/config_keys.h"
#include "sim/memory/tensor_memory.h"
#include "sim/simulate.h"

namespace {

using namespace weft;

/// The one program of a network without host nodes, such as that of a product.
const Program& only_program(const runtime::CompiledNetwork& compiled) {
  return std::get<compiler::MachineStep>(compiled.program.steps.front()).program;
}

Matrix int8_matrix(std::uint64_t rows, std::uint64_t cols, const std::vector<int>& values) {
  Matrix matrix(ElementType::kInt8, rows, cols);
  for (std::uint64_t i = 0; i < rows * cols; ++i) {
    matrix.set(i / cols, i % cols, static_cast<std::int8_t>(values[i]));
  }
  return matrix;
}

/// [1 2 3; 4 5 6] times [7 8; 9 10; 11 12] on a 4 x 4 array.
void small_product(Engine engine) {
  const MachineConfig machine = load_preset("tiny");
  const graph::Graph product = compiler::product_graph({.m = 2, .k = 3, .n = 2}, machine.dtype);
  const runtime::CompiledNetwork compiled = runtime::compile(product, machine);
  const Program& program = only_program(compiled);
  const Matrix a = int8_matrix(2, 3, {1, 2, 3, 4, 5, 6});
  const Matrix b = int8_matrix(3, 2, {7, 8, 9, 10, 11, 12});
  Matrix out(ElementType::kInt32, 2, 2);
  TensorMemory memory(program);
  memory.bind("a", a);
  memory.bind("b", b);
  memory.bind_result("out", out);
  const Result result = simulate(machine, program, &memory, {.engine = engine});
  std::cout << "product on engine " << to_string(engine) << ": " << out.at<std::int32_t>(0, 0)
            << ' ' << out.at<std::int32_t>(0, 1) << ' ' << out.at<std::int32_t>(1, 0) << ' '
            << out.at<std::int32_t>(1, 1) << ", array span " << result.array_span << " cycles\n";
}

/// A large product, without values: the engine `analytic` only counts cycles.
void large_product() {
  const MachineConfig machine = load_preset("tpu-v2");
  const MatmulSpec sizes = {.m = 1000, .k = 1000, .n = 1000};
  const graph::Graph product = compiler::product_graph(sizes, machine.dtype);
  const runtime::CompiledNetwork compiled = runtime::compile(product, machine);
  const Program& program = only_program(compiled);
  const Result result = simulate(machine, program, nullptr, {.engine = Engine::kAnalytic});
  std::cout << "1000 x 1000 x 1000 on tpu-v2: " << result.total << " cycles\n";
}

/// A product of 50 million instructions. Nothing holds them.
void long_product() {
  const MachineConfig machine = load_preset("tpu-v2");
  const MatmulSpec sizes = {.m = 200, .k = 2'147'483'648, .n = 111};
  const graph::Graph product = compiler::product_graph(sizes, machine.dtype);
  const runtime::NetworkSchedule scheduled = runtime::schedule(product, machine);
  const runtime::NetworkRun timed = runtime::time_network(scheduled.network, machine);
  std::cout << "200 x 2^31 x 111 on tpu-v2: rows enter the array in " << timed.ledger.array_active
            << " cycles\n";
}

/// LeNet-5 on drawn digits, layer by layer, compared with the CPU reference.
void whole_network(const std::filesystem::path& machine_file) {
  const MachineConfig machine = load_machine(machine_file.string());
  const graph::Graph graph = networks::build_network("lenet5");
  const runtime::NamedTensors inputs = networks::sample_inputs(graph, 1);
  const runtime::CompiledNetwork compiled = runtime::compile(graph, machine, &inputs);
  const runtime::NetworkRunOptions keep = {.keep_results = true};
  const runtime::NetworkRun run = runtime::run_network(compiled.program, machine, inputs, keep);
  for (const runtime::LayerRun& layer : run.layers) {
    std::cout << "  " << layer.info.name << ": " << layer.cycles << " cycles\n";
  }
  const runtime::NetworkCheck check =
      runtime::check_network(compiled.program, machine, inputs, run);
  std::cout << "lenet5 on " << machine.name << ": " << run.total << " cycles, "
            << check.mismatch.value_or("equal to the reference within rounding") << '\n';
}

/// Ten steps of training on the machine: forward, backward and update.
void training_steps() {
  const graph::Graph network = networks::build_network("digits-mlp", {.batch = 32, .seed = 1});
  const data::Dataset digits = data::digits8x8();
  runtime::SimBackend machine(load_preset("tpu-v2"), {.engine = Engine::kFast});
  const training::Backend backend = [&](training::PassGraph graph) {
    return machine.prepare(std::move(graph));
  };
  const training::TrainerOptions settings = {.optimizer = {.learning_rate = 0.05, .momentum = 0.9}};
  training::Trainer trainer(network, digits, settings, backend);
  for (int step = 1; step <= 10; ++step) {
    const double loss = trainer.step();
    if (step == 1 || step == 10) std::cout << "loss of step " << step << ": " << loss << '\n';
  }
  std::cout << "digits-mlp on tpu-v2: " << machine.step_cost().total << " cycles a step\n";
}

}  // namespace

/// Usage: from_cpp [MACHINE.ini]
int main(int count, char** words) {
  try {
    small_product(Engine::kFast);
    small_product(Engine::kStepped);
    large_product();
    long_product();
    whole_network(count > 1 ? words[1] : "examples/small-tpu.ini");
    training_steps();
  } catch (const std::exception& error) {
    std::cerr << "from_cpp: " << error.what() << '\n';
    return 1;
  }
}
