// Steps of recurrent layers that share tiles (InstructionOrder::kByTile): all engines agree, int8
// has the bits of the reference, floats lie within the bounds for any order of a sum.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <variant>

#include "compiler/schedule/compile_network.h"
#include "compiler/schedule/plan/network_plan.h"
#include "models/networks/sample_inputs.h"
#include "models/reference/cpu/run_graph.h"
#include "runtime/network_check.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random_machine.h"
#include "tests/schedule/random_recurrence.h"

namespace weft::compiler::testing {
namespace {

/// The network as scheduled, with all programs in this order. It has rounds one after the other.
NetworkProgram in_order(const ScheduledNetwork& scheduled, const MachineConfig& config,
                        InstructionOrder order) {
  NetworkPlan plan = network_plan(scheduled);
  for (ProgramPlan& program : plan.programs) {
    auto* layers = std::get_if<LayersPlan>(&program);
    if (layers == nullptr) continue;
    layers->order = order;
    layers->rounds_at_once = 1;
    layers->merged = 0;
  }
  return write_programs(schedule_as_planned(scheduled.graph, config, plan), config);
}

std::uint64_t fetches_of(const NetworkProgram& program) {
  std::uint64_t fetches = 0;
  for (const LayerInfo& layer : layers_of(program)) fetches += layer.fetches;
  return fetches;
}

/// The same from the instructions.
std::uint64_t fetches_in(const NetworkProgram& program) {
  std::uint64_t fetches = 0;
  for (const auto& step : program.steps) {
    const auto* machine = std::get_if<MachineStep>(&step);
    if (machine == nullptr) continue;
    for (const Instruction& instruction : machine->program.code) {
      if (instruction.unit() == Unit::kFetch) ++fetches;
    }
  }
  return fetches;
}

TEST(SharedTilesTest, EnginesAgreeAndKeepTheReferencesValues) {
  constexpr std::uint64_t kSeed = 20261127;
  std::cout << "seed " << kSeed << '\n';
  Random random(kSeed);
  int saving = 0;
  int floats = 0;
  for (int i = 0; i < 40; ++i) {
    SCOPED_TRACE("network " + std::to_string(i));
    const graph::Graph built = random_recurrence(random, static_cast<int>(random.between(2, 12)));
    const ElementType dtype = random.chance(50) ? ElementType::kBf16 : ElementType::kInt8;
    const graph::Graph graph = dtype == ElementType::kInt8 ? quantized(built) : prepared(built);
    const MachineConfig config = random_machine(random, dtype);
    const ScheduledNetwork scheduled = schedule_network(graph, config);
    const NetworkProgram shared = in_order(scheduled, config, InstructionOrder::kByTile);
    EXPECT_EQ(fetches_of(shared), fetches_in(shared));
    const auto inputs = networks::sample_inputs(graph, kSeed);
    const runtime::NetworkRun run = run_everywhere(shared, config, inputs);
    if (dtype == ElementType::kInt8) {
      EXPECT_EQ(run.outputs, reference::run_graph(shared.graph, inputs));
    } else {
      const auto kept =
          runtime::run_network(shared, config, inputs, {.simulate = {}, .keep_results = true});
      EXPECT_EQ(kept.outputs, run.outputs);
      EXPECT_EQ(runtime::check_network(shared, config, inputs, kept).mismatch.value_or(""), "");
    }

    const NetworkProgram plain = in_order(scheduled, config, InstructionOrder::kByStart);
    EXPECT_EQ(fetches_of(plain), fetches_in(plain));
    if (fetches_of(shared) >= fetches_of(plain)) continue;
    ++saving;
    if (dtype != ElementType::kInt8) ++floats;
  }
  EXPECT_GT(saving, 20);
  EXPECT_GT(floats, 8);
}

}  // namespace
}  // namespace weft::compiler::testing
