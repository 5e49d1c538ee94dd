// Plans as files: what is written is read again, and plans that differ have different hashes.
#include "report/plan/plan_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>
#include <set>
#include <string>

#include "base/error.h"
#include "sim/config/config_keys.h"

namespace weft::report {
namespace {

using compiler::LayersPlan;
using compiler::NetworkPlan;
using compiler::ProductPlan;

class PlanFileTest : public testing::Test {
 protected:
  ~PlanFileTest() override { std::filesystem::remove(file_); }

  NetworkPlan read(const std::string& text) const {
    std::ofstream(file_, std::ios::binary) << text;
    return read_plan_file(file_, workload_);
  }
  std::string refusal(const std::string& text) const {
    try {
      read(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  const PlannedWorkload workload_{"net \"1\"", "x fp32[1,4]", "0123", load_preset("tiny")};
  const std::string file_ =
      std::filesystem::temp_directory_path() / ("weft-plan-" + std::to_string(getpid()));
};

NetworkPlan random_plan(std::mt19937_64& random) {
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  const auto choice = [&] {
    const std::uint32_t drawn = below(3);
    return drawn == 2 ? std::nullopt : std::optional(drawn == 1);
  };
  NetworkPlan plan{{choice(), choice(), choice(), choice(), choice(), choice(), choice()}, {}};
  for (std::uint32_t i = below(4); i > 0; --i) {
    if (below(3) == 0) {
      plan.programs.emplace_back(ProductPlan{
          "p", below(2) == 0 ? LoopOrder::kChunkOutermost : LoopOrder::kChunkInnermost,
          1 + below(9), below(2) == 0, below(9), below(9), below(9), below(65), below(2) == 0});
      continue;
    }
    LayersPlan layers{{1 + below(99), 1 + below(99), 1 + below(9)},
                      below(5000),
                      below(300),
                      compiler::kInstructionOrders[below(compiler::kInstructionOrders.size())],
                      below(2) == 0 ? compiler::Fit::kFirst : compiler::Fit::kNext,
                      below(2) == 0,
                      below(9),
                      1 + below(4),
                      below(9),
                      {}};
    for (std::uint32_t layer = below(5); layer > 0; --layer) {
      layers.layers.push_back({"l \"" + std::to_string(layer) + "\\\n", below(3), 1 + below(8),
                               1 + below(8), below(2) == 0, below(4096), below(65)});
    }
    plan.programs.emplace_back(std::move(layers));
  }
  return plan;
}

TEST_F(PlanFileTest, ReadsWhatItWrote) {
  std::cout << "seed 1\n";
  std::mt19937_64 random(1);
  for (int i = 0; i < 500; ++i) {
    const NetworkPlan plan = random_plan(random);
    const std::string text = plan_file_text(plan, workload_);
    EXPECT_EQ(read(text), plan) << text;
  }
}

TEST_F(PlanFileTest, EveryFieldChangesTheHash) {
  const NetworkPlan plan{
      {},
      {LayersPlan{{1, 1, 1}, 8, 2, {}, {}, false, 0, 1, 0, {{"l", 0, 1, 1, false, 0, 0}}},
       ProductPlan{"p"}}};
  const auto layers = [](NetworkPlan& of) -> LayersPlan& {
    return std::get<LayersPlan>(of.programs[0]);
  };
  const auto product = [](NetworkPlan& of) -> ProductPlan& {
    return std::get<ProductPlan>(of.programs[1]);
  };
  const std::vector<std::function<void(NetworkPlan&)>> changes = {
      [](NetworkPlan& p) { p.choices.packed_taps = true; },
      [](NetworkPlan& p) { p.choices.packed_taps = false; },
      [](NetworkPlan& p) { p.choices.joined_lines = false; },
      [](NetworkPlan& p) { p.choices.turned_results = true; },
      [](NetworkPlan& p) { p.choices.turned_values = true; },
      [](NetworkPlan& p) { p.choices.depthwise_on_vector_unit = true; },
      [](NetworkPlan& p) { p.programs.pop_back(); },
      [&](NetworkPlan& p) { layers(p).capacities.unified_buffer_kib = 2; },
      [&](NetworkPlan& p) { layers(p).capacities.accumulator_rows = 2; },
      [&](NetworkPlan& p) { layers(p).capacities.weight_fifo_tiles = 2; },
      [&](NetworkPlan& p) { layers(p).staging_rows = 9; },
      [&](NetworkPlan& p) { layers(p).tile_slots = 9; },
      [&](NetworkPlan& p) { layers(p).order = compiler::InstructionOrder::kByStart; },
      [&](NetworkPlan& p) { layers(p).fit = compiler::Fit::kNext; },
      [&](NetworkPlan& p) { layers(p).cut_inputs = true; },
      [&](NetworkPlan& p) { layers(p).round = 2; },
      [&](NetworkPlan& p) { layers(p).rounds_at_once = 2; },
      [&](NetworkPlan& p) { layers(p).merged = 2; },
      [&](NetworkPlan& p) { layers(p).layers[0].layer = "m"; },
      [&](NetworkPlan& p) { layers(p).layers[0].form = 1; },
      [&](NetworkPlan& p) { layers(p).layers[0].images = 2; },
      [&](NetworkPlan& p) { layers(p).layers[0].bands = 2; },
      [&](NetworkPlan& p) { layers(p).layers[0].keep_halo = true; },
      [&](NetworkPlan& p) { layers(p).layers[0].chunk_rows = 1; },
      [&](NetworkPlan& p) { layers(p).layers[0].buffered_tiles = 1; },
      [&](NetworkPlan& p) { product(p).layer = "q"; },
      [&](NetworkPlan& p) { product(p).order = LoopOrder::kChunkInnermost; },
      [&](NetworkPlan& p) { product(p).chunk_rows = 1; },
      [&](NetworkPlan& p) { product(p).activations_resident = true; },
      [&](NetworkPlan& p) { product(p).activation_slots = 1; },
      [&](NetworkPlan& p) { product(p).bias_slots = 1; },
      [&](NetworkPlan& p) { product(p).tile_slots = 1; },
      [&](NetworkPlan& p) { product(p).buffered_tiles = 1; },
      [&](NetworkPlan& p) { product(p).stores_by_row = true; },
      [&](NetworkPlan& p) { product(p).weight_fifo_tiles = 1; },
      [&](NetworkPlan& p) { product(p).queue_depth = 1; },
  };
  std::set<std::string> hashes = {plan_hash(plan)};
  for (const auto& change : changes) {
    NetworkPlan changed = plan;
    change(changed);
    hashes.insert(plan_hash(changed));
  }
  EXPECT_EQ(hashes.size(), 1 + changes.size());
}

TEST_F(PlanFileTest, NamesTheFieldOfAProduct) {
  const NetworkPlan plan{{}, {ProductPlan{"fc"}}};
  const std::string text = plan_file_text(plan, workload_);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return refusal(changed.replace(at, from.size(), to));
  };
  EXPECT_EQ(with("\"bias_slots\":0", "\"bias_slots\":-1"),
            "layer 'fc': bias_slots is not a whole number of at least 0");
  EXPECT_EQ(with("\"bias_slots\":0", "\"bias_slots\":4294967296"),
            "layer 'fc': bias_slots is too large");
  EXPECT_EQ(with("chunks outermost", "chunks"),
            "layer 'fc': order is 'chunks'; must be \"chunks outermost\" or \"chunks innermost\"");
  EXPECT_EQ(with(",\"bias_slots\":0", ""), "layer 'fc': bias_slots is missing");
}

TEST_F(PlanFileTest, AttributesMakeAnotherNetwork) {
  graph::Graph graph;
  graph.nodes.push_back({graph::Op::kConv, "conv", {}, {}, {}});
  const std::string plain = planned_workload("n", graph, {}).fingerprint;
  graph.nodes[0].attributes.set("dilations", std::vector<std::int64_t>{2, 2});
  const std::string wide = planned_workload("n", graph, {}).fingerprint;
  graph.nodes[0].attributes.set("dilations", std::vector<std::int64_t>{2, 1});
  EXPECT_EQ((std::set{plain, wide, planned_workload("n", graph, {}).fingerprint}).size(), 3U);
}

}  // namespace
}  // namespace weft::report
