// Reads back waveforms of random runs and compares them with the registers of the naive array.
#include <gtest/gtest.h>

#include <bit>
#include <deque>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/trace/datapath_vcd.h"
#include "tests/trace/recorded_datapath.h"
#include "tests/trace/vcd_reader.h"

namespace weft {
namespace {

using test::pe_path;
using test::VcdReader;

constexpr std::uint64_t kMHz = 1'000'000;

/// The bit pattern of an operand, looked up among the patterns of all elements.
template <class Arithmetic>
std::uint64_t pattern_of(typename Arithmetic::Operand operand) {
  if constexpr (std::is_same_v<Arithmetic, Int8Arithmetic>) {
    return static_cast<std::uint8_t>(operand);
  } else {
    static const auto table = [] {
      std::unordered_map<std::uint32_t, std::uint64_t> patterns;
      for (std::uint32_t bits = 0; bits <= 0xFFFFU; ++bits) {
        const float value = to_float(Arithmetic::from_bits(static_cast<std::uint16_t>(bits)));
        patterns.emplace(std::bit_cast<std::uint32_t>(value), bits);
      }
      return patterns;
    }();
    return table.at(std::bit_cast<std::uint32_t>(operand));
  }
}

template <class Psum>
std::uint64_t raw(Psum value) {
  return std::bit_cast<std::uint32_t>(value);
}

struct Counts {
  int rows = 0;
  int swaps_with_push = 0;
  int writes = 0;
  int accumulates = 0;
  int jumps = 0;
};

struct Run {
  std::string top;
  std::uint64_t seed;
};

template <class Arithmetic>
struct Recording {
  std::vector<std::vector<test::ExpectedCycle<Arithmetic>>> expected;  // per run
  std::string dump;
};

/// Records runs side by side, each with its own scope and datapath. Only a single run may pause,
/// because several runs would pause at different times.
template <class Arithmetic>
Recording<Arithmetic> record(std::uint32_t rows, std::uint32_t cols, int cycles,
                             const std::vector<Run>& runs) {
  std::vector<std::string> tops;
  std::deque<test::RandomActivity<Arithmetic>> activities;
  std::deque<test::RecordedDatapath<Arithmetic>> datapaths;
  std::deque<DatapathSnapshot<Arithmetic>> snapshots(runs.size());
  std::vector<const DatapathSnapshot<Arithmetic>*> pointers;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    tops.push_back(runs[i].top);
    activities.emplace_back(rows, cols, runs[i].seed, runs.size() == 1);
    datapaths.emplace_back(rows, cols);
    pointers.push_back(&snapshots[i]);
  }
  Recording<Arithmetic> recording;
  recording.expected.resize(runs.size());
  std::ostringstream out;
  DatapathVcd<Arithmetic> vcd(out, rows, cols, kMHz, tops);
  for (int cycle = 0; cycle < cycles; ++cycle) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      recording.expected[i].push_back(activities[i].next());
      test::clock_and_record(datapaths[i], recording.expected[i].back(), snapshots[i]);
    }
    vcd.add(pointers);
  }
  vcd.finish();
  recording.dump = out.str();
  return recording;
}

/// Compares a dump with the expected cycles of the run.
template <class Arithmetic>
class Comparison {
 public:
  Comparison(const VcdReader& dump, std::string top, std::uint32_t rows, std::uint32_t cols)
      : dump_(dump), top_(std::move(top)), rows_(rows), cols_(cols) {}

  void cycle(const test::ExpectedCycle<Arithmetic>& now, Counts& counts) {
    // Both halves of the cycle show the same values, except for the clock.
    for (const std::uint64_t offset : {0U, 5U}) {
      time_ = static_cast<std::uint64_t>(now.cycle) * 10 + offset;
      expect("cycle", static_cast<std::uint64_t>(now.cycle));
      expect("clk_i", offset == 0 ? 1U : 0U);
      inputs(now);
      registers(now);
    }
    time_ = static_cast<std::uint64_t>(now.cycle) * 10;
    write(now, counts);
    counts.rows += now.acts.has_value();
    counts.swaps_with_push += now.swap && now.weights;
  }

