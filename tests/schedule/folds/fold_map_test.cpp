// The fold map says of every row of every k tile which weights it holds. The oracle are the weights
// themselves: they hold their own filter, channel or tap, and the packed tiles show where they lie.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iostream>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "compiler/blocks/map_folds.h"
#include "compiler/emit/weights.h"
#include "compiler/schedule/compile_network.h"
#include "models/networks/layers.h"
#include "pe/float_formats.h"
#include "tests/schedule/folds/fold_weights.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random.h"

namespace weft::compiler::testing {
namespace {

using graph::Op;

Conv random_conv(Random& random) {
  Conv conv;
  conv.computed = random.chance(60);
  conv.groups = random.chance(60) ? 1 : random.between(2, 7);
  const std::int64_t most = conv.groups == 1 ? 20 : 6;
  conv.w = {conv.groups * random.between(1, most), random.between(1, most), random.between(1, 3),
            random.between(1, 4)};
  if (conv.groups > 1 && random.chance(40)) conv.w = {conv.groups, 1, conv.w[2], conv.w[3]};
  conv.x = {random.between(1, 2), conv.groups * conv.w[1], conv.w[2] + random.between(0, 3),
            conv.w[3] + random.between(0, 3)};
  return conv;
}

/// Counts the cases of each form.
using Hits = std::map<std::string, int>;

void count(const Conv& conv, const FoldMap& folds, Hits& hits) {
  constexpr std::array kForms = {"product", "taps apart", "packed patches", "packed lines"};
  ++hits[kForms.at(static_cast<std::size_t>(folds.form))];
  if (folds.groups > 1) ++hits["groups"];
  if (folds.groups > 1 && conv.w[1] == 1) ++hits["depthwise"];
  if (folds.groups > 1 && folds.form == FoldForm::kPackedLines) ++hits["packed lines of groups"];
  for (const KTile& tile : folds.products.front().k_tiles) {
    if (tile.rows.size() > 2) ++hits["tiles of three parts"];
  }
  if (!folds.joined()) return;
  ++hits["joined lines"];
  if (folds.in.any()) ++hits["joined lines read"];
  if (folds.groups > 1) ++hits["joined lines of groups"];
  if (folds.form == FoldForm::kPackedPatches) ++hits["joined patches"];
  if (folds.form == FoldForm::kPackedLines) ++hits["packed lines of joined ones"];
}

/// Calls check(random, hits) with seeds 0 to cases - 1, up to the first failure. Each of `names`
/// must occur `least` times.
template <class Check>
void for_each_draw(std::uint64_t cases, std::initializer_list<const char*> names, int least,
                   Check&& check) {
  std::cout << "seeds 0 to " << cases - 1 << '\n';
  Hits hits;
  for (std::uint64_t seed = 0; seed < cases && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    check(random, hits);
  }
  for (const auto& [name, count] : hits) std::cout << name << ": " << count << '\n';
  for (const char* name : names) EXPECT_GE(hits[name], least) << name;
}

/// Compares the map with the packed weights.
void expect_mapped(const Conv& conv, const FoldMap& folds, const MachineConfig& config,
                   const MappingOptions& mapping) {
  const std::map<Place, Weight> weights = held(conv, config, mapping);
  EXPECT_EQ(mapped(folds, config.array_rows), weights);
  EXPECT_EQ(folds.k_rows, rows_with_weights(weights));
}

void check_any(Random& random, Hits& hits) {
  const Conv conv = random_conv(random);
  const MachineConfig config = random_array(random, 3, 24, 8);
  MappingOptions mapping;
  mapping.effort = SearchEffort::kNone;
  mapping.depthwise_on_vector_unit = false;
  if (random.chance(40)) mapping.packed_taps = random.chance(60);
  mapping.form = random.one_of<std::size_t>({0, 1});
  const LayerInfo layer = array_layer(conv, config, mapping);
  const FoldMap& folds = *layer.folds;
  ASSERT_EQ(folds.products.size(), 1U);
  if (folds.products.front().count > kListedKTiles) return;
  EXPECT_EQ(folds.products.front().count, static_cast<std::int64_t>(layer.k_tiles));
  expect_mapped(conv, folds, config, mapping);
  EXPECT_EQ(folds.channels, conv.x[1]);
  EXPECT_EQ(folds.taps(), conv.taps());
  count(conv, folds, hits);
}

TEST(FoldMapTest, EveryRowOfTheArrayHoldsTheWeightsThatTheMapSays) {
  for_each_draw(800,
                {"product", "taps apart", "packed patches", "packed lines", "groups", "depthwise",
                 "packed lines of groups", "tiles of three parts"},
                10, check_any);
}

/// Small images of few channels: several of their lines fit a row of the array.
Conv random_small_conv(Random& random) {
  Conv conv;
  conv.computed = random.chance(50);
  conv.pooled = true;
  conv.groups = random.chance(75) ? 1 : 2;
  conv.w = {conv.groups * random.between(1, 3), random.between(1, 3), random.between(1, 4),
            random.between(1, 3)};
  conv.x = {random.between(1, 3), conv.groups * conv.w[1], 4 * random.between(1, 3) + conv.w[2] - 1,
            conv.w[3] + random.between(6, 12)};
  return conv;
}

// With joined lines a tile has other weights in the columns of each line.
void check_joined_lines(Random& random, Hits& hits) {
  const Conv conv = random_small_conv(random);
  const MachineConfig config = random_array(random, 12, 40, 40);
  MappingOptions mapping;
  mapping.depthwise_on_vector_unit = false;
  mapping.joined_lines = true;
  mapping.effort = SearchEffort::kNone;
  mapping.packed_taps = random.chance(50);
  mapping.form = random.one_of<std::size_t>({0, 1});
  const LayerInfo layer = array_layer(conv, config, mapping);
  const FoldMap& folds = *layer.folds;
  if (!folds.joined() || folds.products.front().count > kListedKTiles) return;
  expect_mapped(conv, folds, config, mapping);
  count(conv, folds, hits);
}

TEST(FoldMapTest, JoinedLinesAreBandsOfTheTiles) {
  for_each_draw(1000,
                {"joined lines", "joined lines read", "joined lines of groups", "joined patches",
                 "packed lines of joined ones"},
                5, check_joined_lines);
}

/// An image of more channels than a tile has columns, which only convolutions read.
Conv random_conv_of_slices(Random& random, std::int64_t columns) {
  Conv conv;
  conv.between = true;
  const std::int64_t filters = random.between(columns / 2 + 1, 2 * columns + 3);
  const std::int64_t channels = random.chance(50) ? filters : random.between(2, 2 * columns);
  const bool is_depthwise = random.chance(40);
  conv.w = {filters, is_depthwise ? 1 : channels, random.between(1, 3), random.between(1, 3)};
  if (is_depthwise) conv.groups = filters;
  if (conv.groups == 1 && channels == filters && filters % 2 == 0 && random.chance(60)) {
    conv.groups = 2;
    conv.w[1] = channels / 2;
  }
  conv.x = {random.between(1, 2), conv.groups * conv.w[1], 4 * random.between(1, 3) + conv.w[2] - 1,
            conv.w[3] + random.between(6, 12)};
  return conv;
}

void check_slices(Random& random, Hits& hits) {
  MachineConfig config = random_array(random, 4, 4, 24);
  config.array_rows = config.array_cols * static_cast<std::uint32_t>(random.between(1, 2));
  const Conv conv = random_conv_of_slices(random, config.array_cols);
  MappingOptions mapping;
  mapping.depthwise_on_vector_unit = false;
  mapping.joined_lines = true;
  mapping.effort = SearchEffort::kNone;
  mapping.form = random.one_of<std::size_t>({0, 1});
  const LayerInfo layer = array_layer(conv, config, mapping);
  const FoldMap& folds = *layer.folds;
  if (folds.in.slice + folds.out.slice == 0) return;
  if (folds.products.front().count > kListedKTiles) return;
  expect_mapped(conv, folds, config, mapping);
  if (folds.in.slice > 0) ++hits["slices read"];
  if (folds.out.slice > 0) ++hits["slices written"];
  if (folds.groups == 2) ++hits["slices of groups"];
  if (folds.groups > 2 && folds.in.slice > 0) ++hits["slices of depthwise convolutions"];
  if (folds.out.slice > 0 && conv.w[0] % folds.out.slice != 0) ++hits["a last slice in part"];
}

TEST(FoldMapTest, SlicesOfChannelsBeginTilesOfTheirOwn) {
  for_each_draw(1500,
                {"slices read", "slices written", "slices of groups",
                 "slices of depthwise convolutions", "a last slice in part"},
                5, check_slices);
}

// 255 = 127 + 127 + 1, and 100 fits the first piece alone.
TEST(FoldMapTest, APieceOfTheWeightsHasItsOwnTiles) {
  MachineConfig config;
  config.array_rows = 4;
  config.array_cols = 4;
  ContractionLayer layer;
  layer.k = 3;
  layer.n = 2;
  layer.walk.x.kernel = 2;
  const auto weights = [] {
    graph::Tensor tensor(graph::DataType::kUint8, {2, 3, 2});
    std::uint8_t next = 255;
    for (std::uint8_t& weight : tensor.mutable_data<std::uint8_t>()) {
      weight = std::exchange(next, std::uint8_t(355 - next));
    }
    return tensor;
  };
  const ConstantWeights constant{weights, WeightForm::kFilters, 0, 3};
  layer.weights = constant;
  const std::vector<Sheet> sheets(1);
  const FoldMap folds = map_folds(layer, {}, Places(config, sheets, {}));
  const Matrix packed = pack_weights(constant, {.pieces = 3, .taps = 2, .array_rows = 4}, layer.k,
                                     layer.n, 1, ElementType::kInt8, 0);
  constexpr std::int8_t kHeld[3][2] = {{127, 100}, {127, 0}, {1, 0}};
  const std::vector<KTile>& tiles = folds.products.front().k_tiles;
  ASSERT_EQ(tiles.size(), 6U);
  for (const KTile& tile : tiles) {
    ASSERT_EQ(tile.rows.size(), 1U);
    const WeightRows& rows = tile.rows.front();
    EXPECT_EQ(rows.row, 0);
    EXPECT_EQ(rows.channels, 3);
    const auto row = static_cast<std::uint64_t>(4 * tile.number + 2);
    EXPECT_EQ(packed.at<std::int8_t>(row, 1), kHeld[tile.piece][rows.tap]) << tile.number;
  }
}

// --- Products --------------------------------------------------------------------------------

TEST(FoldMapTest, AProductFillsItsRowsInTheOrderOfK) {
  MachineConfig config;
  config.array_rows = 4;
  const FoldMap folds = map_folds(10, 7, {}, config);
  EXPECT_EQ(folds.form, FoldForm::kProduct);
  const std::vector<KTile>& tiles = folds.products.front().k_tiles;
  ASSERT_EQ(tiles.size(), 3U);
  for (std::int64_t i = 0; i < 3; ++i) {
    const KTile& tile = tiles[static_cast<std::size_t>(i)];
    EXPECT_EQ(tile.number, i);
    ASSERT_EQ(tile.rows.size(), 1U);
    EXPECT_EQ(tile.rows.front(),
              (WeightRows{.channel = 4 * i, .channels = i < 2 ? 4 : 2, .filters = 7}));
  }
}

TEST(FoldMapTest, ListsTheFirstAndTheLastOfManyKTiles) {
  MachineConfig config;
  config.array_rows = 4;
  const std::int64_t count = kListedKTiles + 1;
  const auto most = static_cast<std::uint64_t>(4 * kListedKTiles);
  EXPECT_EQ(map_folds(most, 7, {}, config).products.front().k_tiles.size(), kListedKTiles);
  const ProductFolds more = map_folds(most + 1, 7, {}, config).products.front();
  EXPECT_EQ(more.count, count);
  ASSERT_EQ(more.k_tiles.size(), static_cast<std::size_t>(kListedKTiles));
  EXPECT_EQ(more.k_tiles[kListedKTiles - kLastKTiles - 1].number, kListedKTiles - kLastKTiles - 1);
  EXPECT_EQ(more.k_tiles[kListedKTiles - kLastKTiles].number, count - kLastKTiles);
  EXPECT_EQ(more.k_tiles.back().rows_used(), 1);
}

// Heads of two channels on an array of four rows: in a plane of the projections' rows lie two
// heads, and the second begins in row 2. The values' K is the sequence, from row 0 on.
TEST(FoldMapTest, HeadsThatBeginWithinAPlaneKeepTheirRows) {
  networks::Layers net("heads", 1);
  const graph::ValueId x = net.input("x", graph::DataType::kFloat32, {1, 3, 8});
  const auto heads = [&](const std::string& name, const std::vector<std::int64_t>& order) {
    const graph::ValueId lanes = net.reshape(net.relu(x, name), {1, 3, 4, 2}, name + " lanes");
    return net.transpose(lanes, order, name + " heads");
  };
  const graph::ValueId q = heads("q", {0, 2, 1, 3});
  const graph::ValueId k = heads("k", {0, 2, 3, 1});
  const graph::Graph graph = net.finish(net.add(Op::kMatMul, {q, k}, {}, "scores"), "y");
  const NetworkProgram program =
      compile_network(prepared(graph), small_machine(ElementType::kBf16, 4, 4), {});
  const auto& step = std::get<MachineStep>(program.steps.front());
  const auto layer = std::ranges::find_if(
      step.layers, [](const LayerInfo& info) { return info.folds.has_value(); });
  ASSERT_NE(layer, step.layers.end());
  EXPECT_TRUE(layer->folds->computed);
  ASSERT_EQ(layer->folds->products.size(), 2U);
  for (const ProductFolds& folds : layer->folds->products) {
    EXPECT_EQ(folds.products, 2U);
    ASSERT_EQ(folds.k_tiles.size(), 1U);
    ASSERT_EQ(folds.k_tiles.front().rows.size(), 1U);
    EXPECT_EQ(folds.k_tiles.front().rows.front(),
              (WeightRows{.row = folds.front, .channels = 2, .filters = 3}));
  }
  // The fetches of computed tiles say themselves in which row they begin.
  std::map<std::uint32_t, int> begins;
  for (const Instruction& instruction : step.program.code) {
    const auto* fetch = std::get_if<Fetch>(&instruction.operation);
    if (fetch != nullptr && fetch->buffer) ++begins[fetch->buffer->at];
  }
  EXPECT_EQ(begins, (std::map<std::uint32_t, int>{{0, 2}, {2, 2}}));
}

}  // namespace
}  // namespace weft::compiler::testing
