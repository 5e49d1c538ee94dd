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

 private:
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