  /// Between two recorded cycles, nothing is active and the registers keep their values.
  void pause(const test::ExpectedCycle<Arithmetic>& before,
             const test::ExpectedCycle<Arithmetic>& after) {
    test::ExpectedCycle<Arithmetic> nothing;
    nothing.registers = after.registers;
    for (const Cycle time : {before.cycle * 10 + 10, after.cycle * 10 - 1}) {
      time_ = static_cast<std::uint64_t>(time);
      unknown("cycle");
      expect("clk_i", 0);
      expect("write_o", 0);
      unknown("write_row_o");
      inputs(nothing);
      registers(nothing);
    }
  }

 private:
  void expect(const std::string& name, std::uint64_t value) {
    ASSERT_EQ(dump_.number_at(top_ + "." + name, time_), value) << name << " at " << time_;
  }

  void unknown(const std::string& name) {
    ASSERT_EQ(dump_.at(top_ + "." + name, time_), "x") << name << " at " << time_;
  }

  void expect_if(bool known, const std::string& name, std::uint64_t value) {
    if (known) {
      expect(name, value);
    } else {
      unknown(name);
    }
  }

  void inputs(const test::ExpectedCycle<Arithmetic>& now) {
    constexpr std::uint32_t kMask = (1U << 8 * element_bytes(Arithmetic::kType)) - 1;
    expect("valid_i", now.acts ? 1U : 0U);
    expect("push_i", now.weights ? 1U : 0U);
    expect("swap_i", now.swap ? 1U : 0U);
    expect_if(now.acts.has_value(), "row_i", now.acc_row);
    expect_if(now.acts.has_value(), "accumulate_i", now.accumulate ? 1U : 0U);
    for (std::uint32_t r = 0; r < rows_; ++r) {
      expect(fmt::format("act_i_{}", r), now.acts ? (*now.acts)[r] & kMask : 0U);
    }
    for (std::uint32_t c = 0; c < cols_; ++c) {
      expect_if(now.weights.has_value(), fmt::format("weight_i_{}", c),
                now.weights ? (*now.weights)[c] & kMask : 0);
    }
  }

  void registers(const test::ExpectedCycle<Arithmetic>& now) {
    for (std::uint32_t r = 0; r < rows_; ++r) {
      for (std::uint32_t c = 0; c < cols_; ++c) {
        const auto& q = now.registers[r * cols_ + c];
        const std::string pe = pe_path("", r, c).substr(1);
        expect(pe + "act_q", pattern_of<Arithmetic>(q.act));
        expect(pe + "swap_q", q.swap ? 1U : 0U);
        expect(pe + "push_q", q.push ? 1U : 0U);
        expect(pe + "weight_active_q", pattern_of<Arithmetic>(q.weight_active));
        expect(pe + "weight_shadow_q", pattern_of<Arithmetic>(q.weight_shadow));
        expect(pe + "weight_out_q", pattern_of<Arithmetic>(q.weight_out));
        expect(pe + "psum_q", raw(q.psum));
      }
    }
  }

  /// A second, plain accumulator model: the naive array's result is stored or added.
  void write(const test::ExpectedCycle<Arithmetic>& now, Counts& counts) {
    if (now.acts) in_flight_.emplace_back(now.acc_row, now.accumulate);
    expect("write_o", now.result ? 1U : 0U);
    if (!now.result) {
      unknown("write_row_o");
      unknown("write_data_o_0");
      return;
    }
    const auto [row, accumulate] = in_flight_.front();
    in_flight_.pop_front();
    auto& stored = accumulators_.try_emplace(row, cols_).first->second;
    expect("write_row_o", row);
    for (std::uint32_t c = 0; c < cols_; ++c) {
      const auto sum = (*now.result)[c];
      stored[c] = accumulate ? Arithmetic::add(stored[c], sum) : sum;
      expect(fmt::format("write_data_o_{}", c), raw(stored[c]));
    }
    ++counts.writes;
    counts.accumulates += accumulate;
  }

