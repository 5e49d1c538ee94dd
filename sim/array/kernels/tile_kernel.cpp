#include "sim/array/kernels/tile_kernel.h"

#include <algorithm>
#include <cstring>

// This file is compiled once for each instruction set; the last pass also makes the dispatch
// tables.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/array/kernels/tile_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "sim/array/kernels/tile_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// What to do with the sums of a register block: keep them for the next pass, write or add them.
enum class SumUse { kPartial, kOverwrite, kAccumulate };

/// Where the sums of a register block come from and go to; only `rows` x `cols` sums are stored.
template <class Psum>
struct SumBlock {
  const Psum* from;
  std::size_t from_stride;
  Psum* to;
  std::size_t to_stride;
  std::size_t rows;
  std::size_t cols;
  SumUse outcome;
};

/// The value to store at `to`; the old value there is read only to accumulate.
template <class Lanes>
HWY_INLINE typename Lanes::V settle(typename Lanes::V sum, const hn::TFromD<typename Lanes::D>* to,
                                    SumUse outcome) {
  if (outcome == SumUse::kPartial) return sum;
  if (outcome == SumUse::kAccumulate) sum = hn::Add(hn::LoadU(typename Lanes::D(), to), sum);
  return Lanes::finish(sum);
}

/// Stores only the first `count` lanes: memory after the last column belongs to the next row, or
/// lies outside the buffer.
template <class Lanes>
HWY_INLINE void store_sums(typename Lanes::V sum, hn::TFromD<typename Lanes::D>* to,
                           std::size_t count, SumUse outcome) {
  using D = typename Lanes::D;
  using T = hn::TFromD<D>;
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  if (count >= kLanes) {
    hn::StoreU(settle<Lanes>(sum, to, outcome), D(), to);
    return;
  }
  HWY_ALIGN T edge[kLanes] = {};
  std::memcpy(edge, to, count * sizeof(T));
  hn::Store(settle<Lanes>(sum, edge, outcome), D(), edge);
  std::memcpy(to, edge, count * sizeof(T));
}

/// The inner loop: kRows x kVecs vectors of sums stay in registers while each sum adds `words`
/// words in order. Unrolling makes every index a constant; otherwise the sums would be in memory.
template <class Lanes, std::size_t kRows, std::size_t kVecs>
HWY_NOINLINE void micro_kernel(const hn::TFromD<typename Lanes::D>* HWY_RESTRICT acts,
                               const hn::TFromD<typename Lanes::D>* HWY_RESTRICT weights,
                               std::size_t words,
                               const SumBlock<hn::TFromD<typename Lanes::D>>& block) {
  using D = typename Lanes::D;
  using V = typename Lanes::V;
  constexpr std::size_t kLanes = hn::MaxLanes(D());
  const D d;
  V sums[kRows][kVecs];
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < kRows; ++i) {
    HWY_UNROLL(2)
    for (std::size_t j = 0; j < kVecs; ++j) {
      sums[i][j] = hn::LoadU(d, block.from + i * block.from_stride + j * kLanes);
    }
  }
  for (std::size_t g = 0; g < words; ++g) {
    V column[kVecs];
    HWY_UNROLL(2)
    for (std::size_t j = 0; j < kVecs; ++j) {
      column[j] = hn::LoadU(d, weights + g * kPanelCols + j * kLanes);
    }
    HWY_UNROLL(16)
    for (std::size_t i = 0; i < kRows; ++i) {
      const V act = hn::Set(d, acts[i * kActStride + g]);
      HWY_UNROLL(2)
      for (std::size_t j = 0; j < kVecs; ++j) sums[i][j] = Lanes::dot(act, column[j], sums[i][j]);
    }
  }
  HWY_UNROLL(16)
  for (std::size_t i = 0; i < kRows; ++i) {
    if (i >= block.rows) return;
    HWY_UNROLL(2)
    for (std::size_t j = 0; j < kVecs; ++j) {
      if (j * kLanes >= block.cols) break;
      store_sums<Lanes>(sums[i][j], block.to + i * block.to_stride + j * kLanes,
                        block.cols - j * kLanes, block.outcome);
    }
  }
}

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
// 12 x 2 sums, 2 weights and an activation in 32 registers.
inline constexpr std::size_t kBlockRows = 12;
#else
// 6 x 2 sums, 2 weights and an activation in 16 registers.
inline constexpr std::size_t kBlockRows = 6;
#endif
static_assert(kBlockRows <= kMaxBlockRows);

