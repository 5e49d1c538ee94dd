// Makes the nodes of one direction of an LSTM, GRU or RNN: those shared by all steps, and those of
// each step. States have the shape [1, B, H], like one step of a sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/passes/rewrite/rewriter.h"

namespace weft::passes {

struct RecurrentDims {
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  std::int64_t inputs = 0;
  std::int64_t hidden = 0;
  std::int64_t directions = 0;
};

/// Numbers of the operators' inputs. Only LSTM has an initial cell state.
inline constexpr std::size_t kInitialHidden = 5;
inline constexpr std::size_t kInitialCell = 6;

/// The number of gates. Their order in the weights is: LSTM iofc, GRU zrh, RNN i.
std::int64_t gate_count(graph::Op op);
/// The default activations of one direction, in ONNX's order: LSTM f g h, GRU f g, RNN f.
std::vector<std::string> default_activations(graph::Op op);

struct RecurrentValues {
  graph::ValueId hidden = graph::kNoValue;
  graph::ValueId cell = graph::kNoValue;  // only for LSTM
};

class RecurrentCell {
 public:
  /// Adds the nodes that all steps share. `numbers[i]` is the int64 constant [i], for i up to the
  /// number of steps and the number of directions.
  RecurrentCell(Rewriter& rewriter, const graph::Node& node, const RecurrentDims& dims,
                std::int64_t direction, const std::vector<graph::ValueId>& numbers);

  RecurrentValues initial_state();
  /// Adds step `t` of the sequence after `before`.
  RecurrentValues step(std::int64_t t, const RecurrentValues& before);

 private:
  struct Gate {
    graph::ValueId from_input = graph::kNoValue;  // X W^T + bias, [S, B, H]
    graph::ValueId recurrent = graph::kNoValue;   // R^T, [H, H]
  };

  Gate make_gate(std::int64_t gate);
  graph::ValueId gate_matrix(std::size_t input, std::int64_t gate, std::int64_t columns);
  graph::ValueId gate_bias(std::int64_t gate);
  graph::ValueId vector(std::size_t input, std::int64_t offset);
  graph::ValueId initial(std::size_t input);

  graph::ValueId add(graph::Op op, std::vector<graph::ValueId> inputs,
                     graph::Attributes attributes = {});
  graph::ValueId activation(std::size_t which, graph::ValueId value);
  graph::ValueId at(const Gate& gate, std::int64_t t);
  /// at(gate, t) + hidden R^T
  graph::ValueId sum(const Gate& gate, std::int64_t t, graph::ValueId hidden);
  graph::ValueId with_peephole(graph::ValueId sum, std::size_t which, graph::ValueId cell);

  RecurrentValues lstm_step(std::int64_t t, const RecurrentValues& before);
  RecurrentValues gru_step(std::int64_t t, const RecurrentValues& before);

  Rewriter& rewriter_;
  const graph::Node& node_;
  RecurrentDims dims_;
  std::int64_t direction_;
  const std::vector<graph::ValueId>& numbers_;
  std::vector<std::string> activations_;
  std::vector<Gate> gates_;
  std::vector<graph::ValueId> peepholes_;        // LSTM: for i, o and f; empty if it has none
  graph::ValueId reset_bias_ = graph::kNoValue;  // GRU: the bias that is added before the reset
  graph::ValueId one_ = graph::kNoValue;         // GRU: the constant 1
};

}  // namespace weft::passes
