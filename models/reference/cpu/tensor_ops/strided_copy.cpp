#include "models/reference/cpu/tensor_ops/strided_copy.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/reference/cpu/tensor_ops/raw.h"
#include "models/reference/cpu/tensor_ops/strided_loop.h"
#include "sim/config/error.h"

namespace weft::reference::tensor_ops {
namespace {

template <class R>
void copy_rows(const R* in, const StridedLoop<1>& loop, R* out) {
  const std::int64_t length = loop.row_length();
  const std::int64_t step = loop.steps()[0];
  loop.for_each_row([&](const auto& at) {
    const R* row = in + at[0];
    if (step == 1) {
      std::copy_n(row, length, out);
    } else if (step == 0) {
      std::fill_n(out, length, *row);
    } else {
      for (std::int64_t i = 0; i < length; ++i) out[i] = row[i * step];
    }
    out += length;
  });
}

}  // namespace

graph::Tensor copy_view(const graph::Tensor& tensor, const View& view, const graph::Shape& shape) {
  if (graph::element_count(view.extents) != graph::element_count(shape)) {
    throw InputError(fmt::format("{} elements do not make a result of shape {}",
                                 graph::element_count(view.extents), graph::to_string(shape)));
  }
  graph::Tensor result(tensor.type(), shape);
  const StridedLoop<1> loop(view.extents, {view.strides}, {view.start});
  with_raw(tensor.type(),
           [&]<class R>(R) { copy_rows(raw_data<R>(tensor), loop, mutable_raw_data<R>(result)); });
  return result;
}

}  // namespace weft::reference::tensor_ops