/// Runs the smallest block that holds the rows. Its surplus rows read stale activations; their sums
/// are not stored.
template <class Lanes, std::size_t kVecs, class... Args>
void run_rows(std::size_t rows, const Args&... args) {
  if (rows == 1) return micro_kernel<Lanes, 1, kVecs>(args...);
  if (rows == 2) return micro_kernel<Lanes, 2, kVecs>(args...);
  if (rows <= 4) return micro_kernel<Lanes, 4, kVecs>(args...);
  if constexpr (kBlockRows > 8) {
    if (rows <= 8) return micro_kernel<Lanes, 8, kVecs>(args...);
  }
  return micro_kernel<Lanes, kBlockRows, kVecs>(args...);
}

/// Runs one panel (kPanelCols columns) in strips of two vectors; `block` describes the whole panel.
template <class Lanes, class Psum>
void run_panel(const Psum* acts, const Psum* weights, std::size_t words,
               const SumBlock<Psum>& block) {
  constexpr std::size_t kLanes = hn::MaxLanes(typename Lanes::D());
  constexpr std::size_t kStrip = 2 * kLanes;
  static_assert(kPanelCols % kStrip == 0);
  for (std::size_t col = 0; col < block.cols; col += kStrip) {
    SumBlock<Psum> strip = block;
    strip.from += col;
    strip.to += col;
    strip.cols = std::min(kStrip, block.cols - col);
    if (strip.cols <= kLanes) {
      run_rows<Lanes, 1>(strip.rows, acts, weights + col, words, strip);
    } else {
      run_rows<Lanes, 2>(strip.rows, acts, weights + col, words, strip);
    }
  }
}

/// One pass over a block of words, for one block of activation rows. The first pass starts the
/// sums, the last one writes them to the accumulators; between passes they are partial sums.
template <class Arithmetic>
struct TilePass {
  using Psum = typename Arithmetic::Psum;

  const PackedTile<Arithmetic>& tile;
  Workspace<Arithmetic>& workspace;
  std::size_t first_word;
  std::size_t words;
  std::size_t rows;
  Psum* acc;
  bool accumulate;

  bool is_first() const { return first_word == 0; }
  bool is_last() const { return first_word + words == tile.live_words; }

  SumBlock<Psum> panel_block(std::size_t panel, bool first, bool last) const {
    const std::size_t col = panel * kPanelCols;
    const std::size_t partial_stride = tile.panels * kPanelCols;
    Psum* const partial = workspace.partial.data();
    return {.from = first ? tile.initial.data() + col : partial + col,
            .from_stride = first ? 0 : partial_stride,
            .to = last ? acc + col : partial + col,
            .to_stride = last ? tile.cols : partial_stride,
            .rows = rows,
            // All lanes of partial sums are stored: the buffer is padded, and the next pass loads
            // whole vectors.
            .cols = last ? std::min(kPanelCols, tile.cols - col) : kPanelCols,
            .outcome = !last        ? SumUse::kPartial
                       : accumulate ? SumUse::kAccumulate
                                    : SumUse::kOverwrite};
  }
};

/// Prepares the activations of one row for a pass. The last word of the last pass stands for the
/// tile's zero rows; the word after it stands for panels of zeros.
template <class Arithmetic, class Lanes>
void stage_row(const TilePass<Arithmetic>& pass, const typename Arithmetic::Element* row,
               typename Arithmetic::Psum* acts) {
  const PackedTile<Arithmetic>& tile = pass.tile;
  const std::size_t first = pass.first_word * Lanes::kElementsPerWord;
  const std::size_t room = pass.words * Lanes::kElementsPerWord;
  Lanes::stage(row + first, std::min(room, tile.live_rows - first), acts);
  if constexpr (Lanes::kZeroRowsCount) {
    if (!pass.is_last()) return;
    if (tile.live_rows < tile.rows) {
      acts[pass.words - 1] = Lanes::zero_rows(row + tile.live_rows, tile.rows - tile.live_rows);
    }
    if (tile.live_panels < tile.panels) acts[pass.words] = Lanes::zero_rows(row, tile.rows);
  }
}

