// The CPU reference as a device of the interpreter (models/execution/interpreter.h): values are
// tensors, nodes are computed by evaluate().
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "models/execution/graph_device.h"

namespace weft::reference {

struct CpuDeviceOptions {
  /// Every float16 and float32 value, constants included, is float64 instead. Only operands that
  /// ONNX defines for float32 alone (scales, quantized inputs, dequantized outputs) are computed in
  /// float32.
  bool double_precision = false;
  /// Constants stay for the next run. Otherwise each is dropped after its last use and made again.
  bool keep_constants = false;
  /// Values stay until the device is gone, whatever uses are left; only constants are dropped.
  bool keep_values = false;
};

class CpuDevice final : public execution::GraphDevice {
 public:
  /// `graph` must outlive the device.
  explicit CpuDevice(const graph::Graph& graph, CpuDeviceOptions options = {});

  void set(graph::ValueId id, const graph::Tensor& tensor) override;
  graph::Tensor get(graph::ValueId id) override;
  void run(const graph::Node& node, const execution::Observer& observer) override;
  void drop(graph::ValueId id) override { values_[id].reset(); }
  bool keeps(graph::ValueId id) const override;
  graph::DataType held_type(graph::DataType type) const override;

  /// All values but constants, which the device then no longer has.
  std::map<graph::ValueId, graph::Tensor> take_values();

 private:
  graph::Tensor in_held_type(const graph::Tensor& tensor) const;
  const graph::Tensor& value(graph::ValueId id);
  graph::Tensor operand(const graph::Node& node, std::size_t i);
  std::vector<graph::Tensor> results(const graph::Node& node);

  const graph::Graph& graph_;
  const CpuDeviceOptions options_;
  std::vector<std::optional<graph::Tensor>> values_;
};

}  // namespace weft::reference
