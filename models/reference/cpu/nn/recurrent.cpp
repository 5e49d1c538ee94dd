// LSTM, GRU and RNN. A layer runs one or two directions. A direction walks the steps of a sequence
// with a cell (recurrent_cells.h). Everything is computed in layout 0; inputs and outputs of layout
// 1 are transposed.
//
//   X [steps, batch, inputs] -- x W' for all steps at once --> gates [steps, batch, G*hidden]
//                                                               |
//   state [batch, hidden] -------------> cell.advance <---------+     --> state, Y[step]
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "models/reference/cpu/nn/half.h"
#include "models/reference/cpu/nn/kernels.h"
#include "models/reference/cpu/nn/recurrent_cells.h"
#include "models/reference/cpu/product/product.h"

namespace weft::reference {
namespace {

struct LayerShape {
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  std::int64_t inputs = 0;
  std::int64_t hidden = 0;
  std::int64_t directions = 1;
  bool batch_first = false;
  bool first_is_reverse = false;

  bool reverse(std::int64_t direction) const { return direction == 1 || first_is_reverse; }
};

LayerShape layer_shape(const NodeCall& call) {
  const Shape& x = input(call, 0).shape();
  const Shape& r = input(call, 2).shape();
  LayerShape shape;
  shape.batch_first = call.attributes.integer("layout", 0) != 0;
  shape.steps = x[shape.batch_first ? 1 : 0];
  shape.batch = x[shape.batch_first ? 0 : 1];
  shape.inputs = x[2];
  shape.hidden = r[2];
  shape.directions = r[0];
  shape.first_is_reverse = call.attributes.text("direction", "forward") == "reverse";
  return shape;
}

/// Part number `i` of `count` equal parts; empty if `whole` is empty.
template <class T>
std::span<T> part(std::span<T> whole, std::int64_t i, std::int64_t count) {
  const std::size_t size = whole.size() / static_cast<std::size_t>(count);
  return whole.subspan(static_cast<std::size_t>(i) * size, size);
}

/// Transposes [outer, middle, inner] to [middle, outer, inner].
template <class T>
std::vector<T> exchanged(std::span<const T> from, std::int64_t outer, std::int64_t middle) {
  std::vector<T> to(from.size());
  if (from.empty()) return to;
  const std::int64_t inner = static_cast<std::int64_t>(from.size()) / (outer * middle);
  for (std::int64_t i = 0; i < outer * middle; ++i) {
    const std::int64_t target = i % middle * outer + i / middle;
    std::copy_n(from.data() + i * inner, inner, to.data() + target * inner);
  }
  return to;
}

/// Input `i` in layout 0: [steps or directions, batch, ...].
template <class T>
std::vector<T> batch_second(const NodeCall& call, std::size_t i, const LayerShape& shape,
                            std::int64_t other) {
  const auto data = elements<T>(call, i);
  if (shape.batch_first) return exchanged(data, shape.batch, other);
  return {data.begin(), data.end()};
}

std::vector<std::int64_t> sequence_lengths(const NodeCall& call, const LayerShape& shape) {
  const Tensor* tensor = optional_input(call, 4);
  if (tensor == nullptr) {
    return std::vector<std::int64_t>(static_cast<std::size_t>(shape.batch), shape.steps);
  }
  std::vector<std::int64_t> lengths = graph::to_int64(*tensor);
  for (const std::int64_t length : lengths) {
    if (length >= 0 && length <= shape.steps) continue;
    throw InputError(fmt::format("{}: input 4 (sequence_lens): {} is not between 0 and {} steps",
                                 to_string(call.op), length, shape.steps));
  }
  return lengths;
}

/// Activations of all directions. Each takes its parameters, if it has any, from the front of the
/// lists.
std::vector<ActivationFunction> activations(const NodeCall& call,
                                            const std::vector<std::string>& defaults) {
  const std::vector<std::string> names =
      call.attributes.has("activations") ? call.attributes.texts("activations") : defaults;
  const std::vector<float> alphas = call.attributes.reals("activation_alpha");
  const std::vector<float> betas = call.attributes.reals("activation_beta");
  std::size_t next_alpha = 0;
  std::size_t next_beta = 0;
  const auto take = [](const std::vector<float>& values, std::size_t& next) {
    return next < values.size() ? std::optional<float>(values[next++]) : std::nullopt;
  };
  std::vector<ActivationFunction> result;
  for (const std::string& name : names) {
    const int parameters = activation_parameters(name);
    const auto alpha = parameters > 0 ? take(alphas, next_alpha) : std::nullopt;
    const auto beta = parameters > 1 ? take(betas, next_beta) : std::nullopt;
    result.push_back(find_activation(name, alpha, beta));
  }
  return result;
}

/// The data that all directions of a layer read and write.
template <class T>
struct LayerData {
  LayerShape shape;
  std::vector<std::int64_t> lengths;
  std::vector<T> x;          // [steps, batch, inputs]
  std::vector<T> y;          // [steps, directions, batch, hidden]
  RecurrentState<T> states;  // [directions, batch, hidden], initial and then final
};

template <class T>
RecurrentState<T> state_of(const LayerData<T>& layer, std::int64_t direction) {
  const auto hidden = part(std::span(layer.states.hidden), direction, layer.shape.directions);
  const auto cell = part(std::span(layer.states.cell), direction, layer.shape.directions);
  return {{hidden.begin(), hidden.end()}, {cell.begin(), cell.end()}};
}

/// One direction, from its initial state to its final state.
template <class T, class Cell>
class SequenceDirection {
 public:
  SequenceDirection(LayerData<T>& layer, std::int64_t number, const Cell& cell,
                    std::span<const T> weights)
      : layer_(layer),
        shape_(layer.shape),
        number_(number),
        cell_(cell),
        width_(Cell::kGates * shape_.hidden),
        projected_(static_cast<std::size_t>(shape_.steps * shape_.batch * width_)),
        gates_(static_cast<std::size_t>(shape_.batch * width_)),
        state_(state_of(layer, number)),
        next_(state_) {
    add_product_transposed(layer.x.data(), weights.data(), projected_.data(),
                           {shape_.steps * shape_.batch, shape_.inputs, width_});
  }

