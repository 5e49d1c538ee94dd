// The candidates of a layer: each is the run of a plan in which that one decision was edited.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "compiler/schedule/plan/network_plan.h"
#include "runtime/analysis/candidate_runs.h"
#include "runtime/analysis/doubled_sizes.h"
#include "runtime/compile.h"
#include "runtime/network_timing.h"
#include "sim/config/config_keys.h"
#include "tests/schedule/draws.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random_machine.h"
#include "tests/schedule/small_networks.h"

namespace weft::compiler::testing {
namespace {

using runtime::CandidateRun;
using runtime::CandidateRuns;
using runtime::LayerRun;
using runtime::NetworkRun;

constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 40U;

/// A small network on a random machine, scheduled and timed.
struct Case {
  std::int64_t batch = 1;
  graph::Graph graph;
  MachineConfig config;
  MappingOptions mapping;
  ScheduledNetwork network;
  NetworkRun run;
  double searched = 0;  // the largest share of the search's limit that was reported

  Case(std::uint64_t seed, SearchEffort effort) {
    Random random(seed);
    config = random_machine(random, random.chance(70) ? ElementType::kBf16 : ElementType::kInt8);
    const SmallNetwork& small = small_networks()[seed % small_networks().size()];
    batch = random.one_of<std::int64_t>({1, 2, 4});
    graph = small.of_batch(batch);
    // Then some other decisions do not fit.
    if (config.dtype == ElementType::kBf16 && random.chance(25)) {
      config = with_smallest_buffer(prepared(graph), config);
    }
    mapping.effort = effort;
    mapping.progress = [this](double share) { searched = std::max(searched, share); };
    network = runtime::schedule(graph, config, nullptr, mapping).network;
    mapping.progress = {};
    run = runtime::time_network(network, config);
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  runtime::ChosenLayer layer(std::size_t index) const {
    return {graph, config, mapping, network, run, index};
  }
  CandidateRuns candidates(std::size_t index, std::uint64_t most = kNoLimit) const {
    return runtime::time_candidates(
        layer(index), [](double) {}, most);
  }
  std::vector<std::size_t> machine_layers() const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < run.layers.size(); ++i) {
      if (!run.layers[i].on_host) all.push_back(i);
    }
    return all;
  }
};

void expect_same_run(const CandidateRun& candidate, const NetworkRun& run) {
  EXPECT_EQ(candidate.total, run.total);
  expect_same_layers(candidate.layers, run.layers);
  Cycle sum = 0;
  for (const LayerRun& layer : candidate.layers) sum += layer.cycles;
  EXPECT_EQ(candidate.total, sum);
}

/// The plan of the network, which follows from `from`, with the choices `to` for the program of
/// layer `name`.
NetworkPlan edited(NetworkPlan plan, const std::string& name, const ScheduleChoices& from,
                   const ScheduleChoices& to) {
  for (ProgramPlan& program : plan.programs) {
    auto* layers = std::get_if<LayersPlan>(&program);
    if (layers == nullptr) continue;
    if (std::ranges::find(layers->layers, name, &LayerPlan::layer) == layers->layers.end())
      continue;
    layers->staging_rows = to.buffer.staging_rows();
    layers->tile_slots = to.buffer.tile_slots;
    layers->order = to.order;
    layers->fit = to.fit;
    layers->cut_inputs = to.groups.cut_inputs;
    layers->round = to.groups.round;
    layers->rounds_at_once = to.groups.rounds_at_once;
    layers->merged = to.groups.merged;
    layers->capacities = to.capacities;
    for (std::size_t i = 0; i < layers->layers.size(); ++i) {
      LayerPlan& layer = layers->layers[i];
      layer.form = to.forms[i];
      layer.chunk_rows = to.chunk_rows[i];
      layer.buffered_tiles = to.buffered_tiles.empty() ? 0 : to.buffered_tiles[i];
      layer.bands = to.bands.counts.empty() ? 1 : to.bands.counts[i];
      layer.keep_halo = !to.bands.keeps_halo.empty() && to.bands.keeps_halo[i];
      if (!to.groups.sizes.empty()) {
        layer.images = to.groups.sizes[i];
      } else if (!from.groups.sizes.empty()) {
        layer.images = from.groups.images;
      }
    }
  }
  return plan;
}

/// The kinds of decisions in which two plans differ. Only groups and bands may differ in other
/// layers.
std::set<std::string> changes(const NetworkPlan& a, const NetworkPlan& b, const std::string& name) {
  std::set<std::string> kinds;
  for (std::size_t p = 0; p < a.programs.size(); ++p) {
    if (a.programs[p] == b.programs[p]) continue;
    const auto& x = std::get<LayersPlan>(a.programs[p]);
    const auto& y = std::get<LayersPlan>(b.programs[p]);
    if (x.staging_rows != y.staging_rows) kinds.insert("staging");
    if (x.order != y.order) kinds.insert("order");
    if (x.fit != y.fit) kinds.insert("fit");
    bool halos = false;
    for (std::size_t i = 0; i < x.layers.size(); ++i) {
      const bool asked = x.layers[i].layer == name;
      if (x.layers[i].form != y.layers[i].form) kinds.insert(asked ? "form" : "another form");
      if (x.layers[i].chunk_rows != y.layers[i].chunk_rows) {
        kinds.insert(asked ? "chunks" : "other chunks");
      }
      if (x.layers[i].buffered_tiles != y.layers[i].buffered_tiles) {
        kinds.insert(asked ? "tiles" : "other tiles");
      }
      if (x.layers[i].images != y.layers[i].images) kinds.insert("groups");
      if (x.layers[i].bands != y.layers[i].bands) {
        kinds.insert("bands");
      } else if (x.layers[i].keep_halo != y.layers[i].keep_halo) {
        halos = true;
      }
    }
    if (halos && !kinds.contains("bands")) kinds.insert("halos");
    // Other groups may have no rounds.
    if (x.rounds_at_once != y.rounds_at_once && !kinds.contains("groups")) kinds.insert("rounds");
    // Without groups inputs are not cut.
    if (x.cut_inputs != y.cut_inputs && !kinds.contains("groups")) kinds.insert("inputs");
  }
  return kinds;
}

/// The options with which the network was searched again.
MappingOptions options_of(MappingOptions options, const std::string& decision) {
  if (decision == "all taps apart") options.packed_taps = false;
  if (decision == "taps packed where possible") options.packed_taps = true;
  if (decision == "all lines apart") options.joined_lines = false;
  if (decision == "no product turned") options.turned_results = false;
  if (decision == "all products turned") options.turned_results = true;
  if (decision == "no value turned") options.turned_values = false;
  if (decision == "values turned where it saves cycles") options.turned_values = true;
  return options;
}

void check_layer(const Case& given, std::size_t layer, std::map<std::string, int>& hits) {
  const std::string name = given.run.layers[layer].info.name;
  SCOPED_TRACE(name);
  const CandidateRuns found = given.candidates(layer);
  expect_same_run(found.runs.front(), given.run);
  EXPECT_TRUE(found.runs.front().decisions.empty());
  EXPECT_EQ(found.not_timed, 0U);
  const NetworkPlan chosen = network_plan(given.network);
  for (std::size_t i = 1; i < found.runs.size(); ++i) {
    const CandidateRun& candidate = found.runs[i];
    SCOPED_TRACE(candidate.decisions.front());
    EXPECT_EQ(candidate.asked().info.name, name);
    if (i > 1) {
      EXPECT_GE(candidate.total, found.runs[i - 1].total);
    }
    if (candidate.choices) {
      EXPECT_EQ(("; " + found.chosen + "; ").find("; " + candidate.decisions.front() + "; "),
                std::string::npos)
          << "is what was chosen: " << found.chosen;
      const NetworkPlan plan =
          edited(chosen, name, *found.runs.front().choices, *candidate.choices);
      const std::set<std::string> kinds = changes(chosen, plan, name);
      EXPECT_EQ(kinds.size(), 1U);
      for (const std::string& kind : kinds) ++hits[kind];
      const auto scheduled = runtime::schedule_as_planned(given.graph, given.config, nullptr, plan);
      expect_same_run(candidate, runtime::time_network(scheduled.network, given.config));
    } else if (candidate.decisions.front().find("taps") != std::string::npos ||
               candidate.decisions.front().find("lines apart") != std::string::npos ||
               candidate.decisions.front().find("turned") != std::string::npos) {
      ++hits["searched again"];
      const auto scheduled =
          runtime::schedule(given.graph, given.config, nullptr,
                            options_of(given.mapping, candidate.decisions.front()));
      expect_same_run(candidate, runtime::time_network(scheduled.network, given.config));
    } else {
      ++hits["product"];
    }
  }
  hits["same"] += static_cast<int>(found.same.size());
  hits["misfit"] += static_cast<int>(found.misfits.size());
}

TEST(LayerCandidatesTest, EachIsTheRunOfAnEditedPlan) {
  const std::uint64_t seeds = draws(20, 40);
  std::cout << "seeds 0 to " << seeds - 1 << '\n';
  std::map<std::string, int> hits;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Case given(seed, SearchEffort::kNormal);
    const std::vector<std::size_t> layers = given.machine_layers();
    if (layers.empty()) continue;
    Random random(seed + 1000);
    check_layer(given,
                layers[static_cast<std::size_t>(
                    random.between(0, static_cast<std::int64_t>(layers.size()) - 1))],
                hits);
  }
  for (const auto& [kind, count] : hits) std::cout << kind << ": " << count << '\n';
  for (const char* kind : {"form", "chunks", "groups", "inputs", "order", "fit", "staging",
                           "searched again", "same", "misfit"}) {
    EXPECT_GT(hits[kind], 0) << kind;
  }
}

