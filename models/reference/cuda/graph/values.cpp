#include "models/reference/cuda/graph/values.h"

#include <utility>

namespace weft::cuda {
namespace {

std::int64_t byte_count(const graph::ValueType& type) {
  return graph::element_count(type.shape) * static_cast<std::int64_t>(size_bytes(type.type));
}

}  // namespace

const graph::Tensor& DeviceValues::on_host(graph::ValueId id) {
  ValueCopies& value = values_[id];
  if (value.tensor) return *value.tensor;
  if (value.memory == nullptr) {  // only a constant can be missing
    return value.tensor.emplace(graph_.values[id].constant.value().tensor());
  }
  graph::Tensor tensor(graph_.type(id));
  device_.download(tensor.mutable_bytes().data(), value.memory.get(), byte_count(graph_.type(id)));
  return value.tensor.emplace(std::move(tensor));
}

const Memory& DeviceValues::on_device(graph::ValueId id) {
  ValueCopies& value = values_[id];
  if (value.memory != nullptr) return value.memory;
  const graph::Tensor& tensor = on_host(id);
  const std::int64_t bytes = byte_count(graph_.type(id));
  Memory memory = device_.allocate(bytes);
  device_.upload(memory.get(), tensor.bytes().data(), bytes);
  // A constant's maker has its elements or can make them again.
  if (graph_.is_constant(id)) value.tensor.reset();
  value.memory = std::move(memory);
  return value.memory;
}

void DeviceValues::set(graph::ValueId id, graph::Tensor tensor) {
  values_[id] = {std::move(tensor), nullptr};
}

void DeviceValues::set(graph::ValueId id, Memory memory) {
  values_[id] = {std::nullopt, std::move(memory)};
}

void DeviceValues::share(graph::ValueId from, graph::ValueId to) {
  ValueCopies& source = values_[from];
  if (source.memory == nullptr) {
    set(to, on_host(from).reshaped(graph_.type(to).shape));
  } else {
    set(to, source.memory);
  }
}

void DeviceValues::renew(graph::ValueId id, const graph::Tensor& tensor) {
  const std::optional<graph::Tensor>& last = values_[id].tensor;
  // The kept tensor shares these elements, so they cannot have been changed in place.
  if (last && last->bytes().data() == tensor.bytes().data() && last->shape() == tensor.shape()) {
    return;
  }
  set(id, tensor);
}

}  // namespace weft::cuda
