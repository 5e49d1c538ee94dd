// The table of operators: what each one means to passes, planner and reference (traits, parameters,
// operands of products). The rows are in operators.inc. A row also has the operator's signature
// (inputs, outputs, attributes), which shapes/signature.h gives access to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/graph/attributes.h"
#include "compiler/graph/fixed_list.h"
#include "compiler/graph/op.h"

namespace weft::graph {

/// What an operator is, where several operators are treated alike.
enum class Trait : std::uint8_t {
  kContraction,  // sums of products of two operands
  kEpilogue,     // a contraction that may have the attribute "activation" (op.h)
  kQuantized,    // computes with quantized values
  kWindows,      // reads windows of images [N, C, spatial ...]
  kRecurrent,    // LSTM, GRU and RNN

  // Functions of elements
  kFunction,          // a function of one number with at most two parameters: may be an activation
  kActivation,        // a function that follows contractions in networks, so passes fuse it
  kClamps,            // limits its input to a range, so it works on integers too
  kPartial,           // a function that is not finite for every finite number
  kBinary,            // a function of two numbers
  kCommutes,          // a binary function whose operands may be swapped
  kNeedsExactSecond,  // a rounded second operand could become 0, which the operator does not take
  kLogic,             // the result is a truth value
  kUpdate,            // arithmetic of float32 updates: exact, or rounded once

  // Movement
  kView,           // the machine can see the result in the rows of the first input
  kMovesNothing,   // needs no pass over its elements
  kMovesElements,  // each element of the result is one of the data inputs' (Pad: or the padding)
  kKeepsScale,     // only moves or compares elements: inputs and outputs can share a scale
  kKeepsOrder,     // equals its first input if it has the same type and shape

  // Along axes
  kAverages,       // averages windows
  kNormalization,  // normalizes with mean and variance, then scales
  kAlongAxes,      // normalizes or reduces along axes, and results are numbers
  kSumsAlongAxes,  // along axes, with sums that round
  kSoftmaxLike,    // Softmax and its logarithm
};

/// A set of traits.
class Traits {
 public:
  constexpr Traits() = default;
  constexpr Traits(Trait trait)  // NOLINT(google-explicit-constructor): one trait is a set
      : bits_(std::uint32_t{1} << static_cast<unsigned>(trait)) {}
  constexpr bool has(Trait trait) const { return (bits_ & Traits(trait).bits_) != 0; }
  friend constexpr Traits operator|(Traits a, Traits b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  std::uint32_t bits_ = 0;
};
constexpr Traits operator|(Trait a, Trait b) {
  return Traits(a) | Traits(b);
}

/// A parameter of a function of one number: the attribute that gives it, and ONNX's default.
struct Parameter {
  std::string_view attribute;
  float otherwise = 0;
};

/// The inputs where a constant is a parameter that training learned.
struct LearnedInputs {
  enum class Rule : std::uint8_t {
    kAny,      // always: these inputs only take parameters
    kNumbers,  // unless it is a scalar, an index or a mask
  };
  FixedList<std::size_t, 4> inputs = {};
  Rule rule = Rule::kAny;
};

/// How the operator multiplies, and which inputs are the two operands.
struct Product {
  enum class Form : std::uint8_t {
    kNone,
    kConvolution,            // windows of images, weights [M, C / groups, taps ...]
    kTransposedConvolution,  // images, weights [C, M / groups, taps ...]
    kMatrices,               // stacks of matrices, broadcast
    kGemm,                   // two matrices, either transposed
    kRecurrent,              // a cell's products, step by step
  };
  Form form = Form::kNone;
  std::size_t a = 0;
  std::size_t b = 1;
};

/// One row.
struct Operator {
  Traits traits = {};
  FixedList<Parameter, 2> parameters = {};
  LearnedInputs learned = {};
  Product product = {};
};

/// The table's row for `op`.
const Operator& operator_of(Op op);

/// The operators that have the trait, in the order of the table.
std::vector<Op> operators_with(Trait trait);

inline bool has(Op op, Trait trait) {
  return operator_of(op).traits.has(trait);
}

/// The parameters of a function of one number, from a node's attributes or by default. 0 where the
/// function has fewer. Clip's are inputs.
std::array<float, 2> parameters_of(Op op, const Attributes& attributes);

}  // namespace weft::graph
