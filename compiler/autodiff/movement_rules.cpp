// Operators that move elements. Their gradients move elements back, and add the gradients of an
// element that was copied.
#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/autodiff/rules.h"
#include "compiler/graph/operator_table.h"
#include "compiler/graph/shapes/shape_arithmetic.h"
#include "compiler/graph/shapes/slice.h"

namespace weft::autodiff {
namespace {

using graph::kNoValue;
using graph::SliceDim;
using graph::Tensor;

std::int64_t axis_of(NodeGradient& g, std::int64_t otherwise) {
  return graph::normalized_axis(g.attributes().integer("axis", otherwise), g.rank(g.input(0)));
}

Ints known_or_empty(NodeGradient& g, std::size_t i) {
  return g.input(i) == kNoValue ? Ints{} : g.known(i);
}

/// `value` with the elements along `axis` in reverse order.
ValueId reversed(NodeGradient& g, ValueId value, std::int64_t axis) {
  return g.add(Op::kSlice, {value, g.list({-1}), g.list({std::numeric_limits<std::int64_t>::min()}),
                            g.list({axis}), g.list({-1})});
}

/// `value` with `step` - 1 zeros inserted between neighbors along `axis`.
ValueId with_zeros_between(NodeGradient& g, ValueId value, std::size_t axis, std::int64_t step) {
  const Shape shape = g.shape(value);
  Shape apart = shape;
  apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(axis) + 1, 1);
  Ints pads(2 * apart.size(), 0);
  pads[apart.size() + axis + 1] = step - 1;
  Shape whole = shape;
  whole[axis] *= step;
  const ValueId spread = g.reshape(g.pad(g.reshape(value, apart), pads), whole);
  return g.slice(spread, static_cast<std::int64_t>(axis), 0, (shape[axis] - 1) * step + 1);
}

/// Puts the elements of `value` at the positions in `shape` that `slices` took them from, and zeros
/// elsewhere.
ValueId put_back(NodeGradient& g, ValueId value, const std::vector<SliceDim>& slices,
                 const Shape& shape) {
  Ints pads(2 * shape.size(), 0);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const SliceDim& dim = slices[i];
    if (dim.length == 0) return g.zeros({g.type(value), shape});
    const std::int64_t last = dim.start + (dim.length - 1) * dim.step;
    if (dim.step < 0) value = reversed(g, value, static_cast<std::int64_t>(i));
    const std::int64_t step = std::abs(dim.step);
    if (step > 1 && dim.length > 1) value = with_zeros_between(g, value, i, step);
    pads[i] = std::min(dim.start, last);
    pads[shape.size() + i] = shape[i] - 1 - std::max(dim.start, last);
  }
  return g.pad(value, pads);
}

/// A constant with the type of `like`, which is int32 or int64.
ValueId integers_like(NodeGradient& g, ValueId like, const Ints& values, const Shape& shape) {
  if (g.type(like) == graph::DataType::kInt64) {
    return g.constant(Tensor::of<std::int64_t>(shape, values), "numbers");
  }
  return g.constant(Tensor::of<std::int32_t>(shape, {values.begin(), values.end()}), "numbers");
}

/// A matrix [entries, n] for n indices: element (i, j) is 1 if index j is i, else 0. A negative
/// index counts from the end.
ValueId one_hot(NodeGradient& g, ValueId indices, std::int64_t entries) {
  const std::int64_t count = graph::element_count(g.shape(indices));
  const ValueId row = g.reshape(indices, {1, count});
  const ValueId zero = integers_like(g, row, {0}, {});
  const ValueId from_end = g.add(Op::kAdd, {row, integers_like(g, row, {entries}, {})});
  const ValueId wrapped = g.where(g.add(Op::kLess, {row, zero}), from_end, row);
  const ValueId numbers = integers_like(g, row, iota(entries), {entries, 1});
  const ValueId hit = g.add(Op::kEqual, {numbers, wrapped});
  return g.where(hit, g.number(g.dy(), 1), g.number(g.dy(), 0));
}

/// dy as a matrix with one row per index. The columns are the data's dimensions without `axis`.
ValueId rows_by_index(NodeGradient& g, std::int64_t axis) {
  const std::int64_t index_rank = g.rank(g.input(1));
  Ints perm = iota(g.rank(g.dy()));
  std::rotate(perm.begin(), perm.begin() + axis, perm.begin() + axis + index_rank);
  const std::int64_t rows = graph::element_count(g.shape(g.input(1)));
  const std::int64_t all = graph::element_count(g.shape(g.dy()));
  return g.reshape(g.transpose(g.dy(), perm), {rows, rows == 0 ? 0 : all / rows});
}

/// The gradient of the table in a look-up: the product of the indices' one-hot matrix and dy. The
/// product adds the gradients of a row that was looked up several times.
ValueId table_gradient(NodeGradient& g, std::int64_t axis) {
  Shape table = g.shape(g.input(0));
  const auto place = static_cast<std::size_t>(axis);
  const ValueId hits = one_hot(g, g.input(1), table[place]);
  const ValueId rows = g.add(Op::kMatMul, {hits, rows_by_index(g, axis)});
  std::rotate(table.begin(), table.begin() + axis, table.begin() + axis + 1);
  Ints perm = iota(static_cast<std::int64_t>(table.size()));
  std::rotate(perm.begin(), perm.begin() + 1, perm.begin() + axis + 1);
  return g.transpose(g.reshape(rows, table), perm);
}

