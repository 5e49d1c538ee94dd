// What each operator takes and gives: number of inputs and outputs, attributes, and the rule by
// which the types and shapes of the outputs follow. One table, from which builder, importer,
// exporter and documentation work. Source: ONNX operator specification, opset 17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/graph/attributes.h"
#include "compiler/graph/op.h"
#include "compiler/graph/tensor.h"

namespace weft::graph {

/// What shape inference sees of a node. Inputs that are left out are null.
struct NodeTypes {
  Op op = Op::kIdentity;
  const Attributes& attributes;
  std::span<const ValueType* const> inputs;
  std::span<const Tensor* const> constants;  // the inputs' elements, where they are known
  std::size_t outputs = 1;                   // how many the node names
};

/// A set of element types, one bit for each.
using TypeSet = std::uint32_t;
constexpr TypeSet types_of(DataType type) {
  return TypeSet{1} << static_cast<unsigned>(type);
}

/// An input's name in ONNX and the element types that it may have.
struct InputRule {
  std::string_view name;
  TypeSet types = 0;  // if `like` is given: not used
  /// The input whose type this one shares, or kOwnType.
  std::size_t like = kOwnType;

  static constexpr std::size_t kOwnType = static_cast<std::size_t>(-1);
};

/// max_inputs or max_outputs of operators that take or give any number.
inline constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

struct Operator {
  Op op;
  std::size_t min_inputs;
  std::size_t max_inputs;
  std::size_t max_outputs;
  std::vector<std::string_view> attributes;
  /// Throws InputError, without naming the node, if shapes or attributes do not fit. Number and
  /// types of the inputs have been checked; may give more outputs than the node names.
  std::vector<ValueType> (*infer)(const NodeTypes& node);
  /// One rule for each input; the last one holds for all further inputs too.
  std::vector<InputRule> inputs;
};

/// The table's entry.
const Operator& operator_of(Op op);

/// The types of a node's outputs. Checks the number of inputs and outputs and the names of the
/// attributes too. Throws InputError, without naming the node: a wrong number, an unknown
/// attribute, a type that the operator does not take, shapes that do not fit, a shape that depends
/// on elements that are not known ("input 1 (shape) must be known before the network runs").
std::vector<ValueType> infer_outputs(const NodeTypes& node);

/// The shape to which `a` and `b` broadcast, as in NumPy. Throws InputError if they do not.
Shape broadcast(const Shape& a, const Shape& b);

/// `axis` counted from the front; throws InputError unless -rank <= axis < rank.
std::int64_t normalized_axis(std::int64_t axis, std::int64_t rank);

}  // namespace weft::graph
