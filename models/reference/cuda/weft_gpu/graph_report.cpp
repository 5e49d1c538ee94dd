// check_graphs() with the graph and the CPU reference.
#include "models/networks/networks.h"
#include "models/networks/sample_inputs.h"
#include "models/reference/cuda/checks/operator_checks.h"
#include "models/reference/cuda/weft_gpu/report.h"

namespace weft::cuda {
namespace {

constexpr MatmulType kFloatTypes[] = {MatmulType::kFloat32, MatmulType::kTf32, MatmulType::kBf16,
                                      MatmulType::kFp16};

}  // namespace

std::vector<Outcome> check_graphs(const std::shared_ptr<Device>& device, bool large) {
  std::vector<Outcome> outcomes = check_operators(device, 1, 40);
  const TrainingStep step = training_step(1);
  std::vector<const char*> names = {"mlp", "lenet5"};
  if (large) names.insert(names.end(), {"resnet18", "mobilenetv2"});
  for (const MatmulType type : kFloatTypes) {
    outcomes.push_back(check_network("training step", step.graph, step.inputs, device, type));
    for (const char* name : names) {
      const graph::Graph graph = networks::build_network(name, {.batch = 2});
      outcomes.push_back(
          check_network(name, graph, networks::sample_inputs(graph, 1), device, type));
    }
  }
  return outcomes;
}

}  // namespace weft::cuda
