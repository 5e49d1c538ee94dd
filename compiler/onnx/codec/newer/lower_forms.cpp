// All steps down except those of Resize.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "compiler/graph/op.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/onnx/codec/newer/forms.h"
#include "compiler/onnx/codec/protobuf/tensor_proto.h"

namespace weft::onnx_io {
namespace {

using graph::Tensor;

/// The node passes its first input on.
void make_identity(NewerNode& node) {
  node.node.set_op_type("Identity");
  node.node.clear_attribute();
  node.drop_inputs_from(1);
}

/// A zero point of 0 with the scale's shape.
Tensor zeros_like_scale(const NewerNode& node, graph::DataType type) {
  return {type, node.shape(1)};
}

}  // namespace

void lower_reduction(NewerNode& node) {
  const bool none_means_none = node.take_integer("noop_with_empty_axes", 0) != 0;
  std::vector<std::int64_t> axes;
  if (node.has_input(1)) {
    axes = checked_axes(node.known_list(1, "axes"), graph::rank_of(node.shape(0)));
  }
  node.drop_inputs_from(1);
  if (!axes.empty()) {
    node.set_integers("axes", axes);
    return;
  }
  // Reductions that are made of several operators still take squares, logarithms and the like.
  if (none_means_none && graph::op_from_string(node.node.op_type())) return make_identity(node);
  if (none_means_none) node.set_integers("axes", {});
}

void lower_split(NewerNode& node) {
  if (!node.has_attribute("num_outputs")) {
    if (node.has_input(1)) return;
    throw InputError("needs either the input split or the attribute num_outputs");
  }
  const std::int64_t parts = node.take_integer("num_outputs", 0);
  if (node.has_input(1)) throw InputError("has both the input split and the attribute num_outputs");
  if (parts < 1) {
    throw InputError(fmt::format("attribute num_outputs: must be at least 1, not {}", parts));
  }
  if (parts != node.node.output_size()) {
    throw InputError(fmt::format("attribute num_outputs is {}, but the node has {} outputs", parts,
                                 node.node.output_size()));
  }
  std::int64_t axis = 0;
  for (const auto& attribute : node.node.attribute()) {
    if (attribute.name() == "axis") axis = attribute.i();
  }
  const graph::Shape& shape = node.shape(0);
  const std::int64_t extent =
      shape[static_cast<std::size_t>(graph::normalized_axis(axis, graph::rank_of(shape)))];
  const std::int64_t part = extent / parts + (extent % parts != 0 ? 1 : 0);
  const std::int64_t last = extent - part * (parts - 1);
  if (last < 0) {
    throw InputError(fmt::format("extent {} is too small for {} parts of {}", extent, parts, part));
  }
  std::vector<std::int64_t> split(static_cast<std::size_t>(parts), part);
  split.back() = last;
  node.set_input(1, Tensor::vector(split), "split");
}

void lower_pad(NewerNode& node) {
  if (!node.has_input(3)) return node.drop_inputs_from(3);
  const std::int64_t rank = graph::rank_of(node.shape(0));
  const std::vector<std::int64_t> axes = checked_axes(node.known_list(3, "axes"), rank);
  if (!node.has_input(1)) throw InputError("input 1 (pads) is missing");
  const std::vector<std::int64_t> pads = node.known_list(1, "pads");
  if (pads.size() != 2 * axes.size()) {
    throw InputError(
        fmt::format("input 1 (pads): {} numbers for {} axes", pads.size(), axes.size()));
  }
  std::vector<std::int64_t> all(static_cast<std::size_t>(2 * rank), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    all[static_cast<std::size_t>(axes[i])] = pads[i];
    all[static_cast<std::size_t>(rank + axes[i])] = pads[axes.size() + i];
  }
  node.drop_inputs_from(3);
  node.set_input(1, Tensor::vector(all), "pads");
}

void lower_average_pool(NewerNode& node) {
  const std::vector<std::int64_t> dilations = node.take_integers("dilations");
  if (std::ranges::all_of(dilations, [](std::int64_t each) { return each == 1; })) return;
  throw InputError("attribute dilations: only 1 is supported");
}

void lower_saturate(NewerNode& node) {
  node.take_integer("saturate", 1);
}

void lower_round_mode(NewerNode& node) {
  node.take_text("round_mode", "up");
}

void lower_block_size(NewerNode& node) {
  const std::int64_t size = node.take_integer("block_size", 0);
  if (size == 0) return;
  throw InputError(fmt::format(
      "attribute block_size: scales for blocks of {} elements are not supported", size));
}

void lower_quantized_type(NewerNode& node) {
  const std::int64_t number = node.take_integer("output_dtype", 0);
  if (number == 0) return;
  const graph::DataType type = data_type_of_onnx(number);
  if (!node.has_input(2)) {
    node.set_input(2, zeros_like_scale(node, type), "zero_point");
  } else if (node.builder.type(node.inputs[2]).type != type) {
    throw InputError(fmt::format("attribute output_dtype is {}, but input 2 (y_zero_point) is {}",
                                 graph::to_string(type),
                                 graph::to_string(node.builder.type(node.inputs[2]).type)));
  }
}

void lower_dequantized_type(NewerNode& node) {
  const std::int64_t number = node.take_integer("output_dtype", 0);
  if (number == 0 || number == ::onnx::TensorProto::FLOAT) return;
  throw InputError("attribute output_dtype: only float32 is supported");
}

void lower_precision(NewerNode& node) {
  const std::int64_t number = node.take_integer("precision", 0);
  if (number == 0 || number == ::onnx::TensorProto::FLOAT) return;
  throw InputError("attribute precision: only float32 is supported");
}

void lower_grid_sample(NewerNode& node) {
  const std::string mode = node.take_text("mode", "linear");
  node.set_text("mode", mode == "linear" ? "bilinear" : mode == "cubic" ? "bicubic" : mode);
}

void lower_range(NewerNode& node) {
  node.take_integer("stash_type", 1);
}

}  // namespace weft::onnx_io
