// Compares the tile of each instruction with the addresses that the instruction carries.
#include "compiler/mapping/instruction_tiles.h"

#include <gtest/gtest.h>

#include <variant>

#include "compiler/emit/matmul.h"
#include "tests/machine/random_program.h"
#include "tests/machine/random_transfers.h"

namespace weft {
namespace {

using testing::Random;

class Addresses {
 public:
  Addresses(const TilingPlan& plan, const Program& program) : plan_(plan), program_(program) {}

  void check(const Instruction& instruction, const InstructionTile& tile) {
    std::visit([&](const auto& op) { check(op, tile); }, instruction.operation);
  }

  int loads = 0;
  int bias_loads = 0;
  int tile_loads = 0;

 private:
  const TensorDecl& tensor(TensorRole role) const {
    for (const TensorDecl& tensor : program_.tensors) {
      if (tensor.role == role) return tensor;
    }
    throw std::runtime_error("no such tensor");
  }

  // A is loaded from host row base + kt*M + m, the bias from base + nt*rr.
  void check(const Load& load, const InstructionTile& tile) {
    const TensorDecl& a = tensor(TensorRole::kActivation);
    if (load.host >= a.base && load.host < a.base + plan_.k_tiles * plan_.spec.m) {
      const std::uint64_t row = load.host - a.base;
      EXPECT_EQ(tile.k_tile, static_cast<std::int64_t>(row / plan_.spec.m));
      EXPECT_EQ(tile.chunk, static_cast<std::int64_t>(row % plan_.spec.m / plan_.chunk_rows));
      EXPECT_EQ(tile.n_tile, -1);
      ++loads;
      return;
    }
    if (program_.tensors.back().name == kWeightRows && load.host >= program_.tensors.back().base) {
      return check_tile(load, tile);
    }
    const std::uint64_t row = load.host - tensor(TensorRole::kBias).base;
    const bool all = load.rows > result_row_rows(program_) || plan_.n_tiles == 1;
    if (!all) {
      EXPECT_EQ(tile.n_tile, static_cast<std::int64_t>(row / result_row_rows(program_)));
    }
    EXPECT_EQ(tile.chunk, -1);
    ++bias_loads;
  }
  // B is loaded from host row base + plane*K + k. A plane may have columns of several tiles.
  void check_tile(const Load& load, const InstructionTile& tile) {
    const std::uint64_t row = load.host - program_.tensors.back().base;
    const std::uint64_t first = row / plan_.spec.k * program_.array_rows;
    EXPECT_EQ(tile.k_tile, static_cast<std::int64_t>(row % plan_.spec.k / program_.array_rows));
    EXPECT_GE(tile.n_tile, static_cast<std::int64_t>(first / program_.array_cols));
    EXPECT_LE(tile.n_tile,
              static_cast<std::int64_t>((first + program_.array_rows - 1) / program_.array_cols));
    EXPECT_EQ(tile.chunk, -1);
    loaded_[load.ub] = tile;
    ++tile_loads;
  }
  void check(const Fetch& fetch, const InstructionTile& tile) {
    if (fetch.buffer) {
      EXPECT_EQ(loaded_.at(fetch.buffer->row), tile);
    } else {
      EXPECT_EQ(tile.n_tile, static_cast<std::int64_t>(fetch.tile / plan_.k_tiles));
      EXPECT_EQ(tile.k_tile, static_cast<std::int64_t>(fetch.tile % plan_.k_tiles));
    }
    last_fetched_.push_back(tile);
  }
  // A matmul swaps in the next tile of the FIFO. Fetches fill the FIFO in order.
  void check(const Matmul& matmul, const InstructionTile& tile) {
    if (matmul.next_weights) ++taken_;
    ASSERT_LE(taken_, last_fetched_.size());
    EXPECT_EQ(tile.k_tile, last_fetched_[taken_ - 1].k_tile);
    EXPECT_EQ(tile.n_tile, last_fetched_[taken_ - 1].n_tile);
    EXPECT_EQ(matmul.accumulate, tile.k_tile > 0);
  }
  void check(const Vector&, const InstructionTile& tile) { results_.push_back(tile); }
  // A result is stored in host row base + (nt*M + m)*rr.
  void check(const Store& store, const InstructionTile& tile) {
    const std::uint64_t row =
        (store.host - tensor(TensorRole::kResult).base) / result_row_rows(program_);
    EXPECT_EQ(tile.n_tile, static_cast<std::int64_t>(row / plan_.spec.m));
    EXPECT_EQ(tile.chunk, static_cast<std::int64_t>(row % plan_.spec.m / plan_.chunk_rows));
    if (row % plan_.spec.m % plan_.chunk_rows == 0) ++stored_;
    ASSERT_LE(stored_, results_.size());
    EXPECT_EQ(results_[stored_ - 1], tile);
  }

  const TilingPlan& plan_;
  const Program& program_;
  std::map<std::uint32_t, InstructionTile> loaded_;  // by the first UB row
  std::vector<InstructionTile> last_fetched_;
  std::size_t taken_ = 0;
  std::vector<InstructionTile> results_;
  std::size_t stored_ = 0;
};

TEST(InstructionTilesTest, AreThoseOfTheAddressesOnRandomProducts) {
  int inner = 0;
  int loads = 0;
  int bias_loads = 0;
  int tile_loads = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = testing::random_machine(random);
    const MatmulSpec spec{random.between(1, 40), random.between(1, 40), random.between(1, 40),
                          random.chance(50), Activation::kNone};
    if (!fits_unified_buffer(spec, config)) continue;
    const TilingPlan plan =
        testing::with_random_transfers(plan_matmul(spec, config), config, random);
    const Program program = lower_matmul(plan, config);
    const std::vector<InstructionTile> tiles = instruction_tiles(plan, program);
    ASSERT_EQ(tiles.size(), program.code.size());
    Addresses addresses(plan, program);
    for (std::size_t i = 0; i < tiles.size(); ++i) addresses.check(program.code[i], tiles[i]);
    inner += plan.order == LoopOrder::kChunkInnermost ? 1 : 0;
    loads += addresses.loads;
    bias_loads += addresses.bias_loads;
    tile_loads += addresses.tile_loads;
  }
  EXPECT_GT(inner, 50);
  EXPECT_GT(loads, 500);
  EXPECT_GT(bias_loads, 100);
  EXPECT_GT(tile_loads, 500);
}

}  // namespace
}  // namespace weft
