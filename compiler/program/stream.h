// The instructions of a program while they are written, in program order.
//
//   emit --> [[TileSharing | RoundMerger] --> ListScheduler] --> DependenceTracker
//        --> InstructionSink
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "compiler/program/dependences.h"
#include "compiler/program/network_program.h"
#include "compiler/program/order/list_scheduler.h"
#include "compiler/program/order/round_merger.h"
#include "compiler/program/order/tile_sharing.h"
#include "compiler/program/schedule.h"
#include "sim/config/machine_config.h"
#include "sim/isa/program.h"

namespace weft::compiler {

/// Takes the instructions of a program: holds them, times them, counts them.
class InstructionSink {
 public:
  InstructionSink() = default;
  InstructionSink(const InstructionSink&) = delete;
  InstructionSink& operator=(const InstructionSink&) = delete;
  virtual ~InstructionSink() = default;

  /// The program's next instruction. It belongs to layer `layer` and works on `tile`.
  virtual void add(const Instruction& instruction, std::uint32_t layer,
                   const TileNumbers& tile) = 0;
};

class Stream {
 public:
  /// Appends to `sink` at most `most` instructions. Counts the transfers of each layer in
  /// `step.layers`, to which begin_layer() refers. All references must outlive the stream.
  Stream(const MachineConfig& config, MachineStep& step, InstructionSink& sink, std::size_t most);

  /// Puts the instructions into the order in which the units of `planned` can start them
  /// (InstructionOrder::kByStart). Comes before the first of them; `planned` must outlive the
  /// stream. The `after` counts are those that the stream's own machine needs.
  void order_by_start(const MachineConfig& planned);
  /// The same, after folds of one tile have been brought together (InstructionOrder::kByTile).
  void order_by_tile(const MachineConfig& planned);

  /// As order_by_start(), with up to `at_once` rounds under way. The first uses the rows that are
  /// emitted, each other one rows that lie as many further as `planned` has.
  void order_rounds(const MachineConfig& planned, std::size_t at_once);

  /// Staging begins at this row of the unified buffer. Comes before an order is asked for.
  void staging_from(std::uint64_t row) { staging_from_ = row; }
  /// Loads into rows of the unified buffer from `row` on bring weights, not inputs.
  void weights_from(std::uint64_t row) { weights_from_ = row; }

  /// What is emitted from here on belongs to the next round. It comes after everything before and
  /// is put into order apart, unless rounds are under way at once and it is not to be `apart`.
  void begin_round(bool apart);
  /// How many rows of the unified buffer lie between what is emitted and what the program gets.
  std::uint32_t moved_by() const;

  /// Everything emitted from here on belongs to `layer`.
  void begin_layer(std::uint32_t layer) {
    layer_ = layer;
    tile_ = {};
  }
  /// Everything emitted from here on works on `tile`.
  void begin_tile(const TileNumbers& tile) { tile_ = tile; }

  std::size_t most() const { return most_; }
  /// Throws InputError if `count` instructions in all would be too many.
  void expect(std::uint64_t count) const {
    if (count > most_) refuse_longer();
  }
  /// Adds the counts for which the operation waits. Throws InputError if there are too many.
  void emit(const Operation& operation);
  /// Calls `note` with the number of instructions in the program when all that were emitted so far
  /// and write these rows are among them: `planes` blocks of `rows` rows of the unified buffer,
  /// `plane_rows` apart, the first at `base`. No instruction among them overwrites the rows.
  void after_writes(std::uint64_t base, std::uint64_t rows, std::uint64_t planes,
                    std::uint64_t plane_rows, std::function<void(std::size_t)> note);
  /// The program is complete.
  void finish();

 private:
  void count_bytes(const Operation& operation);
  void add(const ListScheduler::Entry& entry);
  void write(const ListScheduler::Entry& entry);
  [[noreturn]] void refuse_longer() const;

  const MachineConfig& config_;
  MachineStep& step_;
  InstructionSink& sink_;
  const std::size_t most_;
  const MachineConfig* planned_ = nullptr;
  DependenceTracker tracker_;
  std::optional<ListScheduler> scheduler_;  // if the order is not that of the layers
  std::optional<TileSharing> sharing_;      // before it, if folds of one tile come together
  std::optional<RoundMerger> merger_;       // before it, if rounds are under way at once
  std::size_t at_once_ = 1;                 // rounds
  std::size_t part_ = 0;                    // of the machine's rows that the round uses
  std::uint64_t staging_from_ = OperationGraph::kOnePart;
  std::uint64_t weights_from_ = std::numeric_limits<std::uint64_t>::max();
  std::size_t emitted_ = 0;
  std::size_t written_ = 0;
  std::uint32_t layer_ = 0;
  TileNumbers tile_ = {};
};

}  // namespace weft::compiler
