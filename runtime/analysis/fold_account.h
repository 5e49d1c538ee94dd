// The account of one contraction, fold by fold: which part of the weights is in the array, which
// rows stream through it, and what the array waits for. A fold's cycles run from the end of the
// previous fold to its own last row at PE(0,0). The folds and the tail together make up the run:
//
//   0 ... fold 1 ...|... fold 2 ...|...... fold T ......|.... tail ....| total
//     waits, rows     waits, rows         waits, rows     drain, vector unit, stores
//
// All of it is read while the run happens, so products and convolutions have the same account, and
// its memory grows only with the folds that are listed. The K blocks of a convolution are taps of
// the filter, or blocks of a window whose taps are packed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/sliding_window.h"
#include "runtime/analysis/contraction_shape.h"
#include "sim/analysis/result.h"
#include "sim/analysis/run_analysis.h"
#include "sim/config/machine_config.h"
#include "sim/isa/instruction.h"

namespace weft::runtime {

/// One fold: a weight tile, and all rows that stream through it.
struct FoldStep {
  std::uint64_t k_block = 0;
  std::uint64_t n_tile = 0;
  std::uint64_t tap = 0;  // y * taps_x + x; 0 if the taps are packed
  Extent k = {};          // channels of the tap, or elements of the window; rows of K for a product
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
/// Upper limit on the steps; `all` is as many.
inline constexpr std::uint64_t kMostSteps = 1'000'000;

/// Watches the run of one contraction with constant weights, which has at least one matmul. Lists
/// at most `steps` (1 or more) folds: the first, the last, the first of each kind of padding, the
/// one that waited longest, then the earliest. Summaries replace the others.
class AccountObserver final : public RunObserver {
 public:
  /// The number of the tile that a fetch takes from the unified buffer. Fetches count from 0.
  using BufferedTile = std::function<std::uint64_t(std::uint64_t fetch)>;

  /// The program's weights begin with tile 0. The references must outlive the observer.
  AccountObserver(const ContractionShape& shape, const MachineConfig& config, std::uint64_t steps,
                  BufferedTile buffered_tile);

  void accepted(const Instruction& instruction) override;
  void pushed(Cycle cycle) override;
  void streamed(const MatmulWait& wait, const Matmul& matmul, const CycleLedger& ledger) override;
  /// The earliest folds must be seen one by one; a repetition has no other kind of padding and no
  /// longer wait.
  bool may_skip() const override { return folds_ > steps_; }
  void visit(StateVisitor& visitor) override;

  /// The account of the finished run.
  Account account(const Result& result);

 private:
  /// A fold with the cycles and the ledger of the run before it and until its end.
  struct Fold {
    std::uint64_t number = 0;
    std::uint64_t tile = 0;
    FoldStep step = {};
    Cycle begin = 0;
    Cycle end = 0;
    CycleLedger before = {};
    CycleLedger until = {};
  };

  /// How many rows of the result each n tile has begun, as ranges of n tiles with the same number.
  class RowsBegun {
   public:
    RowsBegun() { ranges_.push_back({0, 0}); }
    /// Adds `rows` to an n tile; returns its number before.
    std::uint64_t add(std::uint64_t n_tile, std::uint64_t rows);
    void visit(StateVisitor& visitor);

   private:
    struct Range {
      std::uint64_t first = 0;  // n tile; the range goes on until the next one
      std::uint64_t rows = 0;
    };
    std::vector<Range> ranges_;
  };

  void begin_fold(const MatmulWait& wait, const Matmul& matmul, const CycleLedger& before);
  void end_fold(bool completes_sums);
  void complete(Fold& fold) const;
  std::vector<Fold> chosen() const;
  static AccountEntry summary(const Fold& before, const Fold& after);

  const ContractionShape& shape_;
  const MachineConfig& config_;
  const std::uint64_t steps_;
  const std::uint64_t k_blocks_;
  const BufferedTile buffered_tile_;

  std::uint64_t fetches_ = 0;
  SlidingWindow<std::uint64_t> tiles_;  // fetched, not taken
  SlidingWindow<Cycle> pushes_;         // of tiles not taken
  RowsBegun rows_begun_;
  std::uint64_t sums_from_ = 0;  // first row of the current sums
  std::uint64_t folds_ = 0;      // begun
  Fold fold_;                    // the current one
  Cycle next_hidden_ = 0;        // pushes of the next tile during its rows

  std::vector<Fold> earliest_;
  std::array<std::optional<Fold>, 4> first_padded_;  // [along K + 2 * along N]
  std::optional<Fold> longest_;                      // the first of those that waited longest
  Cycle longest_wait_ = 0;
};

}  // namespace weft::runtime
