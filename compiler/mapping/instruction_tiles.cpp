#include "compiler/mapping/instruction_tiles.h"

#include <algorithm>
#include <string_view>
#include <variant>

#include "compiler/mapping/matmul_walk.h"
#include "compiler/mapping/tile_walk.h"

namespace weft {
namespace {

std::int64_t index(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

class TileFinder {
 public:
  TileFinder(const TilingPlan& plan, const Program& program)
      : plan_(plan),
        walk_(plan),
        tiles_(plan),
        bias_(rows_of(program, "bias")),
        weights_(rows_of(program, kWeightRows)) {}

  InstructionTile of(const Operation& operation) {
    return std::visit([this](const auto& op) { return tile(op); }, operation);
  }

 private:
  /// The host rows of a tensor. A tensor that the program lacks has none.
  struct HostRange {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;

    bool holds(const Load& load) const { return load.host >= begin && load.host < end; }
  };

  static HostRange rows_of(const Program& program, std::string_view name) {
    const auto found = std::ranges::find(program.tensors, name, &TensorDecl::name);
    if (found == program.tensors.end()) return {};
    return {found->base, found->base + tensor_extent(*found, program)};
  }

  InstructionTile tile(const Load& load) {
    if (weights_.holds(load)) return tile_load();
    if (!bias_.holds(load)) {
      const MatmulWalk::Slice slice = walk_.slice(loads_++);
      return {index(slice.chunk), index(slice.k_tile), -1};
    }
    if (walk_.bias_stays()) return {};
    return {-1, -1, index(walk_.n_tile(walk_.first_use_of_bias(bias_loads_++)))};
  }
  /// A tile takes a load for each plane of its lanes.
  InstructionTile tile_load() {
    const std::uint64_t tile = tiles_.tile(tile_loads_);
    if (++planes_ == tiles_.block(tile).planes) {
      planes_ = 0;
      ++tile_loads_;
    }
    return of_weights(tile);
  }
  InstructionTile tile(const Fetch&) { return of_weights(walk_.tile(fetches_++)); }
  InstructionTile of_weights(std::uint64_t tile) const {
    return {-1, index(tile % plan_.k_tiles), index(tile / plan_.k_tiles)};
  }
  InstructionTile tile(const Matmul&) {
    const std::uint64_t matmul = matmuls_++;
    InstructionTile found = of_use(walk_.use(matmul));
    found.k_tile = index(walk_.k_tile(matmul));
    return found;
  }
  InstructionTile tile(const Vector&) { return of_use(vectors_++); }
  InstructionTile tile(const Store&) {
    const std::uint64_t use = stores_;
    const bool by_row = plan_.stores_by_row && walk_.n_tile(use) + 1 == plan_.n_tiles;
    if (!by_row || ++rows_stored_ == plan_.rows_of_chunk(walk_.chunk(use))) {
      rows_stored_ = 0;
      ++stores_;
    }
    return of_use(use);
  }

  InstructionTile of_use(std::uint64_t use) const {
    return {index(walk_.chunk(use)), -1, index(walk_.n_tile(use))};
  }

  const TilingPlan& plan_;
  const MatmulWalk walk_;
  const TileWalk tiles_;
  const HostRange bias_;
  const HostRange weights_;
  std::uint64_t tile_loads_ = 0;
  std::uint32_t planes_ = 0;  // of the tile that is being loaded
  std::uint64_t loads_ = 0;
  std::uint64_t bias_loads_ = 0;
  std::uint64_t fetches_ = 0;
  std::uint64_t matmuls_ = 0;
  std::uint64_t vectors_ = 0;
  std::uint64_t stores_ = 0;       // uses
  std::uint32_t rows_stored_ = 0;  // of the use that is being stored row by row
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
