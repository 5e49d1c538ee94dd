#include "naive_recurrent.h"

#include <algorithm>
#include <cmath>

namespace weft::reference {
namespace {

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

/// The activations of recurrent layers, some with parameters given, some with defaults.
const std::vector<Named>& functions() {
  static const std::vector<Named> all{
      {"Sigmoid", {}, {}, sigmoid},
      {"Tanh", {}, {}, [](double x) { return std::tanh(x); }},
      {"Relu", {}, {}, [](double x) { return std::max(x, 0.0); }},
      {"Softsign", {}, {}, [](double x) { return x / (1 + std::abs(x)); }},
      {"Softplus", {}, {}, [](double x) { return std::log(1 + std::exp(x)); }},
      {"LeakyRelu", 0.25F, {}, [](double x) { return x < 0 ? 0.25 * x : x; }},
      {"Elu", 0.5F, {}, [](double x) { return x < 0 ? 0.5 * (std::exp(x) - 1) : x; }},
      {"ThresholdedRelu", 0.125F, {}, [](double x) { return x > 0.125 ? x : 0; }},
      {"Affine", 0.5F, 0.25F, [](double x) { return 0.5 * x + 0.25; }},
      {"ScaledTanh", 0.5F, 0.75F, [](double x) { return 0.5 * std::tanh(0.75 * x); }},
      {"HardSigmoid",
       {},
       {},
       [](double x) { return std::clamp(single(0.2F) * x + 0.5, 0.0, 1.0); }},
  };
  return all;
}

/// Weights of one direction, indexed by [gate*hidden + i][j].
struct Weights {
  std::int64_t inputs = 0;
  std::int64_t hidden = 0;
  std::int64_t gates = 0;
  Vector w;
  Vector r;
  Vector bias;      // 2 * gates * hidden, or empty
  Vector peephole;  // 3 * hidden, or empty
};

struct State {
  Vector h;
  Vector c;
};

class NaiveCell {
 public:
  NaiveCell(Op op, Weights weights, std::vector<Function> functions, double clip, bool linear)
      : op_(op),
        weights_(std::move(weights)),
        functions_(std::move(functions)),
        clip_(clip),
        linear_before_reset_(linear) {}

  State step(const Vector& x, const State& last) const {
    if (op_ == Op::kLstm) return lstm(x, last);
    return op_ == Op::kGru ? gru(x, last) : rnn(x, last);
  }

 private:
  double apply(std::size_t which, double x) const {
    if (clip_ > 0) x = std::min(std::max(x, -clip_), clip_);
    return functions_[which](x);
  }
  std::size_t row(std::int64_t gate, std::int64_t i) const {
    return static_cast<std::size_t>(gate * weights_.hidden + i);
  }
  double input_part(const Vector& x, std::int64_t gate, std::int64_t i) const {
    double sum = weights_.bias.empty() ? 0 : weights_.bias[row(gate, i)];
    for (std::size_t j = 0; j < x.size(); ++j)
      sum += weights_.w[row(gate, i) * x.size() + j] * x[j];
    return sum;
  }
  double state_part(const Vector& h, std::int64_t gate, std::int64_t i) const {
    double sum = weights_.bias.empty() ? 0 : weights_.bias[row(weights_.gates + gate, i)];
    for (std::size_t j = 0; j < h.size(); ++j)
      sum += weights_.r[row(gate, i) * h.size() + j] * h[j];
    return sum;
  }
  double peephole(std::int64_t number, std::int64_t i, double c) const {
    return weights_.peephole.empty() ? 0 : weights_.peephole[row(number, i)] * c;
  }

