// Random operations on tiny memories, scheduled: each one comes once, after all that it conflicts
// with, and only the vector unit's operations change their order.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <vector>

#include "compiler/program/dependences.h"
#include "compiler/program/order/list_scheduler.h"
#include "tests/compiler/noted_code.h"
#include "tests/compiler/order_oracle.h"
#include "tests/compiler/random_program.h"

namespace weft::compiler {
namespace {

using test::Code;
using test::random_notes;
using test::with_stores;

constexpr std::uint32_t kSeed = 20261123;
constexpr int kPrograms = 3000;

/// The numbers of the instructions in their new order.
std::vector<std::size_t> scheduled(const Code& code, const MachineConfig& config,
                                   std::size_t block) {
  std::vector<std::size_t> order;
  const auto write = [&](const ListScheduler::Entry& entry) {
    EXPECT_EQ(entry.operation, code.instructions[entry.layer].operation);
    order.push_back(entry.layer);
  };
  ListScheduler scheduler(config, write, block);
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const Operation& operation = code.instructions[i].operation;
    if (!code.is_note[i]) {
      scheduler.add({operation, static_cast<std::uint32_t>(i), {}});
      continue;
    }
    const auto& rows = std::get<Store>(operation);
    scheduler.after_writes(rows.ub, 1, rows.rows, 1, [&order, i] { order.push_back(i); });
  }
  scheduler.finish();
  return order;
}

std::vector<std::size_t> of_unit(const Code& code, const std::vector<std::size_t>& order,
                                 Unit unit) {
  std::vector<std::size_t> of;
  for (const std::size_t i : order) {
    if (!code.is_note[i] && code.instructions[i].unit() == unit) of.push_back(i);
  }
  return of;
}

/// The weight FIFO's rules hold: the tracker throws if they do not.
void expect_tiles_in_order(const Code& code, const std::vector<std::size_t>& order,
                           const MachineConfig& config) {
  DependenceTracker tracker(config);
  for (const std::size_t i : order) {
    if (code.is_note[i]) continue;
    EXPECT_NO_THROW(tracker.add(code.instructions[i].operation));
  }
}

TEST(ListSchedulerPropertyTest, KeepsEveryConflictInOrder) {
  std::cout << "seed " << kSeed << '\n';
  std::mt19937 random(kSeed);
  int moved = 0;
  int noted = 0;
  for (int program = 0; program < kPrograms; ++program) {
    SCOPED_TRACE("program " + std::to_string(program));
    MachineConfig config = test::random_machine(random);
    config.double_buffer = random() % 2 == 0;
    config.memory_kind = static_cast<MemoryKind>(random() % 3);
    const int length = 2 + static_cast<int>(random() % 40);
    const std::vector<Operation> operations = test::RandomProgram(random, config).make(length);
    const Code code = with_stores(operations, random_notes(random, operations.size()));
    const std::size_t block = random() % 2 == 0 ? 1 + random() % 10 : ListScheduler::kBlock;
    const std::vector<std::size_t> order = scheduled(code, config, block);

    std::vector<std::size_t> position(code.instructions.size(), 0);
    ASSERT_EQ(order.size(), position.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[position[i]], i);
    for (const auto& conflict : test::conflicts_of(code.instructions, config, test::Pairs::kAll)) {
      ASSERT_LT(position[conflict.earlier], position[conflict.later])
          << conflict.kind << " of " << conflict.earlier << " and " << conflict.later;
    }
    for (const Unit unit : kUnits) {
      const auto of = of_unit(code, order, unit);
      const bool in_order = std::ranges::is_sorted(of);
      EXPECT_TRUE(in_order || unit == Unit::kVector);
      moved += in_order ? 0 : 1;
    }
    noted += static_cast<int>(std::ranges::count(code.is_note, true));
    expect_tiles_in_order(code, order, config);
  }
  EXPECT_GT(moved, 100);
  EXPECT_GT(noted, 1000);
}

/// Two chains of a drain and work on its rows, and matmuls that take the results: the first chain
/// comes before the second drain, so that its matmul does not wait for the second.
TEST(ListSchedulerTest, TakesFirstForWhatTheArrayWaitsFirst) {
  MachineConfig config;
  config.weight_fifo_tiles = 4;
  const auto work_on = [](std::uint32_t row) {
    Vector vector;
    vector.source = VectorSource{};
    vector.source->rows.base = row;
    vector.source->rows.loops[0] = {50, 1};
    vector.rows = 50;
    vector.ub = row + 1000;
    return vector;
  };
  const auto drain = [](std::uint32_t row) {
    Vector vector;
    vector.acc = row;
    vector.rows = 50;
    vector.ub = row;
    return vector;
  };
  const auto product_of = [](std::uint32_t row, std::uint32_t acc) {
    Matmul matmul;
    matmul.ub.base = row;
    matmul.ub.loops[0] = {50, 1};
    matmul.rows = 50;
    matmul.acc = acc;
    return matmul;
  };
  const std::vector<Operation> operations = {Fetch{0},   product_of(5000, 0),
                                             Fetch{1},   product_of(5100, 100),
                                             drain(0),   drain(100),
                                             work_on(0), work_on(100),
                                             Fetch{2},   product_of(1000, 200),
                                             Fetch{3},   product_of(1100, 300)};
  std::vector<std::size_t> vectors;
  ListScheduler scheduler(config, [&](const ListScheduler::Entry& entry) {
    if (unit_of(entry.operation) == Unit::kVector) vectors.push_back(entry.layer);
  });
  for (std::size_t i = 0; i < operations.size(); ++i) {
    scheduler.add({operations[i], static_cast<std::uint32_t>(i), {}});
  }
  scheduler.finish();
  EXPECT_EQ(vectors, (std::vector<std::size_t>{4, 6, 5, 7}));
}

}  // namespace
}  // namespace weft::compiler