TEST(LayerCandidatesTest, ALongSearchLeavesNoBetterChunks) {
  int compared = 0;
  const std::uint64_t seeds = draws(2, 6);
  std::cout << "seeds 0 to " << seeds - 1 << '\n';
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Case given(seed, SearchEffort::kThorough);
    if (given.searched >= 1) continue;  // it ended before nothing saved any more
    for (const std::size_t layer : given.machine_layers()) {
      const CandidateRuns found = given.candidates(layer);
      const auto& chosen = found.runs.front().choices;
      // Smaller machines are not searched as long.
      if (!chosen || chosen->capacities != capacities_of(given.config)) continue;
      for (const CandidateRun& candidate : found.runs) {
        if (!candidate.choices) continue;
        if (candidate.choices->chunk_rows == chosen->chunk_rows) continue;
        EXPECT_GE(candidate.total, given.run.total) << candidate.decisions.front();
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 2);
}

TEST(LayerCandidatesTest, StopsAtTheLimit) {
  const Case given(0, SearchEffort::kNormal);
  const std::size_t layer = given.machine_layers().front();
  const CandidateRuns all = given.candidates(layer);
  const CandidateRuns none = given.candidates(layer, 0);
  ASSERT_EQ(none.runs.size(), 1U);
  EXPECT_EQ(none.runs.front().total, given.run.total);
  EXPECT_GE(none.not_timed, all.runs.size() - 1);
}

TEST(DoubledSizesTest, EachIsTheRunOfThatMachineOrBatch) {
  int saved = 0;
  std::set<double> shares;  // reported while the searches run, not only after each
  for (std::uint64_t seed = 0; seed < draws(3, 5); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Case given(seed, SearchEffort::kNormal);
    const std::vector<std::size_t> layers = given.machine_layers();
    if (layers.empty()) continue;
    const SmallNetwork& small = small_networks()[seed % small_networks().size()];
    const runtime::LargerBatch larger{given.batch, [&] { return small.of_batch(2 * given.batch); }};
    const auto sizes = runtime::doubled_sizes(given.layer(layers.front()), larger,
                                              [&](double share) { shares.insert(share); });
    ASSERT_EQ(sizes.size(), 4U);
    for (const runtime::DoubledSize& size : sizes) {
      SCOPED_TRACE(size.name);
      EXPECT_EQ(std::stoull(size.to), 2 * std::stoull(size.from));
      MachineConfig machine = given.config;
      const bool is_batch = size.name == "batch";
      if (!is_batch) set_key(machine, size.name, size.to);
      const auto scheduled =
          runtime::schedule(is_batch ? small.of_batch(2 * given.batch) : given.graph, machine,
                            nullptr, given.mapping);
      EXPECT_EQ(size.total, runtime::time_network(scheduled.network, machine).total);
      EXPECT_EQ(size.twice_the_work, is_batch);
      saved += size.saved(given.run.total) > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(saved, 2);
  EXPECT_GT(shares.size(), 8U);
  EXPECT_LE(*shares.rbegin(), 1);
}

}  // namespace
}  // namespace weft::compiler::testing
