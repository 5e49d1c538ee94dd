#include "models/reference/cpu/nn/recurrent_cells.h"

#include "models/reference/cpu/nn/scalar_functions.h"
#include "models/reference/cpu/product/product.h"

namespace weft::reference {
namespace {

/// Part `part` of row `row`. A row has `parts` parts of `width` elements.
template <class T>
T* part_of(std::vector<T>& rows, std::int64_t row, std::int64_t parts, std::int64_t part,
           std::int64_t width) {
  return rows.data() + (row * parts + part) * width;
}
template <class T>
const T* part_of(const std::vector<T>& rows, std::int64_t row, std::int64_t parts,
                 std::int64_t part, std::int64_t width) {
  return rows.data() + (row * parts + part) * width;
}

/// Element `i` of bias `number`: Wb's gates come first, then Rb's. 0 if there is no bias.
template <class T>
T bias_at(const CellParameters<T>& parameters, std::int64_t number, std::int64_t i) {
  if (parameters.bias.empty()) return T{0};
  return parameters.bias[static_cast<std::size_t>(number * parameters.hidden + i)];
}

/// gate += recurrence + (Wb + Rb).
template <class T>
void complete_gate(const CellParameters<T>& parameters, std::int64_t gates, std::int64_t number,
                   const T* recurrence, T* gate) {
  for (std::int64_t i = 0; i < parameters.hidden; ++i) {
    const T bias = bias_at(parameters, number, i) + bias_at(parameters, gates + number, i);
    gate[i] = gate[i] + recurrence[i] + bias;
  }
}

template <class T>
void activate(const CellParameters<T>& parameters, std::size_t which, T* values) {
  const std::span<T> elements(values, static_cast<std::size_t>(parameters.hidden));
  if (parameters.clip > 0) {
    const T bound = static_cast<T>(parameters.clip);
    for (T& element : elements) element = clip(element, -bound, bound);
  }
  apply_activation(parameters.activations[which], elements);
}

/// gate += peephole number `number` * cell.
template <class T>
void add_peephole(const CellParameters<T>& parameters, std::int64_t number, const T* cell,
                  T* gate) {
  if (parameters.peephole.empty()) return;
  const T* weights = parameters.peephole.data() + number * parameters.hidden;
  for (std::int64_t i = 0; i < parameters.hidden; ++i) gate[i] += weights[i] * cell[i];
}

}  // namespace

template <class T>
Recurrence<T>::Recurrence(const CellParameters<T>& parameters, std::int64_t first,
                          std::int64_t count)
    : batch_(parameters.batch),
      hidden_(parameters.hidden),
      width_(count * parameters.hidden),
      turned_(static_cast<std::size_t>(width_ * hidden_)) {
  transpose(parameters.recurrence.data() + first * hidden_ * hidden_, turned_.data(), width_,
            hidden_);
}

template <class T>
std::vector<T> Recurrence<T>::of(const std::vector<T>& state) const {
  std::vector<T> result(static_cast<std::size_t>(batch_ * width_));
  add_product(state.data(), turned_.data(), result.data(), {batch_, hidden_, width_});
  return result;
}

template <class T>
LstmCell<T>::LstmCell(const CellParameters<T>& parameters)
    : parameters_(parameters), recurrence_(parameters, 0, kGates) {}

// i = f(x Wi' + H Ri' + Pi*C + Wbi + Rbi)     f likewise, or 1 - i
// c = g(x Wc' + H Rc' + Wbc + Rbc)            C' = f*C + i*c
// o = f(x Wo' + H Ro' + Po*C' + Wbo + Rbo)    H' = o * h(C')
template <class T>
void LstmCell<T>::advance(std::vector<T>& gates, const RecurrentState<T>& state,
                          RecurrentState<T>& next) const {
  const std::int64_t width = parameters_.hidden;
  const std::vector<T> recurrence = recurrence_.of(state.hidden);
  for (std::int64_t row = 0; row < parameters_.batch; ++row) {
    for (std::int64_t gate = 0; gate < kGates; ++gate) {
      complete_gate(parameters_, kGates, gate, part_of(recurrence, row, kGates, gate, width),
                    part_of(gates, row, kGates, gate, width));
    }
    T* input = part_of(gates, row, kGates, 0, width);
    T* output = part_of(gates, row, kGates, 1, width);
    T* forget = part_of(gates, row, kGates, 2, width);
    T* candidate = part_of(gates, row, kGates, 3, width);
    const T* last = part_of(state.cell, row, 1, 0, width);
    T* cell = part_of(next.cell, row, 1, 0, width);
    T* hidden = part_of(next.hidden, row, 1, 0, width);
    add_peephole(parameters_, 0, last, input);
    add_peephole(parameters_, 2, last, forget);
    activate(parameters_, 0, input);
    activate(parameters_, 0, forget);
    activate(parameters_, 1, candidate);
    for (std::int64_t i = 0; i < width; ++i) {
      const T kept = parameters_.input_forget ? T{1} - input[i] : forget[i];
      cell[i] = kept * last[i] + input[i] * candidate[i];
      hidden[i] = cell[i];
    }
    add_peephole(parameters_, 1, cell, output);
    activate(parameters_, 0, output);
    activate(parameters_, 2, hidden);
    for (std::int64_t i = 0; i < width; ++i) hidden[i] *= output[i];
  }
}

template <class T>
GruCell<T>::GruCell(const CellParameters<T>& parameters)
    : parameters_(parameters), update_and_reset_(parameters, 0, 2), candidate_(parameters, 2, 1) {}

// z = f(x Wz' + H Rz' + Wbz + Rbz)                  r likewise
// h = g(x Wh' + (r*H) Rh' + Rbh + Wbh)              linear_before_reset 0
// h = g(x Wh' + r*(H Rh' + Rbh) + Wbh)              linear_before_reset 1
// H' = (1 - z)*h + z*H
template <class T>
void GruCell<T>::advance(std::vector<T>& gates, const RecurrentState<T>& state,
                         RecurrentState<T>& next) const {
  const std::int64_t width = parameters_.hidden;
  const std::vector<T> recurrence = update_and_reset_.of(state.hidden);
  std::vector<T> source = state.hidden;
  for (std::int64_t row = 0; row < parameters_.batch; ++row) {
    for (std::int64_t gate = 0; gate < 2; ++gate) {
      T* values = part_of(gates, row, kGates, gate, width);
      complete_gate(parameters_, kGates, gate, part_of(recurrence, row, 2, gate, width), values);
      activate(parameters_, 0, values);
    }
    if (parameters_.linear_before_reset) continue;
    const T* reset = part_of(gates, row, kGates, 1, width);
    T* values = part_of(source, row, 1, 0, width);
    for (std::int64_t i = 0; i < width; ++i) values[i] *= reset[i];
  }
  const std::vector<T> product = candidate_.of(source);
  for (std::int64_t row = 0; row < parameters_.batch; ++row) {
    const T* update = part_of(gates, row, kGates, 0, width);
    const T* reset = part_of(gates, row, kGates, 1, width);
    T* candidate = part_of(gates, row, kGates, 2, width);
    const T* from = part_of(product, row, 1, 0, width);
    for (std::int64_t i = 0; i < width; ++i) {
      const T linear = from[i] + bias_at(parameters_, kGates + 2, i);
      candidate[i] += parameters_.linear_before_reset ? reset[i] * linear : linear;
      candidate[i] += bias_at(parameters_, 2, i);
    }
    activate(parameters_, 1, candidate);
    const T* last = part_of(state.hidden, row, 1, 0, width);
    T* hidden = part_of(next.hidden, row, 1, 0, width);
    for (std::int64_t i = 0; i < width; ++i) {
      hidden[i] = (T{1} - update[i]) * candidate[i] + update[i] * last[i];
    }
  }
}

template <class T>
RnnCell<T>::RnnCell(const CellParameters<T>& parameters)
    : parameters_(parameters), recurrence_(parameters, 0, kGates) {}

// H' = f(x W' + H R' + Wb + Rb)
template <class T>
void RnnCell<T>::advance(std::vector<T>& gates, const RecurrentState<T>& state,
                         RecurrentState<T>& next) const {
  const std::int64_t width = parameters_.hidden;
  const std::vector<T> recurrence = recurrence_.of(state.hidden);
  for (std::int64_t row = 0; row < parameters_.batch; ++row) {
    T* gate = part_of(gates, row, 1, 0, width);
    complete_gate(parameters_, kGates, 0, part_of(recurrence, row, 1, 0, width), gate);
    activate(parameters_, 0, gate);
    std::copy_n(gate, width, part_of(next.hidden, row, 1, 0, width));
  }
}

template class LstmCell<float>;
template class LstmCell<double>;
template class GruCell<float>;
template class GruCell<double>;
template class RnnCell<float>;
template class RnnCell<double>;

}  // namespace weft::reference
