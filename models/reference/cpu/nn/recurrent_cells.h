// One step of LSTM, GRU and RNN for all sequences of a batch: computes the next state from the
// projected input and the last state. Source: ONNX operator specification, opset 17. The equations
// are in recurrent_cells.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "models/reference/cpu/nn/activation.h"

namespace weft::reference {

/// Both are [batch, hidden]. Only the LSTM has a cell state.
template <class T>
struct RecurrentState {
  std::vector<T> hidden;
  std::vector<T> cell;
};

/// One direction's weights and options. G is the cell's number of gates.
template <class T>
struct CellParameters {
  std::int64_t batch = 0;
  std::int64_t hidden = 0;
  std::span<const T> recurrence;                // R [G*hidden, hidden]
  std::span<const T> bias;                      // Wb, then Rb: [2*G*hidden]; or empty
  std::span<const T> peephole;                  // Pi, Po, Pf: [3*hidden]; or empty
  std::vector<ActivationFunction> activations;  // f, g, h
  float clip = 0;                               // bounds the activations' inputs; 0: no bound
  bool linear_before_reset = false;             // GRU
  bool input_forget = false;                    // LSTM: the forget gate is 1 - the input gate
};

/// Multiplies a state by R', for some gates of R.
template <class T>
class Recurrence {
 public:
  /// Takes gates [first, first + count) of R.
  Recurrence(const CellParameters<T>& parameters, std::int64_t first, std::int64_t count);
  /// [batch, count*hidden].
  std::vector<T> of(const std::vector<T>& state) const;

 private:
  std::int64_t batch_;
  std::int64_t hidden_;
  std::int64_t width_;
  std::vector<T> turned_;  // [hidden, width]
};

/// Gates i, o, f, c.
template <class T>
class LstmCell {
 public:
  static constexpr std::int64_t kGates = 4;
  explicit LstmCell(const CellParameters<T>& parameters);
  /// `gates` [batch, G*hidden] is x W' for this step and is overwritten. `next` must not be
  /// `state`.
  void advance(std::vector<T>& gates, const RecurrentState<T>& state,
               RecurrentState<T>& next) const;

 private:
  CellParameters<T> parameters_;
  Recurrence<T> recurrence_;
};

/// Gates z, r, h.
template <class T>
class GruCell {
 public:
  static constexpr std::int64_t kGates = 3;
  explicit GruCell(const CellParameters<T>& parameters);
  void advance(std::vector<T>& gates, const RecurrentState<T>& state,
               RecurrentState<T>& next) const;

 private:
  CellParameters<T> parameters_;
  Recurrence<T> update_and_reset_;
  Recurrence<T> candidate_;
};

template <class T>
class RnnCell {
 public:
  static constexpr std::int64_t kGates = 1;
  explicit RnnCell(const CellParameters<T>& parameters);
  void advance(std::vector<T>& gates, const RecurrentState<T>& state,
               RecurrentState<T>& next) const;

 private:
  CellParameters<T> parameters_;
  Recurrence<T> recurrence_;
};

}  // namespace weft::reference
