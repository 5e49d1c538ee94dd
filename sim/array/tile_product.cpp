#include "sim/array/tile_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.h"
#include "sim/array/array_sides.h"
#include "sim/array/kernels/tile_kernel.h"
#include "sim/array/thread_pool.h"

namespace weft {
namespace {

/// For fewer multiply-accumulates, waking the threads costs more time than they save.
constexpr std::uint64_t kMinMacsForThreads = 1'000'000;

}  // namespace

template <class Arithmetic>
struct TileProduct<Arithmetic>::Impl {
  Impl(std::uint32_t rows, std::uint32_t cols, unsigned thread_count)
      : kernel(best_tile_kernel<Arithmetic>()),
        tile(rows, cols, kernel.elements_per_word),
        threads(std::max(thread_count, 1U)) {
    workspaces.emplace_back(tile);
  }

  using ActRows = std::span<const Element* const>;

  void multiply_part(unsigned member, ActRows act_rows, Psum* acc, bool accumulate) {
    // Each member gets whole register blocks, the last one also the rest. Rows do not depend on
    // each other, so the results do not depend on the split.
    const std::size_t blocks = (act_rows.size() + kernel.block_rows - 1) / kernel.block_rows;
    const auto bound = [&](std::size_t part) {
      return std::min(blocks * part / threads * kernel.block_rows, act_rows.size());
    };
    const std::size_t first = bound(member);
    kernel.multiply(tile, act_rows.subspan(first, bound(member + std::size_t{1}) - first),
                    acc + first * tile.cols, accumulate, workspaces[member]);
  }

  void multiply_together(ActRows act_rows, Psum* acc, bool accumulate) {
    if (!pool) {
      while (workspaces.size() < threads) workspaces.emplace_back(tile);
      pool.emplace(threads);
    }
    pool->run([&](unsigned member) { multiply_part(member, act_rows, acc, accumulate); });
  }

  TileKernel<Arithmetic> kernel;
  PackedTile<Arithmetic> tile;
  unsigned threads;
  std::vector<Workspace<Arithmetic>> workspaces;  // one per member of the team
  std::optional<ThreadPool> pool;                 // made for the first large enough product
};

template <class Arithmetic>
TileProduct<Arithmetic>::TileProduct(std::uint32_t rows, std::uint32_t cols, unsigned threads) {
  check_array_sides(rows, cols);
  impl_ = std::make_unique<Impl>(rows, cols, threads);
}

template <class Arithmetic>
TileProduct<Arithmetic>::~TileProduct() = default;

template <class Arithmetic>
void TileProduct<Arithmetic>::load_tile(std::span<const Element> tile) {
  const std::size_t expected = impl_->tile.rows * impl_->tile.cols;
  if (tile.size() != expected) {
    throw InputError(fmt::format("weight tile has {} elements; a {} x {} array needs {}",
                                 tile.size(), impl_->tile.rows, impl_->tile.cols, expected));
  }
  impl_->kernel.pack(tile.data(), impl_->tile);
}

template <class Arithmetic>
void TileProduct<Arithmetic>::multiply(std::span<const Element* const> act_rows,
                                       std::span<Psum> acc, bool accumulate) {
  Impl& impl = *impl_;
  if (act_rows.size() > acc.size() / impl.tile.cols) {
    throw InputError(fmt::format("accumulator block has {} words; {} rows of {} columns need more",
                                 acc.size(), act_rows.size(), impl.tile.cols));
  }
  const std::uint64_t macs = act_rows.size() * impl.tile.rows * impl.tile.cols;
  if (impl.threads > 1 && macs >= kMinMacsForThreads && act_rows.size() > impl.kernel.block_rows) {
    impl.multiply_together(act_rows, acc.data(), accumulate);
  } else {
    impl.kernel.multiply(impl.tile, act_rows, acc.data(), accumulate, impl.workspaces.front());
  }
}

template class TileProduct<Int8Arithmetic>;
template class TileProduct<Bf16Arithmetic>;
template class TileProduct<Fp16Arithmetic>;

}  // namespace weft
