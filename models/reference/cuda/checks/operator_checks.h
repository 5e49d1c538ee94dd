// Checks of networks on a device against the CPU reference.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/reference/cuda/checks/check.h"
#include "models/reference/cuda/checks/operator_cases.h"
#include "models/reference/cuda/cuda_backend.h"

namespace weft::cuda {

/// What is wrong with `actual`, outputs of the case by name; empty if nothing is.
std::string difference(const OperatorCase& test, const NamedTensors& actual, MatmulType matmul);

/// Runs the case on the device. Empty if every output is as close to the CPU reference's as the
/// case asks; else what is wrong.
std::string difference(const OperatorCase& test, const std::shared_ptr<Device>& device,
                       MatmulType matmul);

/// `rounds` rounds of random cases of every family, contractions in every arithmetic. One outcome
/// for each operator that the device runs; one of which no case was drawn has failed.
std::vector<Outcome> check_operators(const std::shared_ptr<Device>& device, std::uint64_t seed,
                                     int rounds);

/// Runs a network on the device and compares every node's outputs with what the CPU reference makes
/// of that node's inputs, as the device had them: bounds hold for each node on its own, and nothing
/// adds up. One outcome.
Outcome check_network(const std::string& name, const graph::Graph& graph,
                      const NamedTensors& inputs, const std::shared_ptr<Device>& device,
                      MatmulType matmul);

/// A perceptron of two layers with its gradients and one step of SGD with momentum, as a training
/// graph has them, and its inputs.
struct TrainingStep {
  graph::Graph graph;
  NamedTensors inputs;
};
TrainingStep training_step(std::uint64_t seed);

}  // namespace weft::cuda
