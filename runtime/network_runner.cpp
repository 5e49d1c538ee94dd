#include "runtime/network_runner.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compiler/emit/weights.h"
#include "compiler/rows/elements.h"
#include "models/execution/interpreter.h"
#include "models/reference/cpu/cpu_device.h"
#include "models/reference/cpu/evaluate.h"
#include "runtime/layer_results.h"
#include "runtime/run_bounds.h"
#include "sim/analysis/events.h"
#include "sim/analysis/ledger.h"
#include "sim/memory/tensor_memory.h"
#include "sim/timing/analytic.h"

namespace weft::runtime {
namespace {

using graph::Tensor;
using graph::ValueId;

/// Converts the integers of a sheet (a tensor as a matrix) to the real numbers they represent.
Tensor dequantized(const Tensor& integers, const Quantization& quantization) {
  Tensor result(graph::DataType::kFloat32, integers.shape());
  const auto out = result.mutable_data<float>();
  const auto in = integers.data<std::int8_t>();
  const float scale = std::bit_cast<float>(quantization.scale);
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i] = static_cast<float>(std::int32_t{in[i]} - quantization.zero) * scale;
  }
  return result;
}

Tensor read_value(const Matrix& sheet, const compiler::HostValue& wanted,
                  const graph::ValueType& type) {
  if (!wanted.dequantized) return compiler::from_sheet(sheet, wanted.view, type);
  const Tensor integers =
      compiler::from_sheet(sheet, wanted.view, {graph::DataType::kInt8, type.shape});
  return dequantized(integers, wanted.quantization);
}

/// The matrices that a program loads from and stores to.
class StepMemory {
 public:
  /// `fixed` holds the matrices that never change, made by earlier runs, by tensor.
  StepMemory(const compiler::MachineStep& step, const graph::Graph& graph,
             reference::CpuDevice& values, std::map<std::size_t, Matrix>& fixed)
      : step_(step),
        graph_(graph),
        fixed_(fixed),
        memory_(step.program),
        matrices_(step.tensors.size()) {
    for (std::size_t i = 0; i < step.tensors.size(); ++i) bind(i, values);
  }

  TensorMemory& memory() { return memory_; }
  const Matrix& matrix(std::size_t tensor) const { return matrices_[tensor]; }

  void read_results(reference::CpuDevice& values) const {
    for (std::size_t i = 0; i < step_.tensors.size(); ++i) {
      for (const compiler::HostValue& wanted : step_.tensors[i].results) {
        values.set(wanted.value, read_value(matrices_[i], wanted, graph_.type(wanted.value)));
      }
    }
  }

 private:
  void bind(std::size_t index, reference::CpuDevice& values) {
    const TensorDecl& decl = step_.program.tensors[index];
    const compiler::HostTensor& tensor = step_.tensors[index];
    using Kind = compiler::HostTensor::Kind;
    if (tensor.kind == Kind::kResult) {
      matrices_[index] = Matrix(decl.type, decl.rows, decl.cols);
      memory_.bind_result(decl.name, matrices_[index]);
      return;
    }
    if (tensor.fixed) {
      const auto [made, is_new] = fixed_.try_emplace(index);
      if (is_new) made->second = tensor.make();
      return memory_.bind(decl.name, made->second);
    }
    if (tensor.kind == Kind::kConstant) {
      matrices_[index] = tensor.make();
    } else if (decl.type == ElementType::kFloat32) {
      matrices_[index] =
          compiler::pack_words(values.get(tensor.value), static_cast<std::int64_t>(decl.cols));
    } else {
      matrices_[index] = compiler::to_sheet(
          values.get(tensor.value), tensor.view,
          {static_cast<std::int64_t>(decl.rows), static_cast<std::int64_t>(decl.cols)}, decl.type);
    }
    memory_.bind(decl.name, matrices_[index]);
  }

  const compiler::MachineStep& step_;
  const graph::Graph& graph_;
  std::map<std::size_t, Matrix>& fixed_;
  TensorMemory memory_;
  std::vector<Matrix> matrices_;
};

/// For each value, how often the nodes on the host use it.
std::vector<std::size_t> host_uses(const compiler::NetworkProgram& program) {
  std::vector<std::size_t> uses(program.graph.values.size());
  for (const auto& step : program.steps) {
    const auto* host = std::get_if<compiler::HostStep>(&step);
    if (host == nullptr) continue;
    for (const ValueId input : program.graph.nodes[host->node].inputs) {
      if (input != graph::kNoValue) ++uses[input];
    }
  }
  return uses;
}

}  // namespace

/// The part of a program's run that is the same in every run.
struct NetworkSession::StepRun {
  std::optional<Result> result = {};
  std::vector<LayerRun> layers = {};
  std::map<std::size_t, Matrix> constants = {};  // by tensor
};

