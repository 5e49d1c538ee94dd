// The CUDA backend: runs networks on a CUDA device, with the interface of the CPU reference
// (models/reference/cpu/run_graph.h).
//
//   inputs --upload--> device: cuBLAS products, kernels (bodies/) --download--> outputs
//                        |  ^
//                        v  |   operators that the device does not have
//                     CPU reference
//
// Values stay on the device between nodes, and constants stay from one run to the next. An input
// stays as long as the caller gives the same tensor (the same memory). Numerics: docs/gpu.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/execution/interpreter.h"
#include "models/reference/cuda/device/cuda_device.h"

namespace weft::cuda {

using execution::NamedTensors;

struct DeviceRunOptions {
  /// The arithmetic of MatMul, Gemm, Conv and ConvTranspose. Must not be kInt8, which is for
  /// integers.
  MatmulType matmul = MatmulType::kFloat32;

  /// Called after each node with its outputs in the node's order, without omitted ones. Copies
  /// every value to the processor's memory.
  execution::Observer observer = {};

  /// Keeps the constants on the device from one run to the next. Set it to false for constants that
  /// change between runs: then each run makes them again.
  bool keep_constants = true;
};

/// Runs a network on a device.
class DeviceGraphRunner {
 public:
  /// `graph` must outlive the runner and pass graph::check(). Throws InputError if the options ask
  /// for kInt8.
  DeviceGraphRunner(const graph::Graph& graph, std::shared_ptr<Device> device,
                    DeviceRunOptions options = {});
  DeviceGraphRunner(graph::Graph&& graph, std::shared_ptr<Device> device,
                    DeviceRunOptions options = {}) = delete;
  DeviceGraphRunner(const DeviceGraphRunner&) = delete;
  DeviceGraphRunner& operator=(const DeviceGraphRunner&) = delete;
  ~DeviceGraphRunner();

  /// Returns the graph's outputs by name, as reference::GraphRunner::run() does. Throws the same
  /// InputErrors, and `node 'NAME' (OP): out of GPU memory: ...`.
  NamedTensors run(const NamedTensors& inputs);

  /// The nodes that run on the CPU reference, as graph::node_label() names them.
  std::vector<std::string> cpu_nodes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs a network on the CUDA device of this computer.
class CudaGraphRunner : public DeviceGraphRunner {
 public:
  /// Throws InputError if there is no CUDA device, or if this build has no CUDA.
  explicit CudaGraphRunner(const graph::Graph& graph, DeviceRunOptions options = {})
      : DeviceGraphRunner(graph, make_cuda_device(), std::move(options)) {}
  explicit CudaGraphRunner(graph::Graph&& graph, DeviceRunOptions options = {}) = delete;
};

}  // namespace weft::cuda
