// Checks of networks on a device against the CPU reference.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/reference/cuda/checks/check.h"
#include "models/reference/cuda/checks/operator_cases.h"
#include "models/reference/cuda/cuda_backend.h"

namespace weft::cuda {

/// Says what is wrong with `actual`, the case's outputs by name; empty if nothing is.
std::string difference(const OperatorCase& test, const NamedTensors& actual, MatmulType matmul);

/// Runs the case on the device. Returns what is wrong; empty if every output is as close to the CPU
/// reference's as the case requires.
std::string difference(const OperatorCase& test, const std::shared_ptr<Device>& device,
                       MatmulType matmul);

/// Runs `rounds` rounds of random cases of every family, contractions in every arithmetic. Returns
/// one outcome for each operator that the device runs. An operator without a case has failed.
std::vector<Outcome> check_operators(const std::shared_ptr<Device>& device, std::uint64_t seed,
                                     int rounds);

/// Runs a network on the device and compares every node's outputs with the CPU reference. The
/// reference gets the inputs that the node had on the device, so errors do not accumulate and
/// bounds hold for each node. Returns one outcome.
Outcome check_network(const std::string& name, const graph::Graph& graph,
                      const NamedTensors& inputs, const std::shared_ptr<Device>& device,
                      MatmulType matmul);

/// One step of training a two-layer perceptron, with its gradients and SGD with momentum: graph and
/// inputs.
struct TrainingStep {
  graph::Graph graph;
  NamedTensors inputs;
};
TrainingStep training_step(std::uint64_t seed);

}  // namespace weft::cuda
