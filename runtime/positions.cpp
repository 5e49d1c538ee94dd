#include "runtime/positions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include "base/figures.h"
#include "compiler/rows/elements.h"

namespace weft::runtime {
namespace {

template <class T>
double as_real(T value) {
  if constexpr (std::is_same_v<T, graph::Half>) {
    return double{compiler::as_float(value)};
  } else {
    return static_cast<double>(value);
  }
}

}  // namespace

std::string position_text(std::size_t index, const graph::Shape& shape) {
  std::vector<std::size_t> position(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    position[axis] = index % static_cast<std::size_t>(shape[axis]);
    index /= static_cast<std::size_t>(shape[axis]);
  }
  return fmt::format("{}", fmt::join(position, ","));
}

std::optional<std::string> first_not_finite(const graph::Tensor& tensor) {
  if (!graph::is_float(tensor.type())) return std::nullopt;
  return graph::with_type(tensor.type(), [&]<class T>(T) -> std::optional<std::string> {
    const auto values = tensor.data<T>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double value = as_real(values[i]);
      if (std::isfinite(value)) continue;
      return fmt::format("element [{}] is {:.6g}", position_text(i, tensor.shape()),
                         without_nan_sign(value));
    }
    return std::nullopt;
  });
}

}  // namespace weft::runtime
