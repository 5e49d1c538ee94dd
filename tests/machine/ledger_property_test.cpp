// Compares the ledger with a separate classification of each cycle, directly from the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"
#include "sim/analysis/ledger.h"
#include "sim/analysis/summary.h"
#include "sim/timing/analytic.h"
#include "tests/machine/random_program.h"

namespace weft {
namespace {

using testing::Random;

class CycleClassifier {
 public:
  CycleClassifier(const MachineConfig& config, const Program& program, const Timeline& timeline)
      : config_(config), program_(program), timeline_(timeline) {}

  Cycle& classify(Cycle t, CycleLedger& ledger) const {
    if (any(Unit::kMatmul, [&](auto i) { return within(t, started(i), started(i) + rows(i) - 1); }))
      return ledger.array_active;
    for (const Cycle w : timeline_.pushes) {
      if (within(t, w, w + config_.array_rows - 1)) return ledger.weight_shift;
    }
    for (std::size_t i = 0; i < program_.code.size(); ++i) {
      if (program_.code[i].unit() == Unit::kMatmul && started(i) > t) return waits(i, t, ledger);
    }
    return after_the_last(t, ledger);
  }

  /// The instruction to which cycle t belongs (docs/timing.md, "Whose cycle it is").
  std::size_t owner(Cycle t) const {
    CycleLedger one;
    const Cycle* const its_class = &classify(t, one);
    const auto until_retired = [&](auto i) { return retired(i) >= t; };
    const auto under_way = [&](auto i) { return within(t, started(i), retired(i)); };
    if (its_class == &one.array_active)
      return first(Unit::kMatmul,
                   [&](auto i) { return within(t, started(i), started(i) + rows(i) - 1); });
    if (its_class == &one.weight_shift) {
      std::size_t tile = 0;
      while (!within(t, timeline_.pushes[tile], timeline_.pushes[tile] + config_.array_rows - 1)) {
        ++tile;
      }
      return nth(Unit::kFetch, tile);
    }
    if (its_class == &one.weight_stall) {
      const std::size_t fetch = nth(Unit::kFetch, tiles_before(next_matmul(t)));
      if (timeline_.instructions[fetch].dispatched < t) return first(Unit::kFetch, until_retired);
      std::size_t i = 0;
      while (timeline_.instructions[i].dispatched < t) ++i;
      return i;
    }
    if (its_class == &one.input_stall) return first(Unit::kLoad, until_retired);
    if (its_class == &one.raw_stall) return first(Unit::kVector, until_retired);
    if (its_class == &one.vector) return first(Unit::kVector, under_way);
    if (its_class == &one.output) return first(Unit::kStore, under_way);
    const std::size_t next = next_matmul(t);
    if (its_class == &one.fill_drain) return last_matmul_before(next);
    return next < program_.code.size() ? next : last_retired();
  }

 private:
  template <class Predicate>
  std::size_t first(Unit unit, Predicate predicate) const {
    std::size_t i = 0;
    while (program_.code[i].unit() != unit || !predicate(i)) ++i;
    return i;
  }

  /// The first matmul that starts after cycle t, or the number of instructions.
  std::size_t next_matmul(Cycle t) const {
    std::size_t i = 0;
    while (i < program_.code.size() &&
           (program_.code[i].unit() != Unit::kMatmul || started(i) <= t)) {
      ++i;
    }
    return i;
  }

  std::size_t last_matmul_before(std::size_t end) const {
    do --end;
    while (program_.code[end].unit() != Unit::kMatmul);
    return end;
  }

  std::uint64_t tiles_before(std::size_t end) const {
    std::uint64_t tiles = 0;
    for (std::size_t i = 0; i < end; ++i) {
      const auto* matmul = std::get_if<Matmul>(&program_.code[i].operation);
      tiles += matmul != nullptr && matmul->next_weights ? 1U : 0U;
    }
    return tiles;
  }

