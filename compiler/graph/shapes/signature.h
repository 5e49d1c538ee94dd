// The signatures of operators: which inputs, outputs and attributes a node may have, and the rule
// that infers the types and shapes of its outputs. They stand in the rows of operators.inc. Source:
// ONNX operator specification, opset 17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/graph/attributes.h"
#include "compiler/graph/fixed_list.h"
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

using AttributeNames = FixedList<std::string_view, 10>;
using InputRules = FixedList<InputRule, 9>;

struct Signature {
  std::size_t min_inputs = 0;
  std::size_t max_inputs = 0;
  std::size_t max_outputs = 0;
  AttributeNames attributes = {};
  /// Throws InputError, without the node's name, if shapes or attributes do not fit. The caller has
  /// checked the number and types of the inputs. May return more outputs than the node lists.
  std::vector<ValueType> (*infer)(const NodeTypes& node) = nullptr;
  /// One rule per input. The last rule also holds for all further inputs.
  InputRules inputs = {};
};

/// The signature of `op`.
const Signature& signature_of(Op op);

}  // namespace weft::graph
