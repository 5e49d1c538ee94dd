// The tile numbers of a layer's instructions, and the positions where these tiles begin.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <tuple>
#include <variant>
#include <vector>

#include "compiler/schedule/compile_network.h"
#include "models/networks/layers.h"
#include "tests/schedule/machine_runs.h"
#include "tests/schedule/random.h"

namespace weft::compiler::testing {
namespace {

struct Conv {
  std::int64_t channels = 1;
  std::int64_t filters = 1;
  std::int64_t kernel = 1;
  std::int64_t side = 1;  // of the square image
};

graph::Graph graph_of(const Conv& conv) {
  networks::Layers net("conv", 1);
  const auto x =
      net.input("x", graph::DataType::kFloat32, {1, conv.channels, conv.side, conv.side});
  return net.finish(net.conv(x, {.channels = conv.filters, .kernel = conv.kernel}, "conv"), "y");
}

std::int64_t tiles(std::int64_t length, std::int64_t tile) {
  return (length + tile - 1) / tile;
}

/// Expects edges that ascend from 0 to `size` in steps of at most `longest`.
void expect_cuts(const std::vector<std::int64_t>& edges, std::int64_t size, std::int64_t longest) {
  ASSERT_FALSE(edges.empty());
  EXPECT_EQ(edges.front(), 0);
  EXPECT_EQ(edges.back(), size);
  for (std::size_t i = 1; i < edges.size(); ++i) {
    EXPECT_LT(edges[i - 1], edges[i]);
    EXPECT_LE(edges[i] - edges[i - 1], longest);
  }
}

using Fold = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

/// Counts how often each weight tile meets each chunk; expects the chunk's number of rows.
std::map<Fold, int> folds_of(const MachineStep& step) {
  std::map<Fold, int> folds;
  for (std::size_t i = 0; i < step.program.code.size(); ++i) {
    const auto* matmul = std::get_if<Matmul>(&step.program.code[i].operation);
    if (matmul == nullptr) continue;
    const TileNumbers& at = step.instruction_tile[i];
    const auto& edges = step.layers.front().tiles.m;
    const auto chunk = static_cast<std::size_t>(at.chunk);
    EXPECT_EQ(std::int64_t{matmul->rows}, edges.at(chunk + 1) - edges.at(chunk));
    ++folds[{at.chunk, at.k_tile, at.n_tile}];
  }
  return folds;
}

TEST(LayerTilesTest, EveryTileOfAConvolutionMeetsEveryChunkOfRowsOnce) {
  constexpr std::uint64_t kCases = 200;
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  int several_chunks = 0;
  int uneven_tiles = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    Conv conv{random.between(1, 12), random.between(1, 12), random.between(1, 3), 0};
    conv.side = conv.kernel + random.between(0, 6);
    MachineConfig config = small_machine(ElementType::kBf16, 4, 4);
    config.array_cols = random.one_of<std::uint32_t>({3, 4});
    config.accumulator_rows = static_cast<std::uint32_t>(random.between(4, 64));
    const bool packed = seed % 2 == 0;
    const NetworkProgram program =
        compile_network(prepared(graph_of(conv)), config,
                        {.mapping = {.packed_taps = packed, .joined_lines = false}});
    const auto& step = std::get<MachineStep>(program.steps.front());
    const LayerTiles& cut = step.layers.front().tiles;
    const std::int64_t pixels = (conv.side - conv.kernel + 1) * (conv.side - conv.kernel + 1);
    const std::int64_t taps = conv.kernel * conv.kernel;
    expect_cuts(cut.m, pixels, config.accumulator_rows);
    expect_cuts(cut.k, taps * conv.channels, config.array_rows);
    expect_cuts(cut.n, conv.filters, config.array_cols);
    const std::int64_t k_tiles = packed ? tiles(taps * conv.channels, 4)  // of the whole window
                                        : taps * tiles(conv.channels, 4);
    EXPECT_EQ(cut.k.size(), static_cast<std::size_t>(k_tiles) + 1);
    EXPECT_EQ(cut.products, 1U);
    const std::map<Fold, int> folds = folds_of(step);
    EXPECT_EQ(folds.size(), (cut.m.size() - 1) * (cut.k.size() - 1) * (cut.n.size() - 1));
    EXPECT_TRUE(std::ranges::all_of(folds, [](const auto& fold) { return fold.second == 1; }));
    several_chunks += cut.m.size() > 2 ? 1 : 0;
    uneven_tiles += taps > 1 && conv.channels % 4 != 0 ? 1 : 0;
  }
  EXPECT_GE(several_chunks, 20);
  EXPECT_GE(uneven_tiles, 20);
}

}  // namespace
}  // namespace weft::compiler::testing
