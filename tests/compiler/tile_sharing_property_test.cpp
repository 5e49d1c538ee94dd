// Random folds of few tiles, brought together: an independent machine of symbols runs the
// operations in both orders. Whatever a vector instruction, a store or a note reads must be the
// same. And the fetches of a recurrence, counted by hand.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <iostream>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <variant>
#include <vector>

#include "compiler/program/order/list_scheduler.h"
#include "compiler/program/order/tile_sharing.h"
#include "sim/config/machine_config.h"
#include "sim/isa/row_access.h"

namespace weft::compiler {
namespace {

constexpr std::uint32_t kSeed = 20261127;
constexpr int kPrograms = 3000;

// --- Symbols -------------------------------------------------------------------------------------

using Symbol = std::uint64_t;

Symbol mix(Symbol a, Symbol b) {
  a = (a ^ (b + 0x9e3779b97f4a7c15U + (a << 6U) + (a >> 2U))) * 0xff51afd7ed558ccdU;
  return a ^ (a >> 33U);
}

/// Runs operations one after the other. A sum is a sum of symbols, so that its order does not
/// count. Everything else depends on all that it reads, in order.
class SymbolMachine {
 public:
  explicit SymbolMachine(const MachineConfig& config) : config_(config) {}

  /// Returns what the operation has read, if it is one of the vector unit or a store.
  std::optional<Symbol> run(const Operation& operation) {
    if (const auto* fetch = std::get_if<Fetch>(&operation)) {
      fifo_.push_back(mix(fetch->tile, rows_read(operation)));
      EXPECT_LE(fifo_.size(), std::size_t{1} << 16U);
      ++fetches;
      return std::nullopt;
    }
    if (const auto* matmul = std::get_if<Matmul>(&operation)) {
      run(*matmul);
      return std::nullopt;
    }
    const Symbol read = rows_read(operation);
    std::uint64_t number = 0;
    for_each_access(operation, config_, [&](const RowAccess& access) {
      if (!access.writes()) return;
      for (std::uint64_t row = access.touch.row; row < access.touch.end(); ++row) {
        memory_[{access.memory, row}] = mix(read, number++);
      }
    });
    if (std::holds_alternative<Load>(operation)) return std::nullopt;
    return read;
  }

  /// The row of the unified buffer, as it is now.
  Symbol row(std::uint64_t row) { return memory_[{RowMemory::kBuffer, row}]; }

  int fetches = 0;

 private:
  using Place = std::pair<RowMemory, std::uint64_t>;

  void run(const Matmul& matmul) {
    if (matmul.next_weights) {
      ASSERT_FALSE(fifo_.empty()) << "a matmul waits for a tile that is fetched later";
      tile_ = fifo_.front();
      fifo_.pop_front();
    }
    const Symbol product = mix(tile_, rows_read(Matmul{matmul.ub, matmul.rows, 0, false, false}));
    for (std::uint32_t i = 0; i < matmul.rows; ++i) {
      Symbol& sum = memory_[{RowMemory::kAccumulators, matmul.acc + i}];
      sum = (matmul.accumulate ? sum : 0) + mix(product, i);
    }
  }

  Symbol rows_read(const Operation& operation) {
    Symbol read = 1;
    for_each_access(operation, config_, [&](const RowAccess& access) {
      if (access.kind == AccessKind::kWrite) return;
      for (std::uint64_t row = access.touch.row; row < access.touch.end(); ++row) {
        read = mix(read, memory_[{access.memory, row}]);
      }
    });
    return read;
  }

  const MachineConfig& config_;
  std::map<Place, Symbol> memory_;
  std::deque<Symbol> fifo_;
  Symbol tile_ = 0;
};

// --- Programs ------------------------------------------------------------------------------------

/// Rows 0 to 11 of the buffer hold operands and results, rows 20 to 28 three tiles.
class RandomFolds {
 public:
  /// At most `slots` tiles are fetched before they are taken.
  RandomFolds(std::mt19937& random, std::size_t slots) : random_(random), slots_(slots) {}

  std::vector<Operation> make(int count) {
    while (static_cast<int>(operations_.size()) < count) add();
    while (fetched_ > 0) take();
    return operations_;
  }

 private:
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }

  void add() {
    switch (below(8)) {
      case 0:
        operations_.emplace_back(Load{below(9), below(12), 1});
        return;
      case 1:
        operations_.emplace_back(Store{below(12), 100 + operations_.size(), 1});
        return;
      case 2:
        return add_vector();
      case 3:
        if (below(4) == 0) operations_.emplace_back(Load{below(9), 20 + below(9), 1});
        if (taken_ && below(2) == 0) add_matmul(false);
        return;
      default:
        while (fetched_ == slots_) take();
        fetch();
        while (fetched_ > 0 && below(3) > 0) take();
    }
  }

  void add_vector() {
    Vector vector;
    vector.rows = 1 + below(2);
    vector.ub = below(11);
    vector.format = RowFormat::kNarrow;
    if (below(2) == 0) {
      vector.source = VectorSource{};
      vector.source->rows.base = below(11);
      vector.source->rows.loops[0] = {vector.rows, 1};
    } else {
      vector.acc = below(4);
    }
    operations_.emplace_back(vector);
  }

