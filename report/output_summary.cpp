#include "report/output_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/printable.h"
#include "compiler/rows/elements.h"
#include "report/text.h"

namespace weft::report {
namespace {

using graph::Tensor;
using Scalar = OutputSummary::Scalar;

Scalar number(float value) {
  return value;
}
Scalar number(double value) {
  return value;
}
Scalar number(graph::Half value) {
  return compiler::as_float(value);
}
template <class T>
Scalar number(T value) {
  if constexpr (std::is_unsigned_v<T>) {
    return std::uint64_t{value};
  } else {
    return std::int64_t{value};
  }
}

bool is_finite(const Scalar& value) {
  return std::visit([](auto element) { return std::isfinite(static_cast<double>(element)); },
                    value);
}

bool is_nan(const Scalar& value) {
  return std::visit([](auto element) { return std::isnan(static_cast<double>(element)); }, value);
}

/// Calls function(i, element) for each element.
template <class Function>
void for_each_element(const Tensor& tensor, Function&& function) {
  graph::with_type(tensor.type(), [&]<class T>(T) {
    const auto values = tensor.data<T>();
    for (std::size_t i = 0; i < values.size(); ++i) function(i, number(values[i]));
  });
}

void add_range(const Tensor& tensor, OutputSummary& summary) {
  for_each_element(tensor, [&](std::size_t, const Scalar& value) {
    if (!is_finite(value)) {
      ++summary.not_finite;
      return;
    }
    if (!summary.range) summary.range.emplace(value, value);
    summary.range->first = std::min(summary.range->first, value);
    summary.range->second = std::max(summary.range->second, value);
  });
}

/// The index of the first largest element in each row; -1 for a row with NaN.
std::vector<std::int64_t> tops(const Tensor& tensor) {
  const auto classes = static_cast<std::size_t>(tensor.shape()[1]);
  std::vector<std::int64_t> top(static_cast<std::size_t>(tensor.shape()[0]), 0);
  std::vector<Scalar> largest(top.size());
  for_each_element(tensor, [&](std::size_t i, const Scalar& value) {
    const std::size_t row = i / classes;
    const std::size_t column = i % classes;
    if (column == 0) largest[row] = value;
    if (is_nan(value)) top[row] = -1;
    if (top[row] < 0 || !(value > largest[row])) return;
    largest[row] = value;
    top[row] = static_cast<std::int64_t>(column);
  });
  return top;
}

bool has_answers(const graph::ValueType& type) {
  return graph::is_float(type.type) && type.shape.size() == 2 && type.shape[1] > 1;
}

OutputSummary summarize(const std::string& name, const Tensor& tensor) {
  OutputSummary summary;
  summary.name = name;
  summary.type = tensor.value_type();
  if (tensor.type() != graph::DataType::kBool) add_range(tensor, summary);
  if (has_answers(summary.type)) summary.top = tops(tensor);
  return summary;
}

std::string text_of(const Scalar& value) {
  return std::visit(
      [](auto element) {
        if constexpr (std::is_floating_point_v<decltype(element)>) {
          return fmt::format("{:.6g}", without_nan_sign(element));
        } else {
          return fmt::format("{}", element);
        }
      },
      value);
}

nlohmann::ordered_json json_of(const Scalar& value) {
  return std::visit([](auto element) { return nlohmann::ordered_json(element); }, value);
}

}  // namespace

std::vector<OutputSummary> summarize_outputs(const runtime::NamedTensors& outputs) {
  std::vector<OutputSummary> summaries;
  for (const auto& [name, tensor] : outputs) summaries.push_back(summarize(name, tensor));
  return summaries;
}

std::string output_line(const OutputSummary& output) {
  std::string line = fmt::format("{} {}", printable(output.name), to_string(output.type));
  if (output.range) {
    line +=
        fmt::format(" from {} to {}", text_of(output.range->first), text_of(output.range->second));
  }
  if (output.not_finite > 0) {
    line += fmt::format(", {} not finite", counted(output.not_finite, "element"));
  }
  constexpr std::size_t kMostTops = 8;
  if (!output.top.empty()) {
    const auto shown = std::min(output.top.size(), kMostTops);
    line += ", top";
    for (std::size_t i = 0; i < shown; ++i) {
      line += output.top[i] < 0 ? " none" : fmt::format(" {}", output.top[i]);  // none: all NaN
    }
    if (shown < output.top.size()) line += " ..";
  }
  return line;
}

nlohmann::ordered_json outputs_json(const std::vector<OutputSummary>& outputs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const OutputSummary& output : outputs) {
    nlohmann::ordered_json low = nullptr;
    nlohmann::ordered_json high = nullptr;
    if (output.range) {
      low = json_of(output.range->first);
      high = json_of(output.range->second);
    }
    list.push_back({{"name", output.name},
                    {"type", to_string(output.type.type)},
                    {"shape", output.type.shape},
                    {"min", std::move(low)},
                    {"max", std::move(high)},
                    {"not_finite", output.not_finite},
                    {"top", output.top}});
  }
  return list;
}

}  // namespace weft::report