  State lstm(const Vector& x, const State& last) const {
    State next;
    for (std::int64_t i = 0; i < weights_.hidden; ++i) {
      const double c = last.c[static_cast<std::size_t>(i)];
      const auto gate = [&](std::int64_t number) {
        return input_part(x, number, i) + state_part(last.h, number, i);
      };
      const double in = apply(0, gate(0) + peephole(0, i, c));
      const double forget = apply(0, gate(2) + peephole(2, i, c));
      next.c.push_back(forget * c + in * apply(1, gate(3)));
      const double out = apply(0, gate(1) + peephole(1, i, next.c.back()));
      next.h.push_back(out * apply(2, next.c.back()));
    }
    return next;
  }

  State gru(const Vector& x, const State& last) const {
    Vector update;
    Vector reset;
    Vector reset_state;
    for (std::int64_t i = 0; i < weights_.hidden; ++i) {
      update.push_back(apply(0, input_part(x, 0, i) + state_part(last.h, 0, i)));
      reset.push_back(apply(0, input_part(x, 1, i) + state_part(last.h, 1, i)));
      reset_state.push_back(reset.back() * last.h[static_cast<std::size_t>(i)]);
    }
    State next;
    for (std::int64_t i = 0; i < weights_.hidden; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const double recurrence = linear_before_reset_ ? reset[k] * state_part(last.h, 2, i)
                                                     : state_part(reset_state, 2, i);
      const double candidate = apply(1, input_part(x, 2, i) + recurrence);
      next.h.push_back((1 - update[k]) * candidate + update[k] * last.h[k]);
    }
    return next;
  }

  State rnn(const Vector& x, const State& last) const {
    State next;
    for (std::int64_t i = 0; i < weights_.hidden; ++i) {
      next.h.push_back(apply(0, input_part(x, 0, i) + state_part(last.h, 0, i)));
    }
    return next;
  }

