// The signal picture in lesson 11 agrees with the waveform and with the recurrences of
// docs/timing.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/examples/lesson_pages.h"
#include "tests/trace/vcd_reader.h"

namespace weft {
namespace {

constexpr int kCycles = 39;
constexpr const char* kHigh = "█";
constexpr const char* kLow = "·";

/// Signal lines of the picture by name, as "0011…".
using Waves = std::map<std::string, std::string>;

Waves empty_waves() {
  Waves waves;
  for (const char* name : {"push_i", "valid_i", "swap_i", "accumulate_i", "write_o"}) {
    waves[name] = std::string(kCycles, '0');
  }
  return waves;
}

std::string digits(std::string drawn) {
  std::string result;
  while (!drawn.empty()) {
    const bool high = drawn.starts_with(kHigh);
    if (!high && !drawn.starts_with(kLow)) return "neither high nor low: " + drawn;
    result += high ? '1' : '0';
    drawn.erase(0, std::string(high ? kHigh : kLow).size());
  }
  return result;
}

Waves drawn_waves() {
  Waves waves;
  for (const std::string& line : test::lines_of(test::kLessons[11])) {
    const std::string name = line.substr(0, line.find(' '));
    const std::size_t at = line.find_first_not_of(' ', name.size());
    if (empty_waves().contains(name) && at != std::string::npos)
      waves[name] = digits(line.substr(at));
  }
  return waves;
}

/// Four folds of five rows on 4 x 4 PEs, tiles along K first. Each has a first push and first row.
Waves recurrence() {
  constexpr int kSide = 4;
  constexpr int kRows = 5;
  Waves waves = empty_waves();
  int push = 2;  // the fetch takes cycles 0 and 1
  int row = push + kSide;
  for (int fold = 0; fold < 4; ++fold) {
    if (fold > 0) {
      push = std::max(push + kSide, row);
      row = std::max(push + kSide, row + kRows);
    }
    const auto set = [&](const char* name, int cycle) { waves[name].at(std::size_t(cycle)) = '1'; };
    for (int i = 0; i < kSide; ++i) set("push_i", push + i);
    set("swap_i", row);
    for (int i = 0; i < kRows; ++i) {
      set("valid_i", row + i);
      if (fold % 2 == 1) set("accumulate_i", row + i);
      set("write_o", row + i + 2 * kSide - 1);
    }
  }
  return waves;
}

Waves recorded() {
  const test::LessonFolder folder;
  test::run_in_shell(
      "weft matmul 5 6 7 --machine tiny --engine stepped --vcd build/tiny.vcd --quiet");
  std::ifstream in("build/tiny.vcd");
  const test::VcdReader vcd(in);
  Waves waves = empty_waves();
  for (auto& [name, wave] : waves) {
    for (int cycle = 0; cycle < kCycles; ++cycle) {
      const auto time = static_cast<std::uint64_t>(10 * cycle);
      if (vcd.at("matmul_datapath." + name, time) == "1") wave.at(std::size_t(cycle)) = '1';
    }
  }
  return waves;
}

TEST(WaveformLessonTest, ThePictureIsTheWaveform) {
  EXPECT_EQ(drawn_waves(), recorded());
}

TEST(WaveformLessonTest, ThePictureIsWhatTheRecurrencesGive) {
  EXPECT_EQ(drawn_waves(), recurrence());
}

}  // namespace
}  // namespace weft