  void fetch() {
    Fetch fetch;
    fetch.tile = below(3);
    if (below(2) == 0) {
      fetch = {0, BufferTile{.row = 20 + 3 * below(3), .rows = 3, .lanes = 1}};
    }
    ++fetched_;
    operations_.emplace_back(fetch);
  }

  void take() {
    --fetched_;
    taken_ = true;
    add_matmul(true);
    while (below(4) == 0) add_matmul(false);
  }

  void add_matmul(bool next_weights) {
    Matmul matmul;
    matmul.rows = 1 + below(2);
    matmul.ub.base = below(11);
    matmul.ub.loops[0] = {matmul.rows, 1};
    matmul.acc = below(4);
    matmul.accumulate = below(3) > 0;
    matmul.next_weights = next_weights;
    operations_.emplace_back(matmul);
  }

  std::mt19937& random_;
  std::vector<Operation> operations_;
  const std::size_t slots_;
  std::size_t fetched_ = 0;  // and not taken
  bool taken_ = false;
};

/// A row of the unified buffer that is looked at after the operations before `at`.
struct Note {
  std::size_t at = 0;
  std::uint32_t row = 0;
};

struct Ordered {
  std::vector<ListScheduler::Entry> entries;  // `layer` is the number of the operation
  std::vector<Note> notes;                    // `at`: of the entries
};

Ordered ordered(const std::vector<Operation>& operations, const std::vector<Note>& notes,
                const MachineConfig& config, std::size_t block) {
  Ordered result;
  ListScheduler scheduler(
      config, [&](const ListScheduler::Entry& entry) { result.entries.push_back(entry); });
  TileSharing sharing(config, scheduler, block);
  result.notes.resize(notes.size());
  std::size_t note = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    for (; note < notes.size() && notes[note].at == i; ++note) {
      const std::uint32_t row = notes[note].row;
      sharing.after_writes(row, 1, 1, 1, [&result, note, row] {
        result.notes[note] = {result.entries.size(), row};
      });
    }
    sharing.add({operations[i], static_cast<std::uint32_t>(i), {}});
  }
  sharing.finish();
  return result;
}

std::vector<Note> random_notes(std::mt19937& random, std::size_t operations) {
  std::vector<Note> notes;
  for (std::size_t at = 1; at < operations; ++at) {
    if (random() % 8 == 0) notes.push_back({at, static_cast<std::uint32_t>(random() % 12)});
  }
  return notes;
}

/// What each operation reads, and what each note sees.
struct Seen {
  std::vector<std::optional<Symbol>> read;
  std::vector<Symbol> noted;
  int fetches = 0;
};

/// `numbers`: the place of each operation in `read`.
Seen run(const std::vector<Operation>& operations, const std::vector<std::size_t>& numbers,
         std::vector<Note> notes, const MachineConfig& config, std::size_t size) {
  SymbolMachine machine(config);
  Seen seen{std::vector<std::optional<Symbol>>(size), std::vector<Symbol>(notes.size()), 0};
  for (std::size_t i = 0; i <= operations.size(); ++i) {
    for (std::size_t note = 0; note < notes.size(); ++note) {
      if (notes[note].at == i) seen.noted[note] = machine.row(notes[note].row);
    }
    if (i == operations.size()) break;
    const auto read = machine.run(operations[i]);
    if (unit_of(operations[i]) != Unit::kFetch) seen.read[numbers[i]] = read;
  }
  seen.fetches = machine.fetches;
  return seen;
}

