// Short functions that add the nodes of a gradient. They add no node that would change nothing, for
// example a reshape to the same shape or a sum over no axes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/graph/builder/builder.h"

namespace weft::autodiff {

using graph::Attributes;
using graph::Op;
using graph::Shape;
using graph::ValueId;
using Ints = std::vector<std::int64_t>;

class Emitter {
 public:
  /// Nodes are named `prefix`/Operator.
  Emitter(graph::Builder& builder, std::string prefix)
      : builder_(builder), prefix_(std::move(prefix)) {}

  /// Returns a copy, because adding a node may move the builder's data.
  Shape shape(ValueId value) const { return builder_.type(value).shape; }
  std::int64_t rank(ValueId value) const {
    return static_cast<std::int64_t>(builder_.type(value).shape.size());
  }

  graph::DataType type(ValueId value) const { return builder_.type(value).type; }

  ValueId add(Op op, std::vector<ValueId> inputs, Attributes attributes = {});
  /// Like add() for a node with `count` outputs; returns them all.
  std::vector<ValueId> add_outputs(Op op, std::vector<ValueId> inputs, Attributes attributes,
                                   std::size_t count);
  ValueId constant(graph::Constant constant, const std::string& what);
  /// A scalar constant with the element type of `like`.
  ValueId number(ValueId like, double value);
  /// A constant int64 list.
  ValueId list(const Ints& values);

  ValueId mul(ValueId a, ValueId b) { return add(Op::kMul, {a, b}); }
  ValueId scaled(ValueId value, double factor);
  ValueId divided(ValueId value, double divisor);
  ValueId where(ValueId condition, ValueId yes, ValueId no) {
    return add(Op::kWhere, {condition, yes, no});
  }
  ValueId greater(ValueId a, double b) { return add(Op::kGreater, {a, number(a, b)}); }
  ValueId less(ValueId a, double b) { return add(Op::kLess, {a, number(a, b)}); }
  ValueId zeros(const graph::ValueType& type);
  /// `value` converted to the element type of `like`, which must be floating-point.
  ValueId cast_like(ValueId value, ValueId like);

  ValueId reshape(ValueId value, const Shape& shape);
  ValueId transpose(ValueId value, const Ints& perm);
  /// `value` with the last two dimensions exchanged.
  ValueId swapped(ValueId value);
  ValueId reduce_sum(ValueId value, const Ints& axes, bool keep = true);
  ValueId reduce_mean(ValueId value, const Ints& axes);
  ValueId expand(ValueId value, const Shape& shape);
  /// Elements [start, start + length) of `axis`.
  ValueId slice(ValueId value, std::int64_t axis, std::int64_t start, std::int64_t length);
  /// Surrounds `value` with elements `fill`. `pads` has ONNX's order; none may be negative.
  ValueId pad(ValueId value, const Ints& pads, double fill = 0);
  /// The sum over the axes along which `shape` was broadcast to the shape of `value`.
  ValueId reduce_to(ValueId value, const Shape& shape);

 protected:
  graph::Builder& builder() const { return builder_; }

 private:
  graph::Builder& builder_;
  std::string prefix_;
};

/// The `count` integers from `first` on.
Ints iota(std::int64_t count, std::int64_t first = 0);

}  // namespace weft::autodiff