  std::size_t last_retired() const {
    std::size_t last = 0;
    for (std::size_t i = 0; i < program_.code.size(); ++i) {
      if (retired(i) > retired(last)) last = i;
    }
    return last;
  }

  static bool within(Cycle t, Cycle first, Cycle last) { return first <= t && t <= last; }
  Cycle started(std::size_t i) const { return timeline_.instructions[i].started; }
  Cycle retired(std::size_t i) const { return timeline_.instructions[i].retired; }
  Cycle rows(std::size_t i) const { return std::get<Matmul>(program_.code[i].operation).rows; }

  template <class Predicate>
  bool any(Unit unit, Predicate predicate) const {
    for (std::size_t i = 0; i < program_.code.size(); ++i) {
      if (program_.code[i].unit() == unit && predicate(i)) return true;
    }
    return false;
  }

  std::size_t nth(Unit unit, std::uint64_t n) const {
    for (std::size_t i = 0; i < program_.code.size(); ++i) {
      if (program_.code[i].unit() == unit && n-- == 0) return i;
    }
    return program_.code.size();
  }

  bool waits_for(std::uint64_t i, Unit unit, Cycle t) const {
    const std::uint32_t count = program_.code[i].after[unit];
    return count > 0 && retired(nth(unit, count - 1)) >= t;
  }

  Cycle& waits(std::size_t i, Cycle t, CycleLedger& ledger) const {
    const bool swaps = std::get<Matmul>(program_.code[i].operation).next_weights;
    std::size_t tile = 0;
    std::size_t previous = program_.code.size();
    for (std::size_t j = 0; j < i; ++j) {
      if (program_.code[j].unit() != Unit::kMatmul) continue;
      tile += std::get<Matmul>(program_.code[j].operation).next_weights ? 1U : 0U;
      previous = j;
    }
    if (swaps && retired(nth(Unit::kFetch, tile)) >= t) return ledger.weight_stall;
    if (waits_for(i, Unit::kLoad, t)) return ledger.input_stall;
    if (waits_for(i, Unit::kVector, t)) return ledger.raw_stall;
    const bool rows_in_array = previous < i && t < started(previous) + rows(previous) +
                                                       config_.array_rows + config_.array_cols - 2;
    return swaps && !config_.double_buffer && rows_in_array ? ledger.fill_drain : ledger.idle;
  }

  Cycle& after_the_last(Cycle t, CycleLedger& ledger) const {
    const auto under_way = [&](auto i) { return within(t, started(i), retired(i)); };
    if (any(Unit::kMatmul, [&](auto i) { return retired(i) >= t; })) return ledger.fill_drain;
    if (any(Unit::kVector, under_way)) return ledger.vector;
    return any(Unit::kStore, under_way) ? ledger.output : ledger.idle;
  }

  const MachineConfig& config_;
  const Program& program_;
  const Timeline& timeline_;
};

/// Checks that the spans cover 0 to `total` without gaps, that neighboring spans differ in class,
/// and that each cycle belongs to the class of its span.
void expect_spans(const std::vector<LedgerSpan>& spans, const CycleClassifier& classifier,
                  Cycle total) {
  Cycle at = 0;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    ASSERT_EQ(spans[i].begin, at);
    ASSERT_LT(spans[i].begin, spans[i].end);
    if (i > 0) {
      ASSERT_NE(spans[i].ledger_class, spans[i - 1].ledger_class);
    }
    for (; at < spans[i].end; ++at) {
      CycleLedger one;
      ++classifier.classify(at, one);
      ASSERT_EQ(one.*kLedgerClasses[spans[i].ledger_class].cycles, 1) << "cycle " << at;
    }
  }
  ASSERT_EQ(at, total);
}

/// Puts the instructions into random groups and compares the ledgers of the groups.
void expect_groups(const MachineConfig& config, const Program& program, const Timeline& timeline,
                   const CycleClassifier& classifier, Cycle total, Random& random) {
  constexpr std::uint32_t kGroups = 4;
  std::vector<std::uint32_t> group_of;
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    group_of.push_back(random.between(0, kGroups - 1));
  }
  std::vector<CycleLedger> expected(kGroups);
  for (Cycle t = 0; t < total; ++t) {
    ++classifier.classify(t, expected[group_of[classifier.owner(t)]]);
  }
  ASSERT_EQ(ledgers_by_group(config, program, timeline, group_of, kGroups), expected);
}

