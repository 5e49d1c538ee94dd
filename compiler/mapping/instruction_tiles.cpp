#include "compiler/mapping/instruction_tiles.h"

#include <algorithm>
#include <variant>

#include "compiler/mapping/matmul_walk.h"

namespace weft {
namespace {

std::int64_t index(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

class TileFinder {
 public:
  TileFinder(const TilingPlan& plan, const Program& program) : plan_(plan), walk_(plan) {
    const auto bias = std::ranges::find(program.tensors, TensorRole::kBias, &TensorDecl::role);
    if (bias == program.tensors.end()) return;
    bias_begin_ = bias->base;
    bias_end_ = bias->base + tensor_extent(*bias, program);
  }

  InstructionTile of(const Operation& operation) {
    return std::visit([this](const auto& op) { return tile(op); }, operation);
  }

 private:
  InstructionTile tile(const Load& load) {
    if (load.host < bias_begin_ || load.host >= bias_end_) {
      const MatmulWalk::Slice slice = walk_.slice(loads_++);
      return {index(slice.chunk), index(slice.k_tile), -1};
    }
    if (walk_.bias_stays()) return {};
    return {-1, -1, index(walk_.n_tile(walk_.first_use_of_bias(bias_loads_++)))};
  }
  InstructionTile tile(const Fetch&) {
    const std::uint64_t tile = walk_.tile(fetches_++);
    return {-1, index(tile % plan_.k_tiles), index(tile / plan_.k_tiles)};
  }
  InstructionTile tile(const Matmul&) {
    const std::uint64_t matmul = matmuls_++;
    InstructionTile found = of_use(walk_.use(matmul));
    found.k_tile = index(walk_.k_tile(matmul));
    return found;
  }
  InstructionTile tile(const Vector&) { return of_use(vectors_++); }
  InstructionTile tile(const Store&) { return of_use(stores_++); }

  InstructionTile of_use(std::uint64_t use) const {
    return {index(walk_.chunk(use)), -1, index(walk_.n_tile(use))};
  }

  const TilingPlan& plan_;
  const MatmulWalk walk_;
  std::uint64_t bias_begin_ = 0;
  std::uint64_t bias_end_ = 0;
  std::uint64_t loads_ = 0;
  std::uint64_t bias_loads_ = 0;
  std::uint64_t fetches_ = 0;
  std::uint64_t matmuls_ = 0;
  std::uint64_t vectors_ = 0;
  std::uint64_t stores_ = 0;
};

}  // namespace

std::vector<InstructionTile> instruction_tiles(const TilingPlan& plan, const Program& program) {
  TileFinder finder(plan, program);
  std::vector<InstructionTile> tiles;
  tiles.reserve(program.code.size());
  for (const Instruction& instruction : program.code) {
    tiles.push_back(finder.of(instruction.operation));
  }
  return tiles;
}

}  // namespace weft
