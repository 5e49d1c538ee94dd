// Operators that move elements, or choose some.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/printable.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/onnx/codec/composite/recipes.h"

namespace weft::onnx_io {

using graph::DataType;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;

namespace {

/// The shape of input 0, which must be an image [N, C, H, W].
Shape image_shape(const Assembly& node) {
  const Shape& shape = node.shape(node.input(0));
  if (shape.size() == 4) return shape;
  throw InputError(
      fmt::format("input 0: shape {} does not have 4 dimensions", graph::to_string(shape)));
}

std::int64_t block_size(const Assembly& node) {
  const std::int64_t size = node.attributes().integer("blocksize", 0);
  constexpr std::int64_t kMost = 1 << 20;  // so that its square cannot overflow
  if (size >= 1 && size <= kMost) return size;
  throw InputError(fmt::format("attribute blocksize: must be 1 to {}, not {}", kMost, size));
}

void require_divisible(std::int64_t extent, std::int64_t by, std::string_view what) {
  if (extent % by == 0) return;
  throw InputError(fmt::format("{} {} is not divisible by {}", what, extent, by));
}

std::int64_t diagonal(const Assembly& node) {
  if (!node.has(1)) return 0;
  const Tensor& k = node.known(1, "k");
  if (k.type() != DataType::kInt64 || k.size() != 1) {
    throw InputError("input 1 (k): must be one int64 number");
  }
  return k.data<std::int64_t>()[0];
}

ValueId zero_of(Assembly& node, DataType type) {
  return node.constant(Tensor(type, {}));
}

/// The elements that position i of the padded axis takes: (i - begin) modulo the extent.
Tensor wrapped_places(std::int64_t extent, std::int64_t begin, std::int64_t padded) {
  Tensor places(DataType::kInt64, {padded});
  std::int64_t at = (extent - begin % extent) % extent;
  for (std::int64_t& place : places.mutable_data<std::int64_t>()) {
    place = at;
    at = at + 1 == extent ? 0 : at + 1;
  }
  return places;
}

/// What a rotary embedding turns. x has its heads in dimension `heads` and its elements last.
struct Rotary {
  ValueId x = graph::kNoValue;
  std::int64_t heads = 1;
  std::int64_t rotated = 0;  // how many of the last dimension's elements turn
};

/// x as [batch, heads, sequence, elements], or [batch, sequence, heads, elements] if the file has
/// three dimensions.
Rotary rotary_of(Assembly& node) {
  Rotary rotary{node.input(0)};
  const Shape shape = node.shape(rotary.x);
  if (shape.size() == 3) {
    const std::int64_t heads = node.attributes().integer("num_heads", 0);
    if (heads < 1 || shape[2] % heads != 0) {
      throw InputError(
          fmt::format("attribute num_heads: {} does not divide {} elements", heads, shape[2]));
    }
    rotary.x = node.reshape(rotary.x, {shape[0], shape[1], heads, shape[2] / heads});
    rotary.heads = 2;
  } else if (shape.size() != 4) {
    throw InputError(fmt::format("input 0 (X): shape {} does not have 3 or 4 dimensions",
                                 graph::to_string(shape)));
  }
  const std::int64_t size = node.shape(rotary.x)[3];
  const std::int64_t given = node.attributes().integer("rotary_embedding_dim", 0);
  rotary.rotated = given == 0 ? size : given;
  if (rotary.rotated < 2 || rotary.rotated > size || rotary.rotated % 2 != 0) {
    throw InputError(fmt::format("{} of {} elements cannot turn in pairs", rotary.rotated, size));
  }
  return rotary;
}

/// Input `i`, cosines or sines, for each position and half of the rotated elements, aligned with x.
ValueId rotary_table(Assembly& node, const Rotary& rotary, std::size_t i, std::string_view name) {
  ValueId table = node.input(i);
  if (node.has(3)) table = node.add(Op::kGather, {table, node.input(3)});
  const Shape& x = node.shape(rotary.x);
  const Shape expected = {x[0], x[rotary.heads == 1 ? 2 : 1], rotary.rotated / 2};
  if (node.shape(table) != expected) {
    throw InputError(fmt::format("input {} ({}): {} for these positions, not {}", i, name,
                                 graph::to_string(node.shape(table)), graph::to_string(expected)));
  }
  Shape aligned = expected;
  aligned.insert(aligned.begin() + rotary.heads, 1);
  return node.reshape(table, aligned);
}

/// a cos - b sin and b cos + a sin, put together along `axis`.
ValueId turned(Assembly& node, ValueId a, ValueId b, ValueId cosine, ValueId sine,
               std::int64_t axis) {
  const auto times = [&](ValueId x, ValueId y) { return node.add(Op::kMul, {x, y}); };
  const ValueId first = node.add(Op::kSub, {times(a, cosine), times(b, sine)});
  const ValueId second = node.add(Op::kAdd, {times(b, cosine), times(a, sine)});
  return node.add(Op::kConcat, {first, second}, {{"axis", axis}});
}

ValueId turned_halves(Assembly& node, ValueId x, ValueId cosine, ValueId sine) {
  const std::int64_t size = node.shape(x)[3];
  return turned(node, node.slice(x, 3, 0, size / 2), node.slice(x, 3, size / 2, size), cosine, sine,
                3);
}

/// Pairs of neighbors turn: each is a row of two elements.
ValueId turned_neighbors(Assembly& node, ValueId x, ValueId cosine, ValueId sine) {
  const Shape shape = node.shape(x);
  const auto paired = [&](ValueId value, std::int64_t elements) {
    Shape pairs = node.shape(value);
    pairs.back() = pairs.back() / elements;
    pairs.push_back(elements);
    return node.reshape(value, pairs);
  };
  const ValueId pairs = paired(x, 2);
  const ValueId result = turned(node, node.slice(pairs, 4, 0, 1), node.slice(pairs, 4, 1, 2),
                                paired(cosine, 1), paired(sine, 1), 4);
  return node.reshape(result, shape);
}

}  // namespace

ValueId compose_size(Assembly& node) {
  const Shape& shape = node.shape(node.input(0));
  return node.constant(Tensor::scalar<std::int64_t>(graph::element_count(shape)));
}

ValueId compose_depth_to_space(Assembly& node) {
  const Shape in = image_shape(node);
  const std::int64_t b = block_size(node);
  require_divisible(in[1], b * b, "the number of channels");
  const std::int64_t channels = in[1] / (b * b);
  const std::string mode = node.attributes().text("mode", "DCR");
  const Shape out = {in[0], channels, graph::checked_mul(in[2], b), graph::checked_mul(in[3], b)};
  if (mode == "CRD") {
    const ValueId parts = node.reshape(node.input(0), {in[0], channels, b, b, in[2], in[3]});
    return node.reshape(node.transpose(parts, {0, 1, 4, 2, 5, 3}), out);
  }
  if (mode != "DCR") {
    throw InputError(fmt::format("attribute mode: {} is neither DCR nor CRD", printable(mode)));
  }
  const ValueId parts = node.reshape(node.input(0), {in[0], b, b, channels, in[2], in[3]});
  return node.reshape(node.transpose(parts, {0, 3, 4, 1, 5, 2}), out);
}

ValueId compose_space_to_depth(Assembly& node) {
  const Shape in = image_shape(node);
  const std::int64_t b = block_size(node);
  require_divisible(in[2], b, "the height");
  require_divisible(in[3], b, "the width");
  const ValueId parts = node.reshape(node.input(0), {in[0], in[1], in[2] / b, b, in[3] / b, b});
  const Shape out = {in[0], graph::checked_mul(in[1], b * b), in[2] / b, in[3] / b};
  return node.reshape(node.transpose(parts, {0, 3, 5, 1, 2, 4}), out);
}

ValueId compose_trilu(Assembly& node) {
  const ValueId x = node.input(0);
  const Shape shape = node.shape(x);
  if (shape.size() < 2) throw InputError("input 0: needs at least 2 dimensions");
  const bool upper = node.attributes().integer("upper", 1) != 0;
  const std::int64_t rows = shape[shape.size() - 2];
  const std::int64_t columns = shape.back();
  // Row i keeps column j of the upper triangle if j - i >= k, or i < j - k + 1, and of the lower
  // one if i > j - k - 1. Diagonals outside the matrix all keep the same. Small masks are computed
  // now, others before the run, so a small file cannot ask for a large one.
  const std::int64_t k = std::clamp(diagonal(node), -rows - 1, columns + 1);
  const ValueId row = node.counting({rows, 1});
  const ValueId bound = node.counting({1, columns}, upper ? 1 - k : -1 - k);
  const ValueId mask = node.add(upper ? Op::kLess : Op::kGreater, {row, bound});
  return node.add(Op::kWhere, {mask, x, zero_of(node, node.type(x))});
}

ValueId compose_wrapping_pad(Assembly& node) {
  ValueId value = node.input(0);
  const Shape shape = node.shape(value);
  const std::vector<std::int64_t> pads = graph::to_int64(node.known(1, "pads"));
  if (pads.size() != 2 * shape.size()) {
    throw InputError(
        fmt::format("input 1 (pads): {} numbers for {} dimensions", pads.size(), shape.size()));
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t begin = pads[i];
    const std::int64_t end = pads[shape.size() + i];
    if (begin == 0 && end == 0) continue;
    if (begin < 0 || end < 0 || shape[i] == 0) {
      throw InputError("input 1 (pads): negative pads, and pads of an extent of 0, cannot wrap");
    }
    const std::int64_t padded = graph::checked_add(graph::checked_add(shape[i], begin), end);
    require_list_length(padded);
    const ValueId places = node.constant(wrapped_places(shape[i], begin, padded));
    value = node.add(Op::kGather, {value, places}, {{"axis", static_cast<std::int64_t>(i)}});
  }
  return value;
}

ValueId compose_rotary_embedding(Assembly& node) {
  const Rotary rotary = rotary_of(node);
  const std::int64_t size = node.shape(rotary.x)[3];
  const ValueId cosine = rotary_table(node, rotary, 1, "cos_cache");
  const ValueId sine = rotary_table(node, rotary, 2, "sin_cache");
  const ValueId moving = node.slice(rotary.x, 3, 0, rotary.rotated);
  const bool interleaved = node.attributes().integer("interleaved", 0) != 0;
  ValueId result = interleaved ? turned_neighbors(node, moving, cosine, sine)
                               : turned_halves(node, moving, cosine, sine);
  if (rotary.rotated < size) {
    const ValueId rest = node.slice(rotary.x, 3, rotary.rotated, size);
    result = node.add(Op::kConcat, {result, rest}, {{"axis", std::int64_t{3}}});
  }
  return node.reshape(result, node.shape(node.input(0)));
}

}  // namespace weft::onnx_io
