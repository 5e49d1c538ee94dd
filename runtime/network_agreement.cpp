#include "runtime/network_agreement.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace weft::runtime {
namespace {

double quotient(double error, double value) {
  return value > 0 ? error / value : error;
}

void add_errors(std::span<const float> expected, std::span<const float> actual,
                OutputAgreement& output) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double value = std::abs(double{expected[i]});
    const double error = std::abs(double{actual[i]} - double{expected[i]});
    // No comparison with NaN is true, so a NaN stays the largest error.
    if (std::isnan(error) || error > output.largest_error) output.largest_error = error;
    output.largest_value = std::max(output.largest_value, value);
    output.error_sum += error;
    output.value_sum += value;
  }
}

void add_tops(std::span<const float> expected, std::span<const float> actual, std::size_t classes,
              OutputAgreement& output) {
  const auto top = [](std::span<const float> row) {
    return std::ranges::max_element(row) - row.begin();
  };
  for (std::size_t at = 0; at < expected.size(); at += classes) {
    ++output.rows;
    if (top(expected.subspan(at, classes)) == top(actual.subspan(at, classes))) ++output.same_top;
  }
}

}  // namespace

double OutputAgreement::max_relative_error() const {
  return quotient(largest_error, largest_value);
}

double OutputAgreement::mean_relative_error() const {
  return quotient(error_sum, value_sum);
}

void Agreement::add(const NamedTensors& expected, const NamedTensors& actual) {
  for (const auto& [name, tensor] : expected) {
    if (tensor.type() != graph::DataType::kFloat32) continue;
    OutputAgreement& output = outputs_[name];
    const auto values = tensor.data<float>();
    const auto others = actual.at(name).data<float>();
    add_errors(values, others, output);
    const graph::Shape& shape = tensor.shape();
    if (shape.size() == 2 && shape[1] > 1) {
      add_tops(values, others, static_cast<std::size_t>(shape[1]), output);
    }
  }
}

}  // namespace weft::runtime
