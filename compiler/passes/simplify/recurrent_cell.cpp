#include "compiler/passes/simplify/recurrent_cell.h"

#include <utility>

#include "compiler/passes/rewrite/constants.h"

namespace weft::passes {

using graph::Attributes;
using graph::Constant;
using graph::kNoValue;
using graph::Node;
using graph::Op;
using graph::Shape;
using graph::Tensor;
using graph::ValueId;
using graph::ValueType;

namespace {

// Numbers of the other inputs, the same for all three operators.
constexpr std::size_t kX = 0;
constexpr std::size_t kW = 1;
constexpr std::size_t kR = 2;
constexpr std::size_t kB = 3;
constexpr std::size_t kPeepholes = 7;

bool resets_after_product(const Node& node) {
  return node.op == Op::kGru && node.attributes.integer("linear_before_reset", 0) != 0;
}

/// The elements of a constant from `from` on, as many as `shape` has.
Constant part(const Constant& whole, std::int64_t from, Shape shape) {
  ValueType type{whole.type().type, std::move(shape)};
  return derive(type, {whole}, [from, type](std::span<const Tensor> sources) {
    const std::size_t size = graph::size_bytes(type.type);
    Tensor result(type);
    const std::span<std::byte> out = result.mutable_bytes();
    const auto bytes = sources[0].bytes().subspan(static_cast<std::size_t>(from) * size);
    std::copy_n(bytes.begin(), out.size(), out.begin());
    return result;
  });
}

Constant sum_of(const Constant& a, const Constant& b) {
  return derive(a.type(), {a, b}, [](std::span<const Tensor> sources) {
    std::vector<double> values = real_values(sources[0]);
    const std::vector<double> others = real_values(sources[1]);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += others[i];
    return real_tensor(sources[0].value_type(), values);
  });
}

}  // namespace

std::int64_t gate_count(Op op) {
  if (op == Op::kLstm) return 4;
  return op == Op::kGru ? 3 : 1;
}

std::vector<std::string> default_activations(Op op) {
  if (op == Op::kLstm) return {"Sigmoid", "Tanh", "Tanh"};
  if (op == Op::kGru) return {"Sigmoid", "Tanh"};
  return {"Tanh"};
}

RecurrentCell::RecurrentCell(Rewriter& rewriter, const Node& node, const RecurrentDims& dims,
                             std::int64_t direction, const std::vector<ValueId>& numbers)
    : rewriter_(rewriter), node_(node), dims_(dims), direction_(direction), numbers_(numbers) {
  activations_ = default_activations(node.op);
  if (node.attributes.has("activations")) {
    const std::vector<std::string> all = node.attributes.texts("activations");
    const auto first = all.begin() + direction * static_cast<std::ptrdiff_t>(activations_.size());
    activations_.assign(first, first + static_cast<std::ptrdiff_t>(activations_.size()));
  }
  for (std::int64_t gate = 0; gate < gate_count(node.op); ++gate) {
    gates_.push_back(make_gate(gate));
  }
  if (node.input(kPeepholes) != kNoValue) {
    for (std::int64_t i = 0; i < 3; ++i) {
      peepholes_.push_back(vector(kPeepholes, (3 * direction + i) * dims_.hidden));
    }
  }
  if (resets_after_product(node) && node.input(kB) != kNoValue) {
    reset_bias_ = vector(kB, ((2 * direction + 1) * 3 + 2) * dims_.hidden);
  }
  if (node.op == Op::kGru) {
    const ValueType type{rewriter.type(node.inputs[kX]).type, {1}};
    one_ = rewriter.add_constant(real_tensor(type, std::vector<double>{1}), node.name + "/one");
  }
}

RecurrentCell::Gate RecurrentCell::make_gate(std::int64_t gate) {
  Gate result;
  const ValueId weights = gate_matrix(kW, gate, dims_.inputs);
  result.from_input = add(Op::kMatMul, {node_.inputs[kX], weights});
  if (node_.input(kB) != kNoValue) {
    result.from_input = add(Op::kAdd, {result.from_input, gate_bias(gate)});
  }
  result.recurrent = gate_matrix(kR, gate, dims_.hidden);
  return result;
}

/// The gate's rows of W or R, transposed: [columns, H].
ValueId RecurrentCell::gate_matrix(std::size_t input, std::int64_t gate, std::int64_t columns) {
  const std::int64_t row = (direction_ * gate_count(node_.op) + gate) * dims_.hidden;
  const Constant rows =
      part(*rewriter_.constant(node_.inputs[input]), row * columns, {dims_.hidden, columns});
  return rewriter_.add_constant(transposed(rows), node_.name + "/weights");
}

/// The bias of W plus the bias of R, unless the latter is added before the reset.
ValueId RecurrentCell::gate_bias(std::int64_t gate) {
  const std::int64_t gates = gate_count(node_.op);
  const Constant& all = *rewriter_.constant(node_.inputs[kB]);
  const std::int64_t w = (2 * direction_ * gates + gate) * dims_.hidden;
  Constant bias = part(all, w, {dims_.hidden});
  const bool is_separate = resets_after_product(node_) && gate == 2;
  if (!is_separate) bias = sum_of(bias, part(all, w + gates * dims_.hidden, {dims_.hidden}));
  return rewriter_.add_constant(std::move(bias), node_.name + "/bias");
}

ValueId RecurrentCell::vector(std::size_t input, std::int64_t offset) {
  const Constant& all = *rewriter_.constant(node_.inputs[input]);
  return rewriter_.add_constant(part(all, offset, {dims_.hidden}), node_.name + "/vector");
}

ValueId RecurrentCell::add(Op op, std::vector<ValueId> inputs, Attributes attributes) {
  return rewriter_.add(op, std::move(inputs), std::move(attributes),
                       node_.name + "/" + std::string(graph::to_string(op)));
}

ValueId RecurrentCell::initial(std::size_t input) {
  const ValueId given = node_.input(input);
  if (given == kNoValue) {
    // Use a node instead of a constant, because training would learn a constant.
    const ValueId shape = rewriter_.add_constant(
        Tensor::vector<std::int64_t>({1, dims_.batch, dims_.hidden}), node_.name + "/shape");
    const graph::DataType type = rewriter_.type(node_.inputs[kX]).type;
    return rewriter_.add(Op::kConstantOfShape, {shape}, {{"value", Tensor(type, {1})}},
                         node_.name + "/zero");
  }
  if (dims_.directions == 1) return given;
  const auto d = static_cast<std::size_t>(direction_);
  return add(Op::kSlice, {given, numbers_[d], numbers_[d + 1], numbers_[0]});
}

RecurrentValues RecurrentCell::initial_state() {
  RecurrentValues state{initial(kInitialHidden)};
  if (node_.op == Op::kLstm) state.cell = initial(kInitialCell);
  return state;
}

ValueId RecurrentCell::activation(std::size_t which, ValueId value) {
  return add(*graph::op_from_string(activations_[which]), {value});
}

ValueId RecurrentCell::at(const Gate& gate, std::int64_t t) {
  const auto step = static_cast<std::size_t>(t);
  return add(Op::kSlice, {gate.from_input, numbers_[step], numbers_[step + 1], numbers_[0]});
}

ValueId RecurrentCell::sum(const Gate& gate, std::int64_t t, ValueId hidden) {
  return add(Op::kAdd, {add(Op::kMatMul, {hidden, gate.recurrent}), at(gate, t)});
}

ValueId RecurrentCell::with_peephole(ValueId sum, std::size_t which, ValueId cell) {
  if (peepholes_.empty()) return sum;
  return add(Op::kAdd, {sum, add(Op::kMul, {cell, peepholes_[which]})});
}

RecurrentValues RecurrentCell::step(std::int64_t t, const RecurrentValues& before) {
  if (node_.op == Op::kLstm) return lstm_step(t, before);
  if (node_.op == Op::kGru) return gru_step(t, before);
  return {activation(0, sum(gates_[0], t, before.hidden))};
}

RecurrentValues RecurrentCell::lstm_step(std::int64_t t, const RecurrentValues& before) {
  const auto gate = [&](std::size_t which) { return sum(gates_[which], t, before.hidden); };
  const ValueId i = activation(0, with_peephole(gate(0), 0, before.cell));
  const ValueId f = activation(0, with_peephole(gate(2), 2, before.cell));
  const ValueId c = activation(1, gate(3));
  const ValueId kept = add(Op::kMul, {f, before.cell});
  const ValueId cell = add(Op::kAdd, {kept, add(Op::kMul, {i, c})});
  const ValueId o = activation(0, with_peephole(gate(1), 1, cell));
  return {add(Op::kMul, {o, activation(2, cell)}), cell};
}

RecurrentValues RecurrentCell::gru_step(std::int64_t t, const RecurrentValues& before) {
  const ValueId z = activation(0, sum(gates_[0], t, before.hidden));
  const ValueId r = activation(0, sum(gates_[1], t, before.hidden));
  ValueId candidate = kNoValue;
  if (resets_after_product(node_)) {
    ValueId product = add(Op::kMatMul, {before.hidden, gates_[2].recurrent});
    if (reset_bias_ != kNoValue) product = add(Op::kAdd, {product, reset_bias_});
    candidate = add(Op::kAdd, {add(Op::kMul, {r, product}), at(gates_[2], t)});
  } else {
    candidate = sum(gates_[2], t, add(Op::kMul, {r, before.hidden}));
  }
  const ValueId fresh = add(Op::kMul, {add(Op::kSub, {one_, z}), activation(1, candidate)});
  return {add(Op::kAdd, {fresh, add(Op::kMul, {z, before.hidden})})};
}

}  // namespace weft::passes
