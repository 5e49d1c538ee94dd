// Rounds of random operations on tiny memories, merged: each operation comes once, after all that
// it conflicts with, with the tile that it had, and each round keeps the order of all units but the
// vector unit.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <iostream>
#include <optional>
#include <random>
#include <variant>
#include <vector>

#include "compiler/program/dependences.h"
#include "compiler/program/order/list_scheduler.h"
#include "compiler/program/order/round_merger.h"
#include "tests/compiler/noted_code.h"
#include "tests/compiler/order_oracle.h"
#include "tests/compiler/random_program.h"

namespace weft::compiler {
namespace {

using test::Code;
using test::RandomProgram;

constexpr std::uint32_t kSeed = 20261128;
constexpr int kPrograms = 2000;
// Of the memories, for each round under way: more than a random operation reaches.
constexpr std::uint32_t kRows = 100;

/// Operations whose matmuls have tiles of their own: the first one takes a tile, and the last ones
/// take what is left.
std::vector<Operation> random_round(std::mt19937& random, const MachineConfig& config) {
  std::vector<Operation> operations =
      RandomProgram(random, config).make(2 + static_cast<int>(random() % 30));
  int fetched = 0;
  bool has_tile = false;
  std::vector<Operation> round;
  for (const Operation& operation : operations) {
    if (std::holds_alternative<Fetch>(operation)) ++fetched;
    if (const auto* matmul = std::get_if<Matmul>(&operation)) {
      if (!matmul->next_weights && !has_tile) continue;
      if (matmul->next_weights) --fetched;
      has_tile = true;
    }
    round.push_back(operation);
  }
  for (; fetched > 0; --fetched) round.push_back(Matmul{});
  if (round.empty()) round.push_back(Load{});
  return round;
}

/// The operation on the rows of another round.
Operation moved(Operation operation, std::uint32_t part, std::uint64_t round) {
  const std::uint32_t rows = part * kRows;
  const std::uint32_t sums = part * kRows;
  const std::uint64_t host = round * kRows;
  if (auto* load = std::get_if<Load>(&operation)) {
    load->ub += rows;
    load->host += host;
  } else if (auto* store = std::get_if<Store>(&operation)) {
    store->ub += rows;
    store->host += host;
  } else if (auto* fetch = std::get_if<Fetch>(&operation)) {
    if (fetch->buffer) fetch->buffer->row += rows;
  } else if (auto* matmul = std::get_if<Matmul>(&operation)) {
    matmul->ub.base += rows;
    matmul->acc += sums;
  } else if (auto* vector = std::get_if<Vector>(&operation)) {
    vector->acc += sums;
    vector->ub += rows;
    vector->bias += rows;
    if (vector->source) vector->source->rows.base += rows;
    if (vector->operand) vector->operand->row += rows;
  }
  return operation;
}

struct Rounds {
  Code code;
  std::vector<std::size_t> round;  // of each instruction
};

Rounds random_rounds(std::mt19937& random, const MachineConfig& config, std::size_t at_once) {
  Rounds rounds;
  const std::size_t count = 1 + random() % 5;
  for (std::size_t round = 0; round < count; ++round) {
    std::vector<Operation> operations = random_round(random, config);
    for (Operation& operation : operations) {
      operation = moved(operation, static_cast<std::uint32_t>(round % at_once), round);
    }
    std::vector<test::Note> notes = test::random_notes(random, operations.size());
    const auto part = static_cast<std::uint32_t>(round % at_once);
    for (test::Note& note : notes) note.row += part * kRows;
    const Code code = test::with_stores(operations, notes);
    for (std::size_t i = 0; i < code.instructions.size(); ++i) {
      Operation operation = code.instructions[i].operation;
      // Nobody else uses the host rows of a note.
      if (code.is_note[i]) std::get<Store>(operation).host += 100'000 * (round + 1);
      rounds.code.instructions.push_back({operation, {}});
      rounds.code.is_note.push_back(code.is_note[i]);
      rounds.round.push_back(round);
    }
  }
  return rounds;
}

/// The numbers of the instructions in their new order.
std::vector<std::size_t> merged(const Rounds& rounds, const MachineConfig& config,
                                std::size_t at_once) {
  std::vector<std::size_t> order;
  ListScheduler scheduler(config,
                          [&](const OperationEntry& entry) { order.push_back(entry.layer); });
  RoundMerger merger(config, scheduler, at_once);
  for (std::size_t i = 0; i < rounds.round.size(); ++i) {
    if (i > 0 && rounds.round[i] != rounds.round[i - 1]) merger.begin_round();
    const Operation& operation = rounds.code.instructions[i].operation;
    if (!rounds.code.is_note[i]) {
      merger.add({operation, static_cast<std::uint32_t>(i), {}});
      continue;
    }
    const auto& rows = std::get<Store>(operation);
    merger.after_writes(rows.ub, 1, rows.rows, 1, [&order, i] { order.push_back(i); });
  }
  merger.begin_round();  // as after the last round of a batch
  merger.finish();
  return order;
}

/// For each matmul, the fetch that brought its tile; nullopt for other instructions.
std::vector<std::optional<std::size_t>> tiles(const Rounds& rounds,
                                              const std::vector<std::size_t>& order) {
  std::vector<std::optional<std::size_t>> tiles(order.size());
  std::deque<std::size_t> fifo;
  std::optional<std::size_t> tile;
  for (const std::size_t i : order) {
    const Operation& operation = rounds.code.instructions[i].operation;
    if (std::holds_alternative<Fetch>(operation)) fifo.push_back(i);
    const auto* matmul = std::get_if<Matmul>(&operation);
    if (matmul == nullptr) continue;
    if (matmul->next_weights && !fifo.empty()) {
      tile = fifo.front();
      fifo.pop_front();
    }
    tiles[i] = tile;
  }
  return tiles;
}

TEST(RoundMergerPropertyTest, KeepsConflictsTilesAndTheOrderOfEachRound) {
  std::cout << "seed " << kSeed << '\n';
  std::mt19937 random(kSeed);
  int mixed = 0;
  for (int program = 0; program < kPrograms; ++program) {
    SCOPED_TRACE("program " + std::to_string(program));
    MachineConfig config = test::random_machine(random);
    config.double_buffer = random() % 2 == 0;
    config.memory_kind = static_cast<MemoryKind>(random() % 3);
    const std::size_t at_once = 1 + random() % 3;
    const Rounds rounds = random_rounds(random, config, at_once);
    const std::vector<std::size_t> order = merged(rounds, config, at_once);

    std::vector<std::size_t> position(rounds.round.size(), 0);
    ASSERT_EQ(order.size(), position.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[position[i]], i);
    const auto& code = rounds.code.instructions;
    for (const auto& conflict : test::conflicts_of(code, config, test::Pairs::kAll)) {
      if (conflict.kind == "FIFO") continue;
      ASSERT_LT(position[conflict.earlier], position[conflict.later])
          << conflict.kind << " of " << conflict.earlier << " and " << conflict.later;
    }
    std::vector<std::size_t> as_added(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) as_added[i] = i;
    ASSERT_EQ(tiles(rounds, order), tiles(rounds, as_added));
    DependenceTracker tracker(config);
    for (const std::size_t i : order) {
      if (rounds.code.is_note[i]) continue;
      EXPECT_NO_THROW(tracker.add(code[i].operation));
    }
    std::vector<std::vector<std::size_t>> last(kUnitCount, std::vector<std::size_t>(6, 0));
    std::size_t round = 0;  // of the last matmul
    for (const std::size_t i : order) {
      if (rounds.code.is_note[i]) continue;
      const Unit unit = code[i].unit();
      std::size_t& before = last[index_of(unit)][rounds.round[i]];
      EXPECT_TRUE(unit == Unit::kVector || before <= i);
      before = i;
      if (unit != Unit::kMatmul) continue;
      mixed += rounds.round[i] < round ? 1 : 0;
      round = rounds.round[i];
    }
  }
  EXPECT_GT(mixed, 500);
}

}  // namespace
}  // namespace weft::compiler
