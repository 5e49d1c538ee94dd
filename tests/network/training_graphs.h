// Training graphs put together by hand: a network's forward pass, and the gradients of its weights.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "cli/network_runner.h"
#include "compiler/graph/builder.h"
#include "tests/network/random.h"

namespace weft::network::testing {

/// Constants that are made on demand, and may change between runs.
using Weights = std::map<std::string, graph::Tensor>;

struct TrainingCase {
  graph::Graph graph;
  std::shared_ptr<Weights> weights;
  cli::NamedTensors inputs;
};

/// relu(x W1 + b1) W2 + b2 with the gradients of softmax cross-entropy.
struct MlpSizes {
  std::int64_t batch = 1;
  std::int64_t inputs = 1;
  std::int64_t hidden = 1;
  std::int64_t classes = 1;
};
TrainingCase mlp_training(const MlpSizes& sizes, Random& random);

}  // namespace weft::network::testing