TEST(TileSharingPropertyTest, EveryReadFindsWhatItFoundBefore) {
  std::cout << "seed " << kSeed << '\n';
  std::mt19937 random(kSeed);
  int saved = 0;
  int swapped = 0;
  for (int program = 0; program < kPrograms; ++program) {
    SCOPED_TRACE("program " + std::to_string(program));
    MachineConfig config;
    config.array_cols = 1;
    config.weight_fifo_tiles = 2 + static_cast<std::uint32_t>(random() % 3);
    config.double_buffer = random() % 2 == 0;
    const std::vector<Operation> operations =
        RandomFolds(random, config.weight_fifo_tiles).make(4 + static_cast<int>(random() % 60));
    const std::size_t block = random() % 2 == 0 ? 1 + random() % 30 : ListScheduler::kBlock;
    const std::vector<Note> notes = random_notes(random, operations.size());
    const Ordered order = ordered(operations, notes, config, block);

    std::vector<std::size_t> numbers(operations.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    const Seen before = run(operations, numbers, notes, config, operations.size());
    std::vector<Operation> changed;
    std::vector<int> times(operations.size(), 0);
    std::size_t last_matmul = 0;
    numbers.clear();
    for (const ListScheduler::Entry& entry : order.entries) {
      changed.push_back(entry.operation);
      numbers.push_back(entry.layer);
      const Unit unit = unit_of(entry.operation);
      if (unit != Unit::kFetch) ++times[entry.layer];
      if (unit != Unit::kMatmul) continue;
      swapped += entry.layer < last_matmul ? 1 : 0;
      last_matmul = entry.layer;
    }
    for (std::size_t i = 0; i < operations.size(); ++i) {
      ASSERT_EQ(times[i], unit_of(operations[i]) == Unit::kFetch ? 0 : 1) << "operation " << i;
    }
    const Seen after = run(changed, numbers, order.notes, config, operations.size());
    ASSERT_EQ(after.read, before.read);
    ASSERT_EQ(after.noted, before.noted);
    saved += before.fetches - after.fetches;
  }
  EXPECT_GT(saved, 4000);
  EXPECT_GT(swapped, 4000);
}

/// The rows of `acc`, drained to row `acc` of the buffer.
Vector drain_of(std::uint32_t acc) {
  Vector vector;
  vector.acc = acc;
  vector.ub = acc;
  vector.format = RowFormat::kNarrow;
  return vector;
}

Matmul product_to(std::uint32_t acc, bool next_weights) {
  Matmul matmul;
  matmul.ub.base = 10 + acc;
  matmul.acc = acc;
  matmul.next_weights = next_weights;
  return matmul;
}

// The fourth product uses tile 0, which the third one took, although tile 2 is fetched before. If a
// block ended in between, its order (tile 0 twice, then tile 1) would leave tile 1 in the array.
TEST(TileSharingTest, ATileStaysForAProductAfterTheNextFetch) {
  const MachineConfig config;
  std::vector<Operation> operations = {
      Fetch{0},           product_to(0, true), Fetch{1}, product_to(1, true),
      Fetch{0},           product_to(2, true), Fetch{2}, product_to(3, false),
      product_to(4, true)};
  for (std::uint32_t acc = 0; acc < 5; ++acc) operations.emplace_back(drain_of(acc));
  for (std::size_t block = 1; block <= operations.size(); ++block) {
    SCOPED_TRACE("block " + std::to_string(block));
    std::vector<std::size_t> numbers(operations.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    const Seen before = run(operations, numbers, {}, config, operations.size());
    std::vector<Operation> changed;
    numbers.clear();
    for (const ListScheduler::Entry& entry : ordered(operations, {}, config, block).entries) {
      changed.push_back(entry.operation);
      numbers.push_back(entry.layer);
    }
    EXPECT_EQ(run(changed, numbers, {}, config, operations.size()).read, before.read);
  }
}

// --- A recurrence --------------------------------------------------------------------------------

/// `steps` steps h(t+1) = f(h(t) U) with `side` x `side` tiles: column j of a step adds up the
/// products of all tiles (i, j) with part i of h(t), and part j of h(t+1) is read from it.
std::vector<Operation> recurrence(std::uint32_t side, std::uint32_t steps) {
  std::vector<Operation> operations;
  for (std::uint32_t step = 0; step < steps; ++step) {
    for (std::uint32_t j = 0; j < side; ++j) {
      for (std::uint32_t i = 0; i < side; ++i) {
        operations.emplace_back(Fetch{std::uint64_t{j} * side + i});
        Matmul matmul;
        matmul.ub.base = step * side + i;
        matmul.acc = step * side + j;
        matmul.accumulate = i > 0;
        operations.emplace_back(matmul);
      }
      Vector vector;
      vector.acc = step * side + j;
      vector.ub = (step + 1) * side + j;
      vector.format = RowFormat::kNarrow;
      operations.emplace_back(vector);
    }
  }
  return operations;
}

std::size_t fetches_of(const std::vector<Operation>& operations, const MachineConfig& config) {
  std::size_t count = 0;
  for (const auto& entry : ordered(operations, {}, config, ListScheduler::kBlock).entries) {
    if (unit_of(entry.operation) == Unit::kFetch) ++count;
  }
  return count;
}

// Of n x n tiles, those above the diagonal serve two steps at a time, then those below it serve the
// next two. One on the diagonal may end a step and begin the next one.
TEST(TileSharingTest, EveryTileBesideTheDiagonalServesTwoSteps) {
  MachineConfig config;
  config.array_rows = 16;
  config.array_cols = 16;
  config.weight_fifo_tiles = 4;
  config.memory_kind = MemoryKind::kIdeal;
  for (const std::uint32_t side : {3U, 4U, 5U}) {
    for (const std::uint32_t steps : {2U, 3U, 6U, 7U}) {
      SCOPED_TRACE(std::to_string(side) + " x " + std::to_string(side) + " tiles, " +
                   std::to_string(steps) + " steps");
      const std::uint32_t half = side * (side - 1) / 2;
      const std::size_t most = steps * side * side - (steps - 1) * half;
      const std::size_t fetches = fetches_of(recurrence(side, steps), config);
      EXPECT_LE(fetches, most);
      EXPECT_GE(fetches, most - steps);
    }
  }
}

}  // namespace
}  // namespace weft::compiler
