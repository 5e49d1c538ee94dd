#include "models/reference/cpu/tensor_ops/broadcast.h"

#include <fmt/format.h>

#include "base/error.h"

namespace weft::reference::tensor_ops {

graph::Shape broadcast_strides(const graph::Shape& input, const graph::Shape& output) {
  const auto refuse = [&] {
    throw InputError(fmt::format("shape {} does not broadcast to {}", graph::to_string(input),
                                 graph::to_string(output)));
  };
  if (input.size() > output.size()) refuse();
  const graph::Shape own = graph::row_major_strides(input);
  graph::Shape strides(output.size(), 0);
  const std::size_t missing = output.size() - input.size();
  for (std::size_t d = 0; d < input.size(); ++d) {
    if (input[d] == output[missing + d]) {
      strides[missing + d] = own[d];
    } else if (input[d] != 1) {
      refuse();
    }
  }
  return strides;
}

}  // namespace weft::reference::tensor_ops