/// Returns ascending boundaries from 0 to `total`. Some windows between them are empty.
std::vector<Cycle> random_boundaries(Cycle total, Random& random) {
  std::vector<Cycle> boundaries = {0, total};
  const std::uint32_t cuts = random.between(0, 8);
  for (std::uint32_t i = 0; i < cuts; ++i) {
    boundaries.push_back(random.between(0, static_cast<std::uint32_t>(total)));
    if (random.chance(30)) boundaries.push_back(boundaries.back());
  }
  std::ranges::sort(boundaries);
  return boundaries;
}

void add(CycleLedger& sum, const CycleLedger& ledger) {
  for (const LedgerClass& entry : kLedgerClasses) sum.*entry.cycles += ledger.*entry.cycles;
}

TEST(LedgerPropertyTest, EqualsAClassificationOfEachCycleOnRandomPrograms) {
  CycleLedger hit;
  int runs = 0;
  int several = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    const MachineConfig config = testing::random_machine(random);
    const testing::RandomProgram made(config, random.between(1, 40), random);
    Timeline timeline;
    try {
      timeline = analytic_timeline(config, made.program());
    } catch (const DeadlockError&) {
      continue;
    }
    const Cycle total = total_cycles(timeline);
    if (total > 20000) continue;
    const CycleClassifier classifier(config, made.program(), timeline);
    const std::vector<Cycle> boundaries = random_boundaries(total, random);
    std::vector<CycleLedger> windows;
    CycleLedger expected;
    for (std::size_t i = 0; i + 1 < boundaries.size(); ++i) {
      CycleLedger& window = windows.emplace_back();
      for (Cycle t = boundaries[i]; t < boundaries[i + 1]; ++t) ++classifier.classify(t, window);
      add(expected, window);
    }
    add(hit, expected);
    ASSERT_EQ(ledgers(config, made.program(), timeline, boundaries), windows);
    ASSERT_EQ(ledger(config, made.program(), timeline, total), expected);
    ASSERT_EQ(expected.sum(), total);
    expect_groups(config, made.program(), timeline, classifier, total, random);
    expect_spans(ledger_spans(config, made.program(), timeline, total), classifier, total);
    several += boundaries.size() > 4 ? 1 : 0;
    ++runs;
  }
  EXPECT_GE(runs, 300);
  EXPECT_GE(several, 100);
  for (const Cycle count : {hit.array_active, hit.weight_shift, hit.weight_stall, hit.input_stall,
                            hit.raw_stall, hit.fill_drain, hit.vector, hit.output, hit.idle}) {
    EXPECT_GT(count, 0) << "a class of the ledger was never reached";
  }
}

TEST(LedgerWindowsTest, CountNothingOutsideOfTheirBoundaries) {
  const MachineConfig config;
  Program program{4, 4, ElementType::kInt8, {}, {}, {{Load{0, 0, 5}, {}}}};
  const Timeline timeline{{{0, 10, 19}}, {}};
  const std::array<Cycle, 3> boundaries = {5, 12, 400};
  const auto windows = ledgers(config, program, timeline, boundaries);
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[0].idle, 12 - 5);
  EXPECT_EQ(windows[1].idle, 20 - 12);
  EXPECT_TRUE(ledgers(config, program, timeline, {}).empty());
}

}  // namespace
}  // namespace weft
