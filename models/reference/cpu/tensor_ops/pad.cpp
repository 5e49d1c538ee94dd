// Pad: each dimension has a map from result positions to input positions, or to kConstant for the
// constant. Negative pads remove elements.
//
//   input a b c d, 2 before and 3 after     constant  0 0 a b c d 0 0 0
//                                           edge      a a a b c d d d d
//                                           reflect   c b a b c d c b a
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "models/reference/cpu/tensor_ops/call.h"
#include "models/reference/cpu/tensor_ops/kernels.h"
#include "models/reference/cpu/tensor_ops/raw.h"

namespace weft::reference::tensor_ops {
namespace {

using graph::NodeCall;
using graph::Shape;
using graph::Tensor;

constexpr std::int64_t kConstant = -1;

// The input position that supplies `position`, which may be outside the input.
using Rule = std::int64_t (*)(std::int64_t position, std::int64_t extent);

std::int64_t constant_rule(std::int64_t position, std::int64_t extent) {
  return position >= 0 && position < extent ? position : kConstant;
}

std::int64_t edge_rule(std::int64_t position, std::int64_t extent) {
  return std::clamp(position, std::int64_t{0}, extent - 1);
}

// Walks back and forth between the ends without repeating them: the period is 2 * (extent - 1).
std::int64_t reflect_rule(std::int64_t position, std::int64_t extent) {
  if (extent == 1) return 0;
  const std::int64_t period = 2 * (extent - 1);
  const std::int64_t phase = (position % period + period) % period;
  return std::min(phase, period - phase);
}

Rule rule_of(const NodeCall& call) {
  const std::string mode = call.attributes.text("mode", "constant");
  if (mode == "constant") return constant_rule;
  if (mode == "edge") return edge_rule;
  if (mode == "reflect") return reflect_rule;
  throw InputError(fmt::format("attribute mode: '{}' must be constant, edge or reflect", mode));
}

// Pads before each dimension. The result's shape determines those after it.
Shape pads_before(const NodeCall& call, const Tensor& x) {
  const Shape pads = graph::to_int64(input(call, 1));
  const Tensor* given = optional_input(call, 3);
  Shape before(x.shape().size(), 0);
  Shape axes;
  for (std::int64_t d = 0; given == nullptr && d < x.rank(); ++d) axes.push_back(d);
  if (given != nullptr) axes = graph::to_int64(*given);
  if (pads.size() != 2 * axes.size()) {
    throw InputError(fmt::format("{} pads where {} are expected", pads.size(), 2 * axes.size()));
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    before[static_cast<std::size_t>(graph::normalized_axis(axes[i], x.rank()))] = pads[i];
  }
  return before;
}

/// For each position along one dimension the input offset in elements, or kConstant.
using OffsetMap = std::vector<std::int64_t>;

std::vector<OffsetMap> offset_maps(const NodeCall& call, const Tensor& x) {
  const Rule rule = rule_of(call);
  const Shape before = pads_before(call, x);
  const Shape strides = graph::row_major_strides(x.shape());
  const Shape& shape = call.outputs[0].shape;
  std::vector<OffsetMap> maps(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (x.shape()[d] == 0 && shape[d] > 0 && rule != constant_rule) {
      throw InputError("an empty dimension has no elements to pad with");
    }
    for (std::int64_t i = 0; i < shape[d]; ++i) {
      const std::int64_t position = rule(i - before[d], x.shape()[d]);
      maps[d].push_back(position == kConstant ? kConstant : position * strides[d]);
    }
  }
  return maps;
}

// Fills the block of the result from dimension d inward, except its constant parts, which are
// already filled.
template <class R>
class Padder {
 public:
  Padder(const std::vector<OffsetMap>& maps, const Shape& strides, const R* in)
      : maps_(maps), strides_(strides), in_(in) {}

  void fill(std::size_t d, std::int64_t offset, R* out) const {
    if (d == maps_.size()) {
      *out = in_[offset];
      return;
    }
    for (const std::int64_t step : maps_[d]) {
      if (step != kConstant) fill(d + 1, offset + step, out);
      out += strides_[d];
    }
  }

 private:
  const std::vector<OffsetMap>& maps_;
  const Shape& strides_;  // of the result
  const R* in_;
};

// The constant in the input's type; 0 if it is left out.
Tensor constant_of(const NodeCall& call, const Tensor& x) {
  const Tensor* value = optional_input(call, 2);
  if (value == nullptr) return Tensor(x.type(), {});
  check_type(*value, x.type());
  if (value->size() != 1) throw InputError("input 2 (constant_value) must be a scalar");
  return *value;
}

std::vector<Tensor> evaluate_pad(const NodeCall& call) {
  const Tensor& x = input(call, 0);
  const Tensor constant = constant_of(call, x);
  Tensor result(call.outputs[0]);
  if (result.size() == 0) return {result};
  const std::vector<OffsetMap> maps = offset_maps(call, x);
  const Shape strides = graph::row_major_strides(result.shape());
  with_raw(x.type(), [&]<class R>(R) {
    R* out = mutable_raw_data<R>(result);
    std::fill_n(out, result.size(), *raw_data<R>(constant));
    Padder<R>(maps, strides, raw_data<R>(x)).fill(0, 0, out);
  });
  return {result};
}

}  // namespace

Kernels pad_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kPad, evaluate_pad},
  });
  return kKernels;
}

}  // namespace weft::reference::tensor_ops
