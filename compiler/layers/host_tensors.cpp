#include "compiler/layers/host_tensors.h"

#include <utility>

namespace weft::compiler {

HostTensor constant_tensor(std::function<Matrix()> make, bool fixed) {
  HostTensor tensor;
  tensor.kind = HostTensor::Kind::kConstant;
  tensor.make = std::move(make);
  tensor.fixed = fixed;
  return tensor;
}

HostTensor sheet_tensor(const Sheet& sheet) {
  HostTensor tensor;
  if (sheet.make) {
    tensor = constant_tensor(sheet.make, true);
  } else {
    tensor.kind = sheet.from_host ? HostTensor::Kind::kInput : HostTensor::Kind::kResult;
  }
  tensor.value = sheet.value;
  tensor.view = sheet.view;
  tensor.results = sheet.results;
  return tensor;
}

LayerInfo info_of(const Layer& layer) {
  LayerInfo info;
  info.name = layer.name;
  info.op = layer.op;
  info.result = layer.result;
  info.note = layer.note;
  info.macs = layer.macs;
  return info;
}

}  // namespace weft::compiler
