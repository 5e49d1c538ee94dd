// One node during its run on a device: its inputs there, and the results to fill.
#pragma once

#include <cstdint>

#include "compiler/graph/shapes/infer_outputs.h"
#include "models/reference/cuda/device/operands.h"
#include "models/reference/cuda/graph/values.h"

namespace weft::cuda {

class NodeRun {
 public:
  NodeRun(const graph::Graph& graph, const graph::Node& node, DeviceValues& values, Device& device,
          MatmulType matmul)
      : graph_(graph), node_(node), values_(values), device_(device), matmul_(matmul) {}

  const graph::Node& node() const { return node_; }
  const graph::Attributes& attributes() const { return node_.attributes; }
  Device& device() { return device_; }
  /// The arithmetic of products of float32 operands.
  MatmulType matmul() const { return matmul_; }

  std::size_t input_count() const { return node_.inputs.size(); }
  bool has(std::size_t i) const { return node_.input(i) != graph::kNoValue; }
  const graph::ValueType& type(std::size_t i) const { return graph_.type(node_.inputs[i]); }
  const graph::Shape& shape(std::size_t i) const { return type(i).shape; }
  std::int64_t count(std::size_t i) const { return graph::element_count(shape(i)); }
  /// Input `i` on the device; null if it is left out. T has the size of the input's elements.
  template <class T>
  const T* input(std::size_t i) {
    return has(i) ? elements_of<T>(values_.on_device(node_.inputs[i])) : nullptr;
  }
  /// Input `i` in the processor's memory.
  const graph::Tensor& host(std::size_t i) { return values_.on_host(node_.inputs[i]); }

  bool wants(std::size_t i) const {
    return i < node_.outputs.size() && node_.outputs[i] != graph::kNoValue;
  }
  const graph::Shape& result_shape(std::size_t i = 0) const {
    return graph_.type(node_.outputs[i]).shape;
  }
  graph::DataType result_type(std::size_t i = 0) const {
    return graph_.type(node_.outputs[i]).type;
  }
  std::int64_t result_count(std::size_t i = 0) const {
    return graph::element_count(result_shape(i));
  }
  /// The types of all outputs, including unused ones.
  std::vector<graph::ValueType> result_types() const { return output_types(graph_, node_); }
  /// New memory for output `i`; null if it is unused.
  template <class T>
  T* result(std::size_t i = 0) {
    if (!wants(i)) return nullptr;
    Memory memory = device_.allocate(result_count(i) * static_cast<std::int64_t>(sizeof(T)));
    T* elements = elements_of<T>(memory);
    values_.set(node_.outputs[i], std::move(memory));
    return elements;
  }
  /// Output `to` has the elements of input `from`.
  void share(std::size_t from, std::size_t to) {
    values_.share(node_.inputs[from], node_.outputs[to]);
  }

  void run(const Body& body, std::int64_t count) { device_.run(body, count); }

 private:
  const graph::Graph& graph_;
  const graph::Node& node_;
  DeviceValues& values_;
  Device& device_;
  MatmulType matmul_;
};

}  // namespace weft::cuda
