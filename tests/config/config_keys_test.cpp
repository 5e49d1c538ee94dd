// Each key must mean the same in a file and on a command line, and each wrong key must be named.
#include "sim/config/config_keys.h"

#include <gtest/gtest.h>

#include <boost/program_options/parsers.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "base/error.h"

namespace weft {
namespace {

MachineConfig parse(const std::string& text) {
  std::istringstream in(text);
  return parse_ini(in, "test.ini");
}

/// Returns the message of the ConfigError that `function` throws; empty if it throws none.
template <class Function>
std::string config_error(Function&& function) {
  try {
    function();
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "more than one line";
    return error.what();
  }
  return "";
}

std::string parse_error(const std::string& text) {
  return config_error([&] { parse(text); });
}

std::string set_error(std::string_view key, std::string_view value) {
  return config_error([&] {
    MachineConfig config;
    set_key(config, key, value);
  });
}

/// A configuration in which no field has its default value.
MachineConfig unusual() {
  MachineConfig config;
  config.name = "Odd_1.x-y";
  config.clock_hz = 333'333'000;
  config.array_rows = 3;
  config.array_cols = 17;
  config.dtype = ElementType::kFp16;
  config.double_buffer = false;
  config.accumulator_rows = 65;
  config.unified_buffer_kib = 5;
  config.weight_fifo_tiles = 2;
  config.memory_kind = MemoryKind::kSplit;
  config.memory_bytes_per_s = 640'000'001;
  config.memory_latency_cycles = 7;
  config.host_bytes_per_s = 12'500'000'000;
  config.host_latency_cycles = 9;
  config.vector_latency_cycles = 3;
  config.queue_depth = 2;
  return config;
}

TEST(ConfigIniTest, ReadsEverySectionOfAFile) {
  const MachineConfig config = parse(R"(# a comment
[machine]
name = Odd_1.x-y      # another
clock_mhz = 333.333
[array]
rows = 3
cols=17
dtype = fp16
double_buffer = off
[accumulators]
rows = 65
[unified_buffer]
kib = 5
[weight_fifo]
tiles = 2
[memory]
kind = split
gb_per_s = 0.640000001
latency_cycles = 7
[host]
gb_per_s = 12.5
latency_cycles = 9
[vector]
latency_cycles = 3
[sequencer]
queue_depth = 2
)");
  EXPECT_EQ(config, unusual());
}

TEST(ConfigIniTest, TakesTheClockAboveTheFirstSectionToo) {
  EXPECT_EQ(parse("clock_mhz = 700\n[array]\nrows = 2\n").clock_hz, 700'000'000U);
}

TEST(ConfigIniTest, LeavesDefaultsToWhatAFileDoesNotName) {
  EXPECT_EQ(parse(""), MachineConfig{});
  MachineConfig expected;
  expected.array_rows = 8;
  EXPECT_EQ(parse("[array]\nrows = 8\n"), expected);
}

TEST(ConfigIniTest, SkipsAByteOrderMark) {
  EXPECT_EQ(parse("\xEF\xBB\xBF[array]\nrows = 8\n").array_rows, 8U);
  EXPECT_NE(parse_error("[array]\n\xEF\xBB\xBFrows = 8\n"), "");
}

TEST(ConfigIniTest, ACommentBeginsWithAHashOnly) {
  EXPECT_EQ(parse("# first\n[array] # second\nrows = 8 # third\n").array_rows, 8U);
  EXPECT_NE(parse_error("[array]\nrows = 8 ; no comment\n"), "");
  EXPECT_NE(parse_error("; no comment\n"), "");
}

TEST(ConfigOptionsTest, ShowWhatTheirValueIs) {
  const auto shown = [](const char* key) {
    return machine_options().find(key, false).format_parameter();
  };
  EXPECT_EQ(shown("array.rows"), "ROWS");
  EXPECT_EQ(shown("clock_mhz"), "MHZ");
  EXPECT_EQ(shown("memory.gb_per_s"), "GB_PER_S");
  EXPECT_EQ(shown("array.double_buffer"), "on|off");
}

TEST(ConfigIniTest, WritesWhatItReads) {
  EXPECT_EQ(parse(to_ini(unusual())), unusual());
  EXPECT_EQ(parse(to_ini(MachineConfig{})), MachineConfig{});
}

TEST(ConfigIniTest, NamesAnUnknownKeyAndTheNearest) {
  EXPECT_EQ(parse_error("[array]\nrow = 8\n"),
            "test.ini: unknown key 'array.row'; did you mean array.rows?");
  EXPECT_EQ(set_error("acumulators.rows", "8"),
            "unknown key 'acumulators.rows'; did you mean accumulators.rows?");
  EXPECT_EQ(set_error("clock", "8"), "unknown key 'clock'; did you mean clock_mhz?");
  EXPECT_EQ(set_error("memory.gb", "8"), "unknown key 'memory.gb'; did you mean memory.gb_per_s?");
  EXPECT_EQ(set_error("banana", "8"), "unknown key 'banana'; weft matmul --help lists all keys");
  EXPECT_EQ(set_error("array.xxxx", "8").find("did you mean"), std::string::npos);
  EXPECT_NE(set_error("", "8"), "");
  EXPECT_NE(set_error(std::string(100'000, 'x'), "8"), "");
}

TEST(ConfigIniTest, ADeviceIsNoMachine) {
  EXPECT_EQ(parse_error("[clock]\nmhz = 2040\n[device]\nname = mine\n"),
            "test.ini: describes a device for weft compare --with, not a machine");
}

TEST(ConfigIniTest, SuggestionsIgnoreCase) {
  EXPECT_EQ(set_error("Array.Rows", "8"), "unknown key 'Array.Rows'; did you mean array.rows?");
}

TEST(ConfigIniTest, NamesARepeatedKey) {
  EXPECT_EQ(parse_error("[array]\nrows = 8\nrows = 8\n"), "test.ini: array.rows: given twice");
  EXPECT_EQ(parse_error("clock_mhz = 1\n[machine]\nclock_mhz = 2\n"),
            "test.ini: clock_mhz: given twice");
}

TEST(ConfigIniTest, NamesALineThatIsNone) {
  EXPECT_EQ(parse_error("[array]\nrows\n"),
            "test.ini:2: 'rows' is neither [section] nor key = value");
}

TEST(ConfigIniTest, NamesAFileThatIsTooLong) {
  EXPECT_EQ(parse_error(std::string(2U << 20U, '#')),
            "test.ini: larger than 1 MiB, too large for a machine file");
}

TEST(ConfigKeysTest, NamesKeyValueAndRange) {
  EXPECT_EQ(set_error("array.rows", "0"), "array.rows = '0': must be 1..4096");
  EXPECT_EQ(set_error("array.cols", "4097"), "array.cols = '4097': must be 1..4096");
  EXPECT_EQ(set_error("array.cols", "40.5"),
            "array.cols = '40.5': must be a whole number, 1..4096");
  EXPECT_EQ(set_error("array.rows", "1e2"), "array.rows = '1e2': must be a whole number, 1..4096");
  EXPECT_EQ(set_error("array.rows", "0x40"),
            "array.rows = '0x40': must be a whole number, 1..4096");
  EXPECT_EQ(set_error("array.dtype", "int32"), "array.dtype = 'int32': must be int8|bf16|fp16");
  EXPECT_EQ(set_error("array.double_buffer", "yes"), "array.double_buffer = 'yes': must be on|off");
  EXPECT_EQ(set_error("clock_mhz", "1.2345678"),
            "clock_mhz = '1.2345678': must be 0.001..10000 with at most 6 decimals");
}

struct Limits {
  const char* key;
  const char* lowest;
  const char* below;
  const char* highest;
  const char* above;
};

class ConfigLimitsTest : public testing::TestWithParam<Limits> {};

TEST_P(ConfigLimitsTest, HoldsOnBothSides) {
  const Limits& limits = GetParam();
  EXPECT_EQ(set_error(limits.key, limits.lowest), "");
  EXPECT_NE(set_error(limits.key, limits.below), "");
  EXPECT_EQ(set_error(limits.key, limits.highest), "");
  EXPECT_NE(set_error(limits.key, limits.above), "");
  EXPECT_NE(set_error(limits.key, "18446744073709551616"), "");
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "0x1", "1e1", "one", "1.0000000001"}) {
    EXPECT_NE(set_error(limits.key, text), "") << limits.key << " = '" << text << "'";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Keys, ConfigLimitsTest,
    testing::Values(Limits{"clock_mhz", "0.001", "0.000999", "10000", "10000.000001"},
                    Limits{"array.rows", "1", "0", "4096", "4097"},
                    Limits{"array.cols", "1", "0", "4096", "4097"},
                    Limits{"accumulators.rows", "1", "0", "16777216", "16777217"},
                    Limits{"unified_buffer.kib", "1", "0", "2097152", "2097153"},
                    Limits{"weight_fifo.tiles", "1", "0", "1024", "1025"},
                    Limits{"memory.gb_per_s", "0.001", "0.000999999", "100000", "100000.000000001"},
                    Limits{"host.gb_per_s", "0.001", "0", "100000", "100001"},
                    Limits{"memory.latency_cycles", "0", "-1", "1000000", "1000001"},
                    Limits{"host.latency_cycles", "0", "-1", "1000000", "1000001"},
                    Limits{"vector.latency_cycles", "1", "0", "1000000", "1000001"},
                    Limits{"sequencer.queue_depth", "1", "0", "4096", "4097"}));

TEST(ConfigKeysTest, TakesOnlyPlainNames) {
  EXPECT_EQ(set_error("machine.name", std::string(64, 'x')), "");
  for (const std::string& name : {std::string(), std::string(65, 'x'), std::string("a b"),
                                  std::string("a#b"), std::string("<b>"), std::string("a\nb")}) {
    EXPECT_NE(set_error("machine.name", name), "") << name;
  }
}

TEST(ConfigValidateTest, FindsFieldsThatNoKeyCouldSet) {
  MachineConfig config;
  config.array_rows = 0;
  EXPECT_EQ(config_error([&] { validate(config); }), "array.rows = '0': must be 1..4096");
  config = {};
  config.dtype = ElementType::kFloat32;
  EXPECT_EQ(config_error([&] { validate(config); }),
            "array.dtype = 'unknown': must be int8|bf16|fp16");
  EXPECT_EQ(config_error([] { validate(MachineConfig{}); }), "");
}

TEST(ConfigValidateTest, FindsAUnifiedBufferWithoutARow) {
  // A row of 1024 bf16 elements takes 2 KiB.
  EXPECT_EQ(parse_error("[array]\nrows = 1024\ndtype = bf16\n[unified_buffer]\nkib = 1\n"),
            "test.ini: unified_buffer.kib = 1: must be at least 2 to hold one row of array.rows = "
            "1024 bf16 elements");
  EXPECT_EQ(parse_error("[array]\nrows = 1024\ndtype = bf16\n[unified_buffer]\nkib = 2\n"), "");
}

TEST(ConfigValidateTest, FindsBuffersBeyondFourGibibytes) {
  // 2^32 bytes / (4096 columns * 4 bytes) = 262144 rows.
  EXPECT_EQ(parse_error("[array]\ncols = 4096\n[accumulators]\nrows = 262144\n"), "");
  EXPECT_EQ(parse_error("[array]\ncols = 4096\n[accumulators]\nrows = 262145\n"),
            "test.ini: accumulators.rows = 262145: must be at most 262144 with array.cols = 4096 "
            "(4 GiB of accumulators)");
  // 2^32 bytes / (4096 * 4096 bytes) = 256 tiles.
  const std::string large = "[array]\nrows = 4096\ncols = 4096\n[weight_fifo]\ntiles = ";
  EXPECT_EQ(parse_error(large + "256\n"), "");
  EXPECT_NE(parse_error(large + "257\n"), "");
}

boost::program_options::variables_map command_line(const std::vector<std::string>& words) {
  namespace po = boost::program_options;
  po::variables_map values;
  po::store(po::command_line_parser(words).options(machine_options()).run(), values);
  return values;
}

TEST(ConfigOptionsTest, OverrideWhatWasLoaded) {
  MachineConfig config = load_preset("tiny");
  apply_options(config, command_line({"--array.rows", "8", "--clock_mhz=250.5"}));
  MachineConfig expected = load_preset("tiny");
  expected.array_rows = 8;
  expected.clock_hz = 250'500'000;
  EXPECT_EQ(config, expected);
}

TEST(ConfigOptionsTest, SetEveryKeyThatAFileSets) {
  std::vector<std::string> words;
  for (const ConfigKey& key : config_keys()) {
    words.push_back("--" + key.name + "=" + key.print(unusual()));
  }
  MachineConfig config;
  apply_options(config, command_line(words));
  EXPECT_EQ(config, unusual());
}

TEST(ConfigOptionsTest, ValidateTheCombination) {
  MachineConfig config;
  EXPECT_NE(config_error([&] {
              apply_options(config, command_line({"--array.rows=4096", "--array.dtype=bf16"}));
            }),
            "");
}

TEST(ConfigKeysTest, SurviveArbitraryFiles) {
  constexpr unsigned kSeed = 7;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  const std::string valid = to_ini(unusual());
  int accepted = 0;
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = valid;
    for (unsigned edits = random() % 4; edits > 0; --edits) {
      text[random() % text.size()] = static_cast<char>(random() % 256);
    }
    (config_error([&] { parse(text); }).empty() ? accepted : refused) += 1;
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace weft
