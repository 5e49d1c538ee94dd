// Random instruction sequences on tiny memories, where almost every pair conflicts. The counts of
// DependenceTracker must order every conflict, and each count must be necessary.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "compiler/program/dependences.h"
#include "tests/compiler/order_oracle.h"
#include "tests/compiler/random_program.h"

namespace weft {
namespace {

constexpr std::uint32_t kSeed = 20240607;
constexpr int kPrograms = 4000;

std::vector<Instruction> track(const std::vector<Operation>& operations,
                               const MachineConfig& config, std::size_t forget_every) {
  DependenceTracker tracker(config, HostRows::kReused, forget_every);
  std::vector<Instruction> code;
  for (const Operation& operation : operations) {
    code.push_back({operation, tracker.add(operation)});
  }
  return code;
}

/// Counts the features that a vector instruction or a fetch from the buffer uses.
void count_classes(const Operation& operation, std::map<std::string, int>& kinds) {
  if (const auto* fetch = std::get_if<Fetch>(&operation)) {
    if (fetch->buffer) ++kinds[fetch->buffer->window.plane > 1 ? "tile with planes" : "tile"];
  }
  const auto* vector = std::get_if<Vector>(&operation);
  if (vector == nullptr) return;
  ++kinds[vector->format == RowFormat::kWide ? "wide result" : "narrow result"];
  ++kinds[vector->mode == VectorMode::kOverwrite ? "overwrite" : "add or max"];
  if (!vector->fill) ++kinds["no fill"];
  if (vector->source) {
    ++kinds[vector->source->format == RowFormat::kWide ? "wide source" : "narrow source"];
  }
  if (vector->operand) {
    ++kinds[vector->operand->format == RowFormat::kWide ? "wide operand" : "narrow operand"];
  }
}

TEST(DependenceTrackerPropertyTest, OrdersEveryConflictWithNoEdgeToSpare) {
  std::mt19937 random(kSeed);
  std::map<std::string, int> kinds;
  std::uint64_t edges = 0;
  for (int program = 0; program < kPrograms; ++program) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", program " + std::to_string(program));
    const MachineConfig config = test::random_machine(random);
    const int length = 2 + static_cast<int>(random() % 28);
    const std::vector<Operation> operations = test::RandomProgram(random, config).make(length);
    std::vector<Instruction> code = track(operations, config, DependenceTracker::kForgetEvery);
    // Programs this short are over before the tracker forgets anything by itself.
    ASSERT_EQ(code, track(operations, config, 1));
    const auto conflicts = test::conflicts_of(code, config);
    for (const auto& conflict : conflicts) ++kinds[conflict.kind];
    for (const Instruction& instruction : code) count_classes(instruction.operation, kinds);
    const auto broken = test::unordered(code, conflicts);
    ASSERT_TRUE(broken.empty()) << conflicts[broken[0]].kind << " of instructions "
                                << conflicts[broken[0]].earlier << " and "
                                << conflicts[broken[0]].later;
    for (std::size_t i = 0; i < code.size(); ++i) {
      for (std::uint32_t& count : code[i].after.count) {
        if (count == 0) continue;
        const std::uint32_t removed = std::exchange(count, 0);
        ASSERT_FALSE(test::unordered(code, conflicts).empty())
            << "instruction " << i << " need not wait for " << removed;
        count = removed;
        ++edges;
      }
    }
  }
  EXPECT_GT(edges, 10000U);
  for (const char* kind : {"UB RAW",
                           "UB RAW by a fetch",
                           "UB WAR",
                           "UB WAW",
                           "accumulator RAW",
                           "accumulator WAR",
                           "host RAW",
                           "host WAR",
                           "host WAW",
                           "FIFO",
                           "tile",
                           "tile with planes",
                           "wide result",
                           "narrow result",
                           "overwrite",
                           "add or max",
                           "no fill",
                           "wide source",
                           "narrow source",
                           "wide operand",
                           "narrow operand"}) {
    EXPECT_GT(kinds[kind], 100) << kind;
  }
}

}  // namespace
}  // namespace weft
