// Concat, Split and Gather: they copy whole blocks of adjacent elements.
#include <cstring>

#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/kernels.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::NodeCall;
using graph::Tensor;

// Bytes of one step of the view's outer loop.
std::size_t block_bytes(const AxisView& view, const Tensor& tensor) {
  return static_cast<std::size_t>(view.extent * view.inner) * graph::size_bytes(tensor.type());
}

// std::memcpy that accepts the null pointers of empty tensors.
void copy_bytes(std::byte* to, const std::byte* from, std::size_t count) {
  if (count != 0) std::memcpy(to, from, count);
}

// Offsets in bytes of the gathered blocks along the axis.
std::vector<std::size_t> gathered_offsets(const Tensor& indices, std::int64_t extent,
                                          std::size_t bytes) {
  std::vector<std::size_t> offsets;
  for (const std::int64_t index : graph::to_int64(indices)) {
    offsets.push_back(static_cast<std::size_t>(checked_index(index, extent)) * bytes);
  }
  return offsets;
}

std::vector<Tensor> evaluate_concat(const NodeCall& call) {
  Tensor result(call.outputs[0]);
  const std::int64_t axis = axis_of(call, 0, result.rank());
  const AxisView whole = view_along(result.shape(), axis);
  const std::size_t stride = block_bytes(whole, result);
  std::byte* out = result.mutable_bytes().data();
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor& part = input(call, i);
    check_type(part, result.type());
    const std::size_t bytes = block_bytes(view_along(part.shape(), axis), part);
    for (std::size_t o = 0; o < static_cast<std::size_t>(whole.outer); ++o) {
      copy_bytes(out + o * stride, part.bytes().data() + o * bytes, bytes);
    }
    out += bytes;
  }
  return {result};
}

std::vector<Tensor> evaluate_split(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const std::int64_t axis = axis_of(call, 0, x.rank());
  const std::size_t stride = block_bytes(view_along(x.shape(), axis), x);
  const std::byte* in = x.bytes().data();
  std::vector<Tensor> results;
  for (const graph::ValueType& type : call.outputs) {
    Tensor part(type);
    const AxisView view = view_along(part.shape(), axis);
    const std::size_t bytes = block_bytes(view, part);
    std::byte* out = part.mutable_bytes().data();
    for (std::size_t o = 0; o < static_cast<std::size_t>(view.outer); ++o) {
      copy_bytes(out + o * bytes, in + o * stride, bytes);
    }
    in += bytes;
    results.push_back(std::move(part));
  }
  return results;
}

std::vector<Tensor> evaluate_gather(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const AxisView view = view_along(x.shape(), axis_of(call, 0, x.rank()));
  const std::size_t stride = block_bytes(view, x);
  const std::size_t bytes = static_cast<std::size_t>(view.inner) * graph::size_bytes(x.type());
  const auto offsets = gathered_offsets(input(call, 1), view.extent, bytes);
  Tensor result(call.outputs[0]);
  std::byte* out = result.mutable_bytes().data();
  for (std::size_t o = 0; o < static_cast<std::size_t>(view.outer); ++o) {
    const std::byte* block = x.bytes().data() + o * stride;
    for (const std::size_t offset : offsets) {
      copy_bytes(out, block + offset, bytes);
      out += bytes;
    }
  }
  return {result};
}

}  // namespace

Kernels joining_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kConcat, evaluate_concat},
      {Op::kSplit, evaluate_split},
      {Op::kGather, evaluate_gather},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
