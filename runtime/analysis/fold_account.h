// The account of one contraction, fold by fold: which part of the weights is in the array, which
// rows stream through it, and what the array waits for. A fold's cycles run from the end of the
// previous fold to its own last row at PE(0,0). The folds and the tail together make up the run:
//
//   0 ... fold 1 ...|... fold 2 ...|...... fold T ......|.... tail ....| total
//     waits, rows     waits, rows         waits, rows     drain, vector unit, stores
//
// All of it is read from the program and its timeline, so products and convolutions have the same
// account. The K blocks of a convolution are taps of the filter.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/mapping/tiling_plan.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft::runtime {

inline std::uint64_t unsigned_of(std::int64_t count) {
  return static_cast<std::uint64_t>(count);
}

/// The range [first, last) along a dimension.
struct Extent {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  std::uint64_t size() const { return last - first; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// How K is cut into blocks of array rows: tap after tap, with the channels of each tap in whole
/// tiles. A product is one tap with K channels.
struct ContractionShape {
  std::uint64_t taps_y = 1;
  std::uint64_t taps_x = 1;
  std::uint64_t channels = 0;
  std::uint64_t n = 0;
  bool is_convolution = false;

  std::uint64_t taps() const { return taps_y * taps_x; }
  /// Tiles along the channels of one tap; tiles along all of K.
  std::uint64_t blocks_a_tap(const MachineConfig& config) const;
  std::uint64_t k_blocks(const MachineConfig& config) const;
};

/// One fold: a weight tile, and all rows that stream through it.
struct FoldStep {
  std::uint64_t k_block = 0;
  std::uint64_t n_tile = 0;
  std::uint64_t tap = 0;  // y * taps_x + x
  Extent k = {};          // channels of the tap; rows of K for a product
  Extent n = {};
  Extent m = {};                   // rows of the result
  std::uint64_t chunks = 1;        // matmuls that stream these rows
  std::uint64_t padding_rows = 0;  // rows of the tile beyond the channels
  std::uint64_t padding_cols = 0;  // columns of the tile beyond N
  std::uint64_t border_rows = 0;   // streamed rows outside the image
  bool begins_sums = false;        // its products overwrite the accumulators
  bool completes_sums = false;     // no later fold adds to them
  Cycle pushed = 0;                // cycle of its first push
  Cycle started = 0;               // cycle in which its first row enters
  Cycle hidden_shift = 0;          // pushes during rows of the previous fold
};

/// A fold, or a summary of neighboring folds.
struct AccountEntry {
  std::uint64_t first_fold = 0;  // counted from 0
  std::uint64_t folds = 1;
  Cycle begin = 0;
  Cycle end = 0;
  CycleLedger ledger = {};            // of [begin, end)
  std::optional<FoldStep> step = {};  // nullopt: a summary
};

struct Account {
  std::uint64_t folds = 0;
  std::vector<AccountEntry> entries;  // in order, without gaps
  Cycle tail_begin = 0;               // the cycle after the last row
  Cycle total = 0;
  CycleLedger tail = {};  // of [tail_begin, total)
};

inline constexpr std::uint64_t kDefaultSteps = 8;
/// Upper limit on the steps, unless all are asked for.
inline constexpr std::uint64_t kMostSteps = 1'000'000;

/// Lists at most `steps` (1 or more) folds: the first, the last, the first of each kind of padding,
/// the one that waited longest, then the earliest. Summaries replace the others. `program` is one
/// contraction with constant weights and at least one matmul; `result` is its run.
Account fold_account(const ContractionShape& shape, const MachineConfig& config,
                     const Program& program, const Result& result,
                     std::uint64_t steps = kDefaultSteps);

/// Rows of `matmul` outside the image, which the row generator pads.
std::uint64_t padded_rows(const Matmul& matmul);

/// For each tap, the number of result rows for which the tap lies outside the image.
std::vector<std::uint64_t> border_rows_of_taps(const ContractionShape& shape,
                                               const MachineConfig& config, const Program& program);

/// Rows of the longest matmul, which streams the largest chunk.
std::uint64_t most_rows(const Program& program);

/// Rows streamed through each tile in turn; formula and account build on them.
std::vector<std::uint64_t> rows_of_folds(const Program& program);

/// The array span of docs/timing.md for folds of different lengths. The program must have a fold.
FormulaTerms fold_formula(const MachineConfig& config, const Program& program);

}  // namespace weft::runtime
