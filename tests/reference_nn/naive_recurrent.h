// LSTM, GRU and RNN by their equations, one sequence and one scalar at a time in binary64, and
// random layers for tests.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nn_test.h"

namespace weft::reference {

using Vector = std::vector<double>;
using Function = std::function<double(double)>;

inline double single(float value) {
  return static_cast<double>(value);
}

/// An activation and the parameters given to the operator.
struct Named {
  std::string name;
  std::optional<float> alpha;
  std::optional<float> beta;
  Function function;
};

/// A random layer; its inputs have the form that the operator takes in layout 0.
struct LayerCase {
  Op op = Op::kLstm;
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  std::int64_t inputs = 0;
  std::int64_t hidden = 0;
  std::string direction;
  bool named_functions = false;
  bool linear_before_reset = false;
  float clip = 0;
  OptionalTensor x, w, r, bias, lengths, initial_h, initial_c, peephole;
  std::vector<Named> chosen;

  std::int64_t gates() const { return op == Op::kLstm ? 4 : (op == Op::kGru ? 3 : 1); }
  std::int64_t functions_each() const { return op == Op::kLstm ? 3 : (op == Op::kGru ? 2 : 1); }
  std::int64_t directions() const { return direction == "bidirectional" ? 2 : 1; }
};

LayerCase random_layer(Generator& generator, Op op);

/// The node's attributes. Activation parameters are listed only for functions that have some.
Attributes attributes_of(const LayerCase& layer);

struct Expected {
  Vector y;  // [steps, directions, batch, hidden]
  Vector h;  // [directions, batch, hidden]
  Vector c;
};

Expected naive_layer(const LayerCase& layer);

}  // namespace weft::reference