/// One run of a session.
class SessionRun {
 public:
  explicit SessionRun(NetworkSession& session)
      : session_(session),
        program_(session.program_),
        config_(session.config_),
        options_(session.options_),
        host_(program_.graph, {.keep_values = true}),
        interpreter_(program_.graph, host_, {}, host_uses(program_)) {}

  NetworkRun run(const NamedTensors& inputs) {
    if (with_values()) interpreter_.begin(inputs);
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      if (const auto* host = std::get_if<compiler::HostStep>(&program_.steps[i])) {
        run_step(*host);
      } else {
        run_step(std::get<compiler::MachineStep>(program_.steps[i]), session_.steps_[i]);
      }
    }
    if (with_values()) {
      run_.outputs = interpreter_.outputs();
      for (auto& [value, tensor] : host_.take_values()) {
        run_.values.emplace(value, std::move(tensor));
      }
    }
    return std::move(run_);
  }

 private:
  using StepRun = NetworkSession::StepRun;

  bool with_values() const { return options_.simulate.engine != Engine::kAnalytic; }

  void run_step(const compiler::HostStep& step) {
    run_.layers.push_back(host_layer(program_.graph, step));
    if (!with_values()) return;
    const auto start = std::chrono::steady_clock::now();
    interpreter_.run_node(program_.graph.nodes[step.node]);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    run_.layers.back().host_seconds = taken.count();
  }

  void run_step(const compiler::MachineStep& step, StepRun& known) {
    std::optional<StepMemory> memory;
    if (with_values()) memory.emplace(step, program_.graph, host_, known.constants);
    SimulateOptions simulate_options = options_.simulate;
    std::optional<LayerResults> results;
    if (options_.keep_results) {
      results.emplace(step, config_);
      simulate_options.observe = [&](std::size_t instruction, const UnifiedBuffer& buffer) {
        results->done(instruction, buffer);
      };
    }
    if (known.result && has_kernels(options_.simulate.engine)) {
      simulate_values(config_, step.program, memory->memory(), simulate_options);
    } else {
      known.result =
          simulate(config_, step.program, memory ? &memory->memory() : nullptr, simulate_options);
      const std::size_t layers = step.layers.size();
      known.layers =
          layer_runs(step.layers,
                     ledgers_by_group(config_, step.program, known.result->timeline,
                                      step.instruction_layer, layers),
                     events_by_group(config_, step.program, known.result->timeline.pushes.size(),
                                     step.instruction_layer, layers),
                     critical_paths(config_, step.program, step.instruction_layer, layers));
    }
    if (memory && options_.record && run_.programs == 0) {
      run_.recording = record_array(config_, step.program, memory->memory(),
                                    options_.record(step.program, *known.result));
    }
    if (memory) memory->read_results(host_);
    if (results) keep(step, *results, *memory);
    add_program(run_, *known.result, known.layers);
    if (options_.keep_timelines) run_.timelines.push_back(known.result->timeline);
  }

  /// Keeps the results of the layers as the network's values.
  void keep(const compiler::MachineStep& step, LayerResults& results, const StepMemory& memory) {
    const auto matrix = [&](std::size_t tensor) -> const Matrix& { return memory.matrix(tensor); };
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      const compiler::LayerResult& layer = step.results[i];
      if (layer.value == graph::kNoValue || layer.rows.empty()) continue;
      const graph::ValueType& type = program_.graph.type(layer.value);
      const graph::ValueType seen{type.type, layer.lines.any() ? layer.view.shape() : type.shape};
      graph::Tensor value = compiler::from_sheet(results.sheet(i, matrix), layer.view, seen);
      if (layer.lines.any()) value = compiler::single_lines(value, type, layer.lines);
      run_.values.insert_or_assign(layer.value, std::move(value));
    }
  }

  NetworkSession& session_;
  const compiler::NetworkProgram& program_;
  const MachineConfig& config_;
  const NetworkRunOptions& options_;
  reference::CpuDevice host_;
  execution::Interpreter interpreter_;
  NetworkRun run_;
};

NetworkSession::NetworkSession(const compiler::NetworkProgram& program, const MachineConfig& config,
                               NetworkRunOptions options)
    : program_(program),
      config_(config),
      options_(std::move(options)),
      steps_(program.steps.size()) {}

NetworkSession::~NetworkSession() = default;

NetworkRun NetworkSession::run(const NamedTensors& inputs) {
  return SessionRun(*this).run(inputs);
}

NetworkRun run_network(const compiler::NetworkProgram& program, const MachineConfig& config,
                       const NamedTensors& inputs, const NetworkRunOptions& options) {
  NetworkRun run = NetworkSession(program, config, options).run(inputs);
  tell_apart(run.layers);
  add_bounds(run, program, config);
  return run;
}

}  // namespace weft::runtime
