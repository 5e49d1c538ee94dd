#include "models/reference/cpu/tensor_ops/strided_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "models/reference/cpu/tensor_ops/raw.h"
#include "models/reference/cpu/tensor_ops/strided_loop.h"

namespace weft::reference::tensor_ops {
namespace {

// Copies rows with steps other than 0 and 1 in groups. If adjacent rows are adjacent in memory, as
// in a transposition, each fetched cache line serves the whole group.
template <class R>
class RowGroup {
 public:
  RowGroup(std::int64_t length, std::int64_t step, R* out)
      : length_(length), step_(step), out_(out) {}

  void add(const R* row) {
    rows_[count_++] = row;
    if (count_ == rows_.size()) flush();
  }

  void flush() {
    for (std::int64_t i = 0; i < length_; ++i) {
      R* to = out_ + i;
      for (std::size_t k = 0; k < count_; ++k, to += length_) *to = rows_[k][i * step_];
    }
    out_ += static_cast<std::int64_t>(count_) * length_;
    count_ = 0;
  }

 private:
  std::int64_t length_;
  std::int64_t step_;
  R* out_;
  std::array<const R*, 8> rows_{};
  std::size_t count_ = 0;
};

template <class R>
void copy_rows(const R* in, const StridedLoop<1>& loop, R* out) {
  const std::int64_t length = loop.row_length();
  const std::int64_t step = loop.steps()[0];
  if (step != 0 && step != 1) {
    RowGroup<R> group(length, step, out);
    loop.for_each_row([&](const auto& at) { group.add(in + at[0]); });
    group.flush();
    return;
  }
  loop.for_each_row([&](const auto& at) {
    const R* row = in + at[0];
    step == 1 ? std::copy_n(row, length, out) : std::fill_n(out, length, *row);
    out += length;
  });
}

}  // namespace

graph::Tensor copy_view(const graph::Tensor& tensor, const StridedView& view,
                        const graph::Shape& shape) {
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