  Op op_;
  Weights weights_;
  std::vector<Function> functions_;
  double clip_;
  bool linear_before_reset_;
};

const Named& named(const std::string& name) {
  return *std::ranges::find(functions(), name, &Named::name);
}

void choose_functions(Generator& generator, LayerCase& layer) {
  const std::vector<std::string> defaults =
      layer.op == Op::kRnn ? std::vector<std::string>{"Tanh"}
                           : std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"};
  // HardSigmoid is left out: it would consume a parameter meant for a later function.
  const std::int64_t last = std::ssize(functions()) - 2;
  for (std::int64_t i = 0; i < layer.directions() * layer.functions_each(); ++i) {
    const auto k = static_cast<std::size_t>(between(generator, 0, last));
    layer.chosen.push_back(
        layer.named_functions
            ? functions()[k]
            : named(defaults[static_cast<std::size_t>(i % layer.functions_each())]));
  }
}

bool coin(Generator& generator) {
  return between(generator, 0, 1) == 1;
}

/// Elements of row `number` of the first dimensions, `size` of them; empty without a tensor.
Vector row_of(const OptionalTensor& tensor, std::int64_t number, std::int64_t size) {
  if (!tensor) return {};
  const Vector all = values(*tensor);
  return {all.begin() + number * size, all.begin() + (number + 1) * size};
}

NaiveCell naive_cell(const LayerCase& layer, std::int64_t direction) {
  const std::int64_t rows = layer.gates() * layer.hidden;
  const Weights weights{layer.inputs,
                        layer.hidden,
                        layer.gates(),
                        row_of(layer.w, direction, rows * layer.inputs),
                        row_of(layer.r, direction, rows * layer.hidden),
                        row_of(layer.bias, direction, 2 * rows),
                        row_of(layer.peephole, direction, 3 * layer.hidden)};
  std::vector<Function> mine;
  for (std::int64_t i = 0; i < layer.functions_each(); ++i) {
    const auto k = static_cast<std::size_t>(direction * layer.functions_each() + i);
    mine.push_back(layer.chosen[k].function);
  }
  return {layer.op, weights, mine, single(layer.clip), layer.linear_before_reset};
}

}  // namespace

Attributes attributes_of(const LayerCase& layer) {
  Attributes attributes{{"direction", layer.direction}, {"hidden_size", layer.hidden}};
  if (layer.clip > 0) attributes.set("clip", layer.clip);
  if (layer.op == Op::kGru) {
    attributes.set("linear_before_reset", std::int64_t{layer.linear_before_reset});
  }
  if (!layer.named_functions) return attributes;
  std::vector<std::string> names;
  std::vector<float> alphas;
  std::vector<float> betas;
  for (const Named& named : layer.chosen) {
    names.push_back(named.name);
    if (named.alpha) alphas.push_back(*named.alpha);
    if (named.beta) betas.push_back(*named.beta);
  }
  attributes.set("activations", names);
  if (!alphas.empty()) attributes.set("activation_alpha", alphas);
  if (!betas.empty()) attributes.set("activation_beta", betas);
  return attributes;
}

LayerCase random_layer(Generator& generator, Op op) {
  const std::vector<std::string> directions{"forward", "reverse", "bidirectional"};
  LayerCase layer;
  layer.op = op;
  layer.steps = between(generator, 1, 4);
  layer.batch = between(generator, 1, 3);
  layer.inputs = between(generator, 1, 5);
  layer.hidden = between(generator, 1, 5);
  layer.direction = directions[static_cast<std::size_t>(between(generator, 0, 2))];
  layer.named_functions = coin(generator);
  layer.linear_before_reset = coin(generator);
  layer.clip = coin(generator) ? 0.25F : 0.0F;
  choose_functions(generator, layer);
  const std::int64_t d = layer.directions();
  const std::int64_t rows = layer.gates() * layer.hidden;
  const Shape state{d, layer.batch, layer.hidden};
  layer.x = random_reals<double>(generator, {layer.steps, layer.batch, layer.inputs});
  layer.w = random_reals<double>(generator, {d, rows, layer.inputs});
  layer.r = random_reals<double>(generator, {d, rows, layer.hidden});
  if (coin(generator)) layer.bias = random_reals<double>(generator, {d, 2 * rows});
  if (coin(generator)) {
    layer.lengths = random_integers<std::int32_t>(generator, {layer.batch}, 0, layer.steps);
  }
  if (coin(generator)) layer.initial_h = random_reals<double>(generator, state);
  if (op == Op::kLstm && coin(generator)) layer.initial_c = random_reals<double>(generator, state);
  if (op == Op::kLstm && coin(generator)) {
    layer.peephole = random_reals<double>(generator, {d, 3 * layer.hidden});
  }
  return layer;
}

Expected naive_layer(const LayerCase& layer) {
  Expected expected;
  expected.y.resize(
      static_cast<std::size_t>(layer.steps * layer.directions() * layer.batch * layer.hidden));
  for (std::int64_t d = 0; d < layer.directions(); ++d) {
    const NaiveCell cell = naive_cell(layer, d);
    const bool reverse = d == 1 || layer.direction == "reverse";
    for (std::int64_t b = 0; b < layer.batch; ++b) {
      const auto n = static_cast<std::size_t>(layer.hidden);
      State state{row_of(layer.initial_h, d * layer.batch + b, layer.hidden),
                  row_of(layer.initial_c, d * layer.batch + b, layer.hidden)};
      state.h.resize(n);
      state.c.resize(n);
      const std::int64_t length =
          layer.lengths ? layer.lengths->data<std::int32_t>()[static_cast<std::size_t>(b)]
                        : layer.steps;
      for (std::int64_t step = 0; step < length; ++step) {
        const std::int64_t t = reverse ? length - 1 - step : step;
        state = cell.step(row_of(layer.x, t * layer.batch + b, layer.inputs), state);
        const std::int64_t line = (t * layer.directions() + d) * layer.batch + b;
        std::ranges::copy(state.h, expected.y.begin() + line * layer.hidden);
      }
      expected.h.insert(expected.h.end(), state.h.begin(), state.h.end());
      if (layer.op != Op::kLstm) continue;
      expected.c.insert(expected.c.end(), state.c.begin(), state.c.end());
    }
  }
  return expected;
}

}  // namespace weft::reference