template <class Arithmetic, class Lanes>
void run_pass(const TilePass<Arithmetic>& pass,
              const typename Arithmetic::Element* const* act_rows) {
  const PackedTile<Arithmetic>& tile = pass.tile;
  auto* const acts = pass.workspace.acts.data();
  for (std::size_t i = 0; i < pass.rows; ++i) {
    stage_row<Arithmetic, Lanes>(pass, act_rows[i], acts + i * kActStride);
  }
  for (std::size_t panel = 0; panel < tile.live_panels; ++panel) {
    const auto* weights = tile.weights.data() + (panel * tile.words + pass.first_word) * kPanelCols;
    run_panel<Lanes>(acts, weights, pass.words,
                     pass.panel_block(panel, pass.is_first(), pass.is_last()));
  }
  if (!pass.is_last()) return;
  for (std::size_t panel = tile.live_panels; panel < tile.panels; ++panel) {
    const auto* weights = tile.weights.data() + panel * tile.words * kPanelCols;
    run_panel<Lanes>(acts + pass.words, weights, Lanes::kZeroRowsCount ? 1 : 0,
                     pass.panel_block(panel, true, true));
  }
}

template <class Arithmetic, class Lanes>
void multiply(const PackedTile<Arithmetic>& tile,
              std::span<const typename Arithmetic::Element* const> act_rows,
              typename Arithmetic::Psum* acc, bool accumulate, Workspace<Arithmetic>& workspace) {
  for (std::size_t row = 0; row < act_rows.size(); row += kBlockRows) {
    const std::size_t rows = std::min(kBlockRows, act_rows.size() - row);
    std::size_t word = 0;
    do {  // at least one pass, because a tile of zeros may have no words
      const std::size_t words = std::min(kBlockWords, tile.live_words - word);
      run_pass<Arithmetic, Lanes>({.tile = tile,
                                   .workspace = workspace,
                                   .first_word = word,
                                   .words = words,
                                   .rows = rows,
                                   .acc = acc + row * tile.cols,
                                   .accumulate = accumulate},
                                  act_rows.data() + row);
      word += words;
    } while (word < tile.live_words);
  }
}

HWY_INLINE unsigned bits_of(std::int8_t element) {
  return static_cast<std::uint8_t>(element);
}
template <class Format>
HWY_INLINE unsigned bits_of(Format element) {
  return element.bits;
}

template <class Element>
bool all_zero(const Element* from, std::size_t count) {
  unsigned seen = 0;
  for (std::size_t i = 0; i < count; ++i) seen |= bits_of(from[i]);
  return seen == 0;
}

/// Measures how much of the tile remains without trailing zeros.
template <class Arithmetic, class Lanes>
void measure(const typename Arithmetic::Element* tile, PackedTile<Arithmetic>& packed) {
  const std::size_t cols = packed.cols;
  std::size_t rows = packed.rows;
  while (rows > 0 && all_zero(tile + (rows - 1) * cols, cols)) --rows;
  const auto dead = [&](std::size_t panel) {
    const std::size_t col = panel * kPanelCols;
    for (std::size_t r = 0; r < rows; ++r) {
      if (!all_zero(tile + r * cols + col, std::min(kPanelCols, cols - col))) return false;
    }
    return true;
  };
  packed.live_panels = packed.panels;
  while (packed.live_panels > 0 && dead(packed.live_panels - 1)) --packed.live_panels;
  packed.live_rows = rows;
  packed.live_words = (rows + Lanes::kElementsPerWord - 1) / Lanes::kElementsPerWord;
  if (Lanes::kZeroRowsCount && rows < packed.rows) ++packed.live_words;
}