  void run() {
    for (std::int64_t step = 0; step < shape_.steps; ++step) {
      for (std::int64_t row = 0; row < shape_.batch; ++row) gather_gates(step, row);
      cell_.advance(gates_, state_, next_);
      for (std::int64_t row = 0; row < shape_.batch; ++row) accept_state(step, row);
    }
    copy_back(state_.hidden, layer_.states.hidden);
    copy_back(state_.cell, layer_.states.cell);
  }

 private:
  std::int64_t length(std::int64_t row) const {
    return layer_.lengths[static_cast<std::size_t>(row)];
  }
  /// The position in the sequence that is read at `step`. In reverse, it counts back from the end
  /// of the row's sequence.
  std::int64_t time(std::int64_t step, std::int64_t row) const {
    return shape_.reverse(number_) ? length(row) - 1 - step : step;
  }

  void gather_gates(std::int64_t step, std::int64_t row) {
    if (step >= length(row)) return;  // this row's next state is ignored
    const std::int64_t from = time(step, row) * shape_.batch + row;
    std::copy_n(projected_.data() + from * width_, width_, gates_.data() + row * width_);
  }

  /// After the end of a sequence its state stays and its outputs are 0.
  void accept_state(std::int64_t step, std::int64_t row) {
    if (step >= length(row)) return;
    const std::int64_t hidden = shape_.hidden;
    const std::int64_t offset = row * hidden;
    const std::int64_t line = (time(step, row) * shape_.directions + number_) * shape_.batch + row;
    std::copy_n(next_.hidden.data() + offset, hidden, state_.hidden.data() + offset);
    std::copy_n(next_.hidden.data() + offset, hidden, layer_.y.data() + line * hidden);
    if (!state_.cell.empty()) {
      std::copy_n(next_.cell.data() + offset, hidden, state_.cell.data() + offset);
    }
  }

  void copy_back(const std::vector<T>& from, std::vector<T>& to) const {
    std::ranges::copy(from, part(std::span(to), number_, shape_.directions).begin());
  }