  const VcdReader& dump_;
  std::string top_;
  std::uint32_t rows_;
  std::uint32_t cols_;
  std::uint64_t time_ = 0;
  std::deque<std::pair<std::uint32_t, bool>> in_flight_;
  std::map<std::uint32_t, std::vector<typename Arithmetic::Psum>> accumulators_;
};

template <class Arithmetic>
void expect_dump_of_run(const VcdReader& dump, const std::string& top,
                        const std::vector<test::ExpectedCycle<Arithmetic>>& expected,
                        std::uint32_t rows, std::uint32_t cols, Counts& counts) {
  Comparison<Arithmetic> comparison(dump, top, rows, cols);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (i > 0 && expected[i].cycle > expected[i - 1].cycle + 1) {
      comparison.pause(expected[i - 1], expected[i]);
      ++counts.jumps;
    }
    comparison.cycle(expected[i], counts);
    if (testing::Test::HasFatalFailure()) return;
  }
  ASSERT_EQ(dump.times().back(), static_cast<std::uint64_t>(expected.back().cycle + 1) * 10);
}

/// Records `runs` and compares each with its part of the dump.
template <class Arithmetic>
void expect_runs_in_dump(std::uint32_t rows, std::uint32_t cols, int cycles,
                         const std::vector<Run>& runs, Counts& counts) {
  const auto recording = record<Arithmetic>(rows, cols, cycles, runs);
  std::istringstream in(recording.dump);
  const VcdReader dump(in);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    SCOPED_TRACE(testing::Message() << rows << " x " << cols << ", seed " << runs[i].seed);
    expect_dump_of_run(dump, runs[i].top, recording.expected[i], rows, cols, counts);
  }
}

template <class Arithmetic>
class DatapathVcdRunTest : public testing::Test {};
using Arithmetics = testing::Types<Int8Arithmetic, Bf16Arithmetic, Fp16Arithmetic>;
TYPED_TEST_SUITE(DatapathVcdRunTest, Arithmetics);

TYPED_TEST(DatapathVcdRunTest, ShowsTheRegistersOfTheNaiveArrayInEveryCycle) {
  constexpr std::uint64_t kSeed = 71;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  const auto side = [&random] { return static_cast<std::uint32_t>(2 + random() % 7); };
  Counts counts;
  // One PE, one row, one column, the lessons' machine, then random rectangles.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> shapes{{1, 1}, {1, 6}, {6, 1}, {4, 4}};
  for (int i = 0; i < 4; ++i) shapes.emplace_back(side(), side());
  for (const auto& [rows, cols] : shapes) {
    expect_runs_in_dump<TypeParam>(rows, cols, 150, {{"matmul_datapath", random()}}, counts);
    if (this->HasFatalFailure()) return;
  }
  EXPECT_GT(counts.rows, 100);
  EXPECT_GT(counts.swaps_with_push, 20);
  EXPECT_GT(counts.writes, 100);
  EXPECT_GT(counts.accumulates, 30);
  EXPECT_GT(counts.jumps, 8);
}

TYPED_TEST(DatapathVcdRunTest, RecordsSeveralDatapathsSideBySide) {
  Counts counts;
  expect_runs_in_dump<TypeParam>(3, 2, 60, {{"stepped", 72}, {"rtl", 73}}, counts);
  EXPECT_GT(counts.writes, 20);
}

TYPED_TEST(DatapathVcdRunTest, EqualRunsGiveEqualBytesAndOthersDoNot) {
  const auto dump = [](std::uint64_t seed) {
    return record<TypeParam>(3, 5, 80, {{"matmul_datapath", seed}}).dump;
  };
  EXPECT_EQ(dump(73), dump(73));
  EXPECT_NE(dump(73), dump(74));
}

TYPED_TEST(DatapathVcdRunTest, KeepsTheSignalsOfAWideArrayApart) {
  Counts counts;
  ASSERT_GT(36 * 37 * 7, 94 + 94 * 94) << "the dump must need codes of three characters";
  expect_runs_in_dump<TypeParam>(36, 37, 4, {{"matmul_datapath", 75}}, counts);
}

}  // namespace
}  // namespace weft
