#include "runtime/compare/measured_device.h"

#include <algorithm>
#include <cmath>

#include "pe/float_formats.h"
#include "runtime/compare/cpu_device.h"
#include "runtime/compare/cuda_device.h"

namespace weft::runtime {
namespace {

/// The elements of a floating-point tensor.
std::vector<double> as_doubles(const graph::Tensor& tensor) {
  std::vector<double> values;
  const auto take = [&values](auto elements, auto convert) {
    values.reserve(elements.size());
    for (const auto element : elements) values.push_back(convert(element));
  };
  const auto widened = [](auto value) { return static_cast<double>(value); };
  if (tensor.type() == graph::DataType::kFloat64) take(tensor.data<double>(), widened);
  if (tensor.type() == graph::DataType::kFloat32) take(tensor.data<float>(), widened);
  if (tensor.type() == graph::DataType::kFloat16) {
    take(tensor.data<graph::Half>(),
         [](graph::Half value) { return double{to_float(Fp16{value.bits})}; });
  }
  return values;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (std::isnan(difference) || difference > largest) largest = difference;
  }
  return largest;
}

}  // namespace

std::vector<std::string> measured_device_names() {
  return {"cpu", "cuda"};
}

MeasuredDevice open_measured_device(std::string_view name) {
  return name == "cpu" ? cpu_device() : cuda_device();
}

std::optional<double> largest_output_error(const NamedTensors& outputs, const NamedTensors& exact) {
  std::optional<double> largest;
  for (const auto& [name, tensor] : exact) {
    const auto found = outputs.find(name);
    if (!graph::is_float(tensor.type()) || found == outputs.end()) continue;
    const double error = largest_difference(as_doubles(found->second), as_doubles(tensor));
    if (!largest || std::isnan(error) || error > *largest) largest = error;  // NaN stays
  }
  return largest;
}

}  // namespace weft::runtime