  LayerData<T>& layer_;
  const LayerShape& shape_;
  std::int64_t number_;
  const Cell& cell_;
  std::int64_t width_;
  std::vector<T> projected_;
  std::vector<T> gates_;
  RecurrentState<T> state_;
  RecurrentState<T> next_;
};

template <class T>
LayerData<T> make_layer(const NodeCall& call, bool has_cell_state) {
  LayerData<T> layer;
  layer.shape = layer_shape(call);
  layer.lengths = sequence_lengths(call, layer.shape);
  layer.x = batch_second<T>(call, 0, layer.shape, layer.shape.steps);
  const Shape states{layer.shape.directions, layer.shape.batch, layer.shape.hidden};
  const auto size = static_cast<std::size_t>(graph::element_count(states));
  layer.y.resize(static_cast<std::size_t>(layer.shape.steps) * size);
  layer.states.hidden = batch_second<T>(call, 5, layer.shape, layer.shape.directions);
  layer.states.hidden.resize(size);
  if (has_cell_state) {
    layer.states.cell = batch_second<T>(call, 6, layer.shape, layer.shape.directions);
    layer.states.cell.resize(size);
  }
  return layer;
}

template <class T>
CellParameters<T> parameters_of(const NodeCall& call, const LayerShape& shape,
                                std::int64_t direction,
                                const std::vector<ActivationFunction>& functions) {
  const auto of_direction = [&](std::size_t i) {
    return part(elements<T>(call, i), direction, shape.directions);
  };
  const auto mine = part(std::span(functions), direction, shape.directions);
  CellParameters<T> parameters;
  parameters.batch = shape.batch;
  parameters.hidden = shape.hidden;
  parameters.recurrence = of_direction(2);
  parameters.bias = of_direction(3);
  if (optional_input(call, 7) != nullptr) parameters.peephole = of_direction(7);
  parameters.activations.assign(mine.begin(), mine.end());
  parameters.clip = call.attributes.real("clip", 0);
  parameters.linear_before_reset = call.attributes.integer("linear_before_reset", 0) != 0;
  parameters.input_forget = call.attributes.integer("input_forget", 0) != 0;
  return parameters;
}

template <class T>
Tensor tensor_of(Shape shape, const std::vector<T>& values) {
  return Tensor::of(std::move(shape), values);
}

/// [directions, batch, hidden], or, batch first, [batch, directions, hidden].
template <class T>
Tensor state_tensor(const LayerShape& shape, const std::vector<T>& state) {
  if (!shape.batch_first) return tensor_of({shape.directions, shape.batch, shape.hidden}, state);
  return tensor_of({shape.batch, shape.directions, shape.hidden},
                   exchanged(std::span<const T>(state), shape.directions, shape.batch));
}

template <class T>
Tensor sequence_tensor(const LayerData<T>& layer) {
  const LayerShape& shape = layer.shape;
  if (!shape.batch_first) {
    return tensor_of({shape.steps, shape.directions, shape.batch, shape.hidden}, layer.y);
  }
  return tensor_of(
      {shape.batch, shape.steps, shape.directions, shape.hidden},
      exchanged(std::span<const T>(layer.y), shape.steps * shape.directions, shape.batch));
}

/// `defaults` are the default activations of one direction.
template <class T, class Cell>
Tensors run_layer(const NodeCall& call, const std::vector<std::string>& defaults,
                  bool has_cell_state) {
  LayerData<T> layer = make_layer<T>(call, has_cell_state);
  const std::int64_t directions = layer.shape.directions;
  std::vector<std::string> names = defaults;
  if (directions == 2) names.insert(names.end(), defaults.begin(), defaults.end());
  const std::vector<ActivationFunction> functions = activations(call, names);
  for (std::int64_t d = 0; d < directions; ++d) {
    const Cell cell(parameters_of<T>(call, layer.shape, d, functions));
    SequenceDirection<T, Cell>(layer, d, cell, part(elements<T>(call, 1), d, directions)).run();
  }
  Tensors outputs{sequence_tensor(layer), state_tensor(layer.shape, layer.states.hidden)};
  if (has_cell_state) outputs.push_back(state_tensor(layer.shape, layer.states.cell));
  return outputs;
}

Tensors evaluate_lstm(const NodeCall& call) {
  return with_real(call, [&]<class T>(T) {
    return run_layer<T, LstmCell<T>>(call, {"Sigmoid", "Tanh", "Tanh"}, true);
  });
}

Tensors evaluate_gru(const NodeCall& call) {
  return with_real(call, [&]<class T>(T) {
    return run_layer<T, GruCell<T>>(call, {"Sigmoid", "Tanh"}, false);
  });
}

Tensors evaluate_rnn(const NodeCall& call) {
  return with_real(call,
                   [&]<class T>(T) { return run_layer<T, RnnCell<T>>(call, {"Tanh"}, false); });
}

}  // namespace

Kernels recurrent_kernels() {
  static constexpr auto kKernels = std::to_array<KernelEntry>({
      {Op::kLstm, with_half<evaluate_lstm>},
      {Op::kGru, with_half<evaluate_gru>},
      {Op::kRnn, with_half<evaluate_rnn>},
  });
  return kKernels;
}

}  // namespace weft::reference