void reshape_gradient(NodeGradient& g) {
  g.give(0, g.reshape(g.dy(), g.shape(g.input(0))));
}

void transpose_gradient(NodeGradient& g) {
  Ints reversed = iota(g.rank(g.dy()));
  std::ranges::reverse(reversed);
  const Ints perm = g.attributes().integers("perm", reversed);
  Ints inverse(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i) {
    inverse[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  }
  g.give(0, g.transpose(g.dy(), inverse));
}

void concat_gradient(NodeGradient& g) {
  const std::int64_t axis = axis_of(g, 0);
  std::int64_t start = 0;
  for (std::size_t i = 0; i < g.node().inputs.size(); ++i) {
    const std::int64_t extent = g.shape(g.input(i))[static_cast<std::size_t>(axis)];
    if (g.needs(i)) g.give(i, g.slice(g.dy(), axis, start, extent));
    start += extent;
  }
}

// An unused part has no gradient; use zeros for it.
void split_gradient(NodeGradient& g) {
  std::vector<ValueId> parts;
  const std::vector<graph::ValueType> types = g.output_types();
  for (std::size_t i = 0; i < types.size(); ++i) {
    parts.push_back(g.dy(i) == kNoValue ? g.zeros(types[i]) : g.dy(i));
  }
  g.give(0, g.add(Op::kConcat, parts, {{"axis", axis_of(g, 0)}}));
}

void slice_gradient(NodeGradient& g) {
  const Shape shape = g.shape(g.input(0));
  const auto slices = graph::resolve_slices(shape, g.known(1), g.known(2), known_or_empty(g, 3),
                                            known_or_empty(g, 4));
  g.give(0, put_back(g, g.dy(), slices, shape));
}

void gather_gradient(NodeGradient& g) {
  const std::int64_t axis = axis_of(g, 0);
  const Shape shape = g.shape(g.input(0));
  const auto place = static_cast<std::size_t>(axis);
  const std::optional<std::int64_t> index = g.known_integer(1);
  if (!index) return g.give(0, table_gradient(g, axis));
  std::vector<SliceDim> slices;
  for (const std::int64_t extent : shape) slices.push_back({0, 1, extent});
  slices[place] = {*index < 0 ? *index + shape[place] : *index, 1, 1};
  Shape one = shape;
  one[place] = 1;
  g.give(0, put_back(g, g.reshape(g.dy(), one), slices, shape));
}

void expand_gradient(NodeGradient& g) {
  g.give(0, g.reduce_to(g.dy(), g.shape(g.input(0))));
}

void tile_gradient(NodeGradient& g) {
  const Shape shape = g.shape(g.input(0));
  const Ints repeats = g.known(1);
  Shape apart;
  Ints axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    axes.push_back(static_cast<std::int64_t>(apart.size()));
    apart.insert(apart.end(), {repeats[i], shape[i]});
  }
  g.give(0, g.reduce_sum(g.reshape(g.dy(), apart), axes, false));
}

// Negative pads cut elements off; their gradient is zero.
void pad_gradient(NodeGradient& g) {
  if (g.attributes().text("mode", "constant") != "constant") {
    g.refuse("only the mode constant of Pad has a gradient");
  }
  if (g.needs(2)) g.refuse("the padding's value cannot be learned; make it a constant");
  const Ints pads = g.known(1);
  const Shape shape = g.shape(g.input(0));
  Ints cut(pads.size(), 0);
  ValueId value = g.dy();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t begin = pads[i];
    const std::int64_t end = pads[shape.size() + i];
    const std::int64_t first = std::max<std::int64_t>(begin, 0);
    const std::int64_t extent =
        shape[i] + std::min<std::int64_t>(begin, 0) + std::min<std::int64_t>(end, 0);
    value = g.slice(value, static_cast<std::int64_t>(i), first, std::max<std::int64_t>(extent, 0));
    cut[i] = std::max<std::int64_t>(-begin, 0);
    cut[shape.size() + i] = std::max<std::int64_t>(-end, 0);
  }
  g.give(0, g.pad(value, cut));
}

}  // namespace

Rules movement_rules() {
  static constexpr auto kRules = std::to_array<RuleEntry>({
      {Op::kConcat, concat_gradient},
      {Op::kSplit, split_gradient},
      {Op::kSlice, slice_gradient},
      {Op::kGather, gather_gradient},
      {Op::kReshape, reshape_gradient},
      {Op::kFlatten, reshape_gradient},
      {Op::kTranspose, transpose_gradient},
      {Op::kSqueeze, reshape_gradient},
      {Op::kUnsqueeze, reshape_gradient},
      RuleEntry::none(Op::kShape, "its result is a shape"),
      RuleEntry::none(Op::kConstantOfShape, "its operand is a shape"),
      {Op::kExpand, expand_gradient},
      {Op::kTile, tile_gradient},
      {Op::kPad, pad_gradient},
      RuleEntry::none(Op::kGridSample, "no rule yet: none of the networks samples a grid"),
      RuleEntry::none(Op::kResize, "no rule yet: none of the networks resizes"),
      RuleEntry::none(Op::kRange, "its operands count"),
  });
  return kRules;
}

}  // namespace weft::autodiff