/// Packs `count` columns of one word row and updates the start values of their sums.
template <class Lanes, class Element, class Psum>
void pack_word_row(const Element* const* rows, std::size_t count, Psum* HWY_RESTRICT words,
                   Psum* HWY_RESTRICT initial) {
  for (std::size_t c = 0; c < count; ++c) {
    words[c] = Lanes::word(rows, c);
    initial[c] = Lanes::initial(initial[c], rows, c);
  }
}

/// Writes the words of weight 1 that stand for zero rows, or for a panel of zeros.
template <class Psum>
void pack_zero_rows(Psum* words) {
  std::fill_n(words, kPanelCols, Psum{1});
}

template <class Arithmetic, class Lanes>
void pack_panel(const typename Arithmetic::Element* tile, std::size_t panel,
                PackedTile<Arithmetic>& packed) {
  using Element = typename Arithmetic::Element;
  constexpr std::size_t kPerWord = Lanes::kElementsPerWord;
  static constexpr Element kZeros[kPanelCols] = {};
  const std::size_t col = panel * kPanelCols;
  auto* const words = packed.weights.data() + panel * packed.words * kPanelCols;
  for (std::size_t g = 0; g * kPerWord < packed.live_rows; ++g) {
    const Element* rows[kPerWord];
    for (std::size_t i = 0; i < kPerWord; ++i) {
      const std::size_t r = g * kPerWord + i;
      rows[i] = r < packed.rows ? tile + r * packed.cols + col : kZeros;
    }
    pack_word_row<Lanes>(rows, std::min(kPanelCols, packed.cols - col), words + g * kPanelCols,
                         packed.initial.data() + col);
  }
  if (Lanes::kZeroRowsCount && packed.live_rows < packed.rows) {
    pack_zero_rows(words + packed.live_rows * kPanelCols);
  }
}

template <class Arithmetic, class Lanes>
void pack(const typename Arithmetic::Element* tile, PackedTile<Arithmetic>& packed) {
  measure<Arithmetic, Lanes>(tile, packed);
  std::fill_n(packed.initial.data(), packed.initial.size(), typename Arithmetic::Psum{});
  for (std::size_t panel = 0; panel < packed.live_panels; ++panel) {
    pack_panel<Arithmetic, Lanes>(tile, panel, packed);
  }
  if (!Lanes::kZeroRowsCount) return;
  for (std::size_t panel = packed.live_panels; panel < packed.panels; ++panel) {
    pack_zero_rows(packed.weights.data() + panel * packed.words * kPanelCols);
  }
}

template <class Arithmetic, class Lanes>
TileKernel<Arithmetic> make_kernel() {
  return {.elements_per_word = Lanes::kElementsPerWord,
          .block_rows = kBlockRows,
          .pack = &pack<Arithmetic, Lanes>,
          .multiply = &multiply<Arithmetic, Lanes>};
}

TileKernel<Int8Arithmetic> int8_kernel() {
  return make_kernel<Int8Arithmetic, Int8Lanes>();
}

TileKernel<Bf16Arithmetic> bf16_kernel() {
  return make_kernel<Bf16Arithmetic, FloatLanes<Bf16Arithmetic>>();
}

TileKernel<Fp16Arithmetic> fp16_kernel() {
  return make_kernel<Fp16Arithmetic, FloatLanes<Fp16Arithmetic>>();
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace weft
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft {

HWY_EXPORT(int8_kernel);
HWY_EXPORT(bf16_kernel);
HWY_EXPORT(fp16_kernel);

template <>
TileKernel<Int8Arithmetic> best_tile_kernel<Int8Arithmetic>() {
  return HWY_DYNAMIC_DISPATCH(int8_kernel)();
}

template <>
TileKernel<Bf16Arithmetic> best_tile_kernel<Bf16Arithmetic>() {
  return HWY_DYNAMIC_DISPATCH(bf16_kernel)();
}

template <>
TileKernel<Fp16Arithmetic> best_tile_kernel<Fp16Arithmetic>() {
  return HWY_DYNAMIC_DISPATCH(fp16_kernel)();
}

}  // namespace weft
#endif  // HWY_ONCE
