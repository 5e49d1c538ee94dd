// Checks which cycles a waveform shows, and that its estimated size is an upper bound that is not
// far from the file's size.
#include "report/trace/waveform.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/machine/run_matmul.h"

namespace weft::report {
namespace {

using weft::testing::Random;

constexpr std::uint64_t kCases = 60;

struct Case {
  MachineConfig config;
  MatmulSpec spec;
  Program program;
  weft::testing::MatmulOperands operands;
};

Case random_case(std::uint64_t seed) {
  Random random(seed);
  Case made;
  made.config = weft::testing::random_machine(random);
  made.config.unified_buffer_kib = 64;
  made.spec.m = random.between(1, 40);
  made.spec.k = random.between(1, 40);
  made.spec.n = random.between(1, 40);
  made.program = lower_matmul(plan_matmul(made.spec, made.config), made.config);
  made.operands = weft::testing::random_operands(made.spec, made.config.dtype, true, random);
  return made;
}

std::string waveform(const Case& made, CycleRange cycles) {
  Matrix out(accumulator_type(made.config.dtype), made.spec.m, made.spec.n);
  TensorMemory memory(made.program);
  memory.bind("a", made.operands.a);
  memory.bind("b", made.operands.b);
  memory.bind_result("out", out);
  std::ostringstream vcd;
  SimulateOptions options{Engine::kStepped, 1, {}};
  options.vcd = &vcd;
  options.vcd_cycles = cycles;
  simulate(made.config, made.program, &memory, options);
  return vcd.str();
}

/// The values of all signals at each time, as the dump's lines set them.
std::map<std::uint64_t, std::map<std::string, std::string>> values_by_time(
    const std::string& dump) {
  std::map<std::uint64_t, std::map<std::string, std::string>> all;
  std::map<std::string, std::string> now;
  std::istringstream lines(dump.substr(dump.find("$enddefinitions")));
  std::uint64_t time = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '$') continue;
    if (line[0] == '#') {
      if (!now.empty()) all[time] = now;
      time = std::stoull(line.substr(1));
    } else if (line[0] == 'b') {
      const std::size_t space = line.find(' ');
      now[line.substr(space + 1)] = line.substr(0, space);
    } else {
      now[line.substr(1)] = line.substr(0, 1);
    }
  }
  return all;
}

TEST(WaveformTest, ReadsRangesOfCycles) {
  EXPECT_EQ(parse_vcd_cycles("0..0").last, 0);
  EXPECT_EQ(parse_vcd_cycles("100..199").first, 100);
  for (const char* wrong : {"", "5", "5..", "..5", "6..5", "-1..5", "1...5", "a..b"}) {
    EXPECT_THROW(parse_vcd_cycles(wrong), InputError) << wrong;
  }
}

TEST(WaveformTest, ShowsInARangeWhatTheWholeWaveformShowsThere) {
  std::cout << "seeds 0 to " << kCases - 1 << '\n';
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Case made = random_case(seed);
    const auto whole = values_by_time(waveform(made, {}));
    const Cycle total = static_cast<Cycle>(whole.rbegin()->first / 10);
    const CycleRange range = {total / 3, total / 2};
    const auto part = values_by_time(waveform(made, range));
    for (const auto& [time, values] : part) {
      const auto cycle = static_cast<Cycle>(time / 10);
      if (!range.contains(cycle) || !whole.contains(time)) continue;
      EXPECT_EQ(values, whole.at(time)) << "time " << time;
    }
    EXPECT_TRUE(part.empty() || part.begin()->first / 10 >= static_cast<std::uint64_t>(total / 3));
  }
}

TEST(WaveformTest, IsAtMostAsLargeAsEstimated) {
  double largest_share = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Case made = random_case(seed);
    const Timeline timeline =
        simulate(made.config, made.program, nullptr, {Engine::kAnalytic, 1, {}}).timeline;
    const double estimate = waveform_bytes(made.config, made.program, timeline, {});
    const auto size = static_cast<double>(waveform(made, {}).size());
    const double pes = static_cast<double>(made.config.array_rows) * made.config.array_cols;
    if (pes >= 100) {
      EXPECT_LE(size, estimate) << made.config.array_rows << " x " << made.config.array_cols;
      largest_share = std::max(largest_share, size / estimate);
    }
  }
  EXPECT_GT(largest_share, 0.3) << "an estimate far too high refuses what would fit";
}

}  // namespace
}  // namespace weft::report
