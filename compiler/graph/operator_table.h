// The signature of each operator: the number of inputs and outputs, the attributes, and the rule
// that infers the types and shapes of the outputs. The builder, importer, exporter and
// documentation all use this table. Source: ONNX operator specification, opset 17.
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

/// The parts of a node that shape inference uses. Omitted inputs are null.
struct NodeTypes {
  Op op = Op::kIdentity;
  const Attributes& attributes;
  std::span<const ValueType* const> inputs;
  std::span<const Tensor* const> constants;  // each input's elements, or null if unknown
  std::size_t outputs = 1;                   // the number of outputs that the node lists
};

/// A set of element types, one bit per type.
using TypeSet = std::uint32_t;
constexpr TypeSet types_of(DataType type) {
  return TypeSet{1} << static_cast<unsigned>(type);
}

/// An input's name in ONNX and its allowed element types.
struct InputRule {
  std::string_view name;
  TypeSet types = 0;  // unused if `like` is set
  /// The number of the input that has the same type as this one, or kOwnType.
  std::size_t like = kOwnType;

  static constexpr std::size_t kOwnType = static_cast<std::size_t>(-1);
};

/// max_inputs or max_outputs of operators with any number of inputs or outputs.
inline constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

struct Operator {
  Op op;
  std::size_t min_inputs;
  std::size_t max_inputs;
  std::size_t max_outputs;
  std::vector<std::string_view> attributes;
  /// Throws InputError, without the node's name, if shapes or attributes do not fit. The caller has
  /// checked the number and types of the inputs. May return more outputs than the node lists.
  std::vector<ValueType> (*infer)(const NodeTypes& node);
  /// One rule per input. The last rule also holds for all further inputs.
  std::vector<InputRule> inputs;
};

/// The table's entry for `op`.
const Operator& operator_of(Op op);

/// The types of a node's outputs. Also checks the number of inputs and outputs and the names of the
/// attributes. Throws InputError, without the node's name, for a wrong number, an unknown
/// attribute, a type that the operator does not accept, shapes that do not fit, or a shape that
/// depends on unknown elements ("input 1 (shape) must be known before the network runs").
std::vector<ValueType> infer_outputs(const NodeTypes& node);

/// The shape to which `a` and `b` broadcast, as in NumPy. Throws InputError if they do not fit.
Shape broadcast(const Shape& a, const Shape& b);

/// `axis` counted from the first dimension. Throws InputError unless -rank <= axis < rank.
std::int64_t normalized_axis(std::int64_t axis, std::int64_t rank);

}  // namespace weft::graph
