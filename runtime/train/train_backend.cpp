#include "runtime/train/train_backend.h"

#include <utility>

#include "compiler/onnx/located.h"
#include "models/reference/cuda/cuda_backend.h"
#include "models/training/cpu_backend.h"
#include "rtl/cosim/rtl_models.h"

namespace weft::runtime {
namespace {

TrainBackend simulated_backend(const TrainRequest& request, std::function<void(double)> progress) {
  if (request.engine == Engine::kRtl) prepare_rtl_array(request.machine);
  SimulateOptions options;
  options.engine = request.engine;
  options.threads = request.threads;
  auto machine = std::make_shared<SimBackend>(
      request.machine, options,
      compiler::MappingOptions{.effort = request.effort, .progress = std::move(progress)});
  return {[machine](training::PassGraph graph) { return machine->prepare(std::move(graph)); },
          machine};
}

cuda::MatmulType product_type(TrainType type) {
  switch (type) {
    case TrainType::kBf16:
      return cuda::MatmulType::kBf16;
    case TrainType::kFp16:
      return cuda::MatmulType::kFp16;
    case TrainType::kFloat32:
    case TrainType::kInt8:
      break;
  }
  return cuda::MatmulType::kFloat32;
}

/// A graph and its runner on the device. The runner refers to the graph.
struct OnDevice {
  OnDevice(graph::Graph network, std::shared_ptr<cuda::Device> device, TrainType type)
      : graph(std::move(network)),
        runner(graph, std::move(device), {.matmul = product_type(type)}) {}

  graph::Graph graph;
  cuda::DeviceGraphRunner runner;
};

TrainBackend cuda_backend(TrainType type) {
  const std::shared_ptr<cuda::Device> device =
      onnx_io::located("--backend cuda", [] { return cuda::make_cuda_device(); });
  return {[device, type](training::PassGraph pass) -> training::Executor {
    const auto prepared = std::make_shared<OnDevice>(std::move(pass.graph), device, type);
    return [prepared](const NamedTensors& inputs) { return prepared->runner.run(inputs); };
  }};
}

}  // namespace

std::map<std::string, std::uint64_t> TrainBackend::step_cycles() const {
  std::map<std::string, std::uint64_t> cycles;
  if (!simulated || simulated->costs().empty()) return cycles;
  const PassCost cost = simulated->step_cost();
  cycles["total"] = static_cast<std::uint64_t>(cost.total);
  for (const LedgerClass& entry : kLedgerClasses) {
    cycles[std::string(entry.name)] = static_cast<std::uint64_t>(cost.ledger.*entry.cycles);
  }
  return cycles;
}

TrainBackend make_train_backend(const TrainRequest& request, std::function<void(double)> progress) {
  switch (request.device) {
    case TrainDevice::kSim:
      return simulated_backend(request, std::move(progress));
    case TrainDevice::kCuda:
      return cuda_backend(request.type);
    case TrainDevice::kCpu:
      break;
  }
  return {training::prepare_on_cpu};
}

}  // namespace weft::runtime
