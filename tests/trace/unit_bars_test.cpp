// Compares bars and waits of random programs with their definition, instruction by instruction.
#include "sim/trace/unit_bars.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "sim/timing/analytic.h"
#include "tests/machine/random_program.h"

namespace weft {
namespace {

using testing::Random;

class NaiveBars {
 public:
  NaiveBars(const MachineConfig& config, const Program& program, const Timeline& timeline,
            const ChannelUse& use)
      : config_(config), program_(program), timeline_(timeline), use_(use) {}

  Cycle started(std::uint32_t i) const { return timeline_.instructions[i].started; }

  std::uint32_t nth(Unit unit, std::uint32_t n) const {
    for (std::uint32_t i = 0;; ++i) {
      if (program_.code.at(i).unit() == unit && n-- == 0) return i;
    }
  }

  /// The number of cycles for which the instruction occupies its unit.
  Cycle busy(std::uint32_t i) const {
    const Operation& operation = program_.code[i].operation;
    if (const auto* matmul = std::get_if<Matmul>(&operation)) return matmul->rows;
    if (const auto* vector = std::get_if<Vector>(&operation)) return vector->rows;
    const auto* fetch = std::get_if<Fetch>(&operation);
    if (fetch != nullptr && fetch->buffer) {
      const std::uint32_t elements = fetch->buffer->window.column + fetch->buffer->lanes;
      const std::uint32_t planes = (elements + config_.array_rows - 1) / config_.array_rows;
      return Cycle{planes} * fetch->buffer->rows;
    }
    if (config_.memory_kind == MemoryKind::kIdeal) return 1;
    return use_.channel_end[i] - started(i);
  }

  Cycle wait_begin(std::uint32_t i) const {
    Cycle begin = timeline_.instructions[i].dispatched + 1;
    for (std::uint32_t j = 0; j < i; ++j) {
      if (program_.code[j].unit() != program_.code[i].unit()) continue;
      begin = std::max(begin, started(j));
      const bool same =
          bar_track(program_.code[j].operation) == bar_track(program_.code[i].operation);
      if (same) begin = std::max(begin, std::min(started(j) + busy(j), started(i)));
    }
    return begin;
  }

  /// True if `cause`, by its definition, ended in the cycle before the start.
  bool caused(std::uint32_t i, std::string_view cause) const {
    constexpr std::string_view kUnits[] = {"load", "fetch", "matmul", "vector", "store"};
    if (cause == "weights") return pushed(i) + config_.array_rows == started(i);
    if (cause == "channel") return channel_taken(i);
    const auto unit = static_cast<Unit>(std::ranges::find(kUnits, cause) - kUnits);
    const std::uint32_t count = program_.code[i].after[unit];
    return count > 0 && timeline_.instructions[nth(unit, count - 1)].retired + 1 == started(i);
  }

 private:
  Cycle pushed(std::uint32_t i) const {
    std::size_t tile = 0;
    for (std::uint32_t j = 0; j < i; ++j) {
      const auto* matmul = std::get_if<Matmul>(&program_.code[j].operation);
      tile += matmul != nullptr && matmul->next_weights ? 1 : 0;
    }
    return timeline_.pushes.at(tile);
  }

  /// True if the last byte of another transfer left in the cycle before or early in this one.
  bool channel_taken(std::uint32_t i) const {
    for (std::uint32_t j = 0; j < program_.code.size(); ++j) {
      if (j == i || use_.channel_end[j] < 0) continue;
      const bool shares = channel_of(program_.code[j].opcode(), config_.memory_kind) ==
                          channel_of(program_.code[i].opcode(), config_.memory_kind);
      const Cycle end = use_.channel_end[j];
      if (shares && (end == started(i) || end == started(i) + 1)) return true;
    }
    return false;
  }

  const MachineConfig& config_;
  const Program& program_;
  const Timeline& timeline_;
  const ChannelUse& use_;
};

TEST(UnitBarsTest, AreWhatTheUnitsDoOnRandomPrograms) {
  std::map<std::string, int, std::less<>> causes;
  int cut_short = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = testing::random_machine(random);
    const testing::RandomProgram made(config, random.between(1, 80), random);
    const Program& program = made.program();
    Timeline timeline;
    try {
      timeline = analytic_timeline(config, program);
    } catch (const DeadlockError&) {
      continue;
    }
    const ChannelUse use = channel_use(config, program, timeline);
    const auto tracks = unit_bars(config, program, timeline, use);
    const NaiveBars naive(config, program, timeline, use);
    std::size_t bars = 0;
    for (std::size_t t = 0; t < tracks.size(); ++t) {
      for (std::size_t b = 0; b < tracks[t].size(); ++b) {
        const UnitBar& bar = tracks[t][b];
        const std::uint32_t i = bar.instruction;
        ASSERT_EQ(static_cast<std::size_t>(bar_track(program.code[i].operation)), t);
        ASSERT_EQ(bar.begin, naive.started(i));
        Cycle end = bar.begin + naive.busy(i);
        if (b + 1 < tracks[t].size()) {
          ASSERT_GT(tracks[t][b + 1].instruction, i);
          cut_short += tracks[t][b + 1].begin < end ? 1 : 0;
          ASSERT_LE(end, tracks[t][b + 1].begin + 1) << "cut short by more than a shared cycle";
          end = std::min(end, tracks[t][b + 1].begin);
        }
        ASSERT_EQ(bar.end, end);
        ASSERT_EQ(bar.wait_begin, naive.wait_begin(i));
        ASSERT_EQ(bar.wait_for.empty(), bar.wait_begin == bar.begin);
        if (bar.wait_for.empty()) continue;
        ASSERT_TRUE(naive.caused(i, bar.wait_for)) << "instruction " << i << ' ' << bar.wait_for;
        ++causes[std::string(bar.wait_for)];
      }
      bars += tracks[t].size();
    }
    ASSERT_EQ(bars, program.code.size());
  }
  for (const char* cause : {"load", "fetch", "matmul", "vector", "store", "weights", "channel"}) {
    EXPECT_GT(causes[cause], 300) << cause;
  }
  EXPECT_GT(cut_short, 300);
}

}  // namespace
}  // namespace weft
