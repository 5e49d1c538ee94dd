// The energy tables: published values, how the others follow from them, and files of the user.
#include "sim/config/energy_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "sim/config/config_keys.h"

namespace weft {
namespace {

TEST(EnergyTableTest, HasThePublishedValues) {
  const EnergyTable old = load_energy_table("45nm");  // Horowitz, ISSCC 2014
  EXPECT_EQ(old.add_int32, 0.1);
  EXPECT_EQ(old.add_fp32, 0.9);
  EXPECT_EQ(old.multiply_int8, 0.2);
  EXPECT_EQ(old.multiply_fp16, 1.1);
  EXPECT_EQ(old.sram_8_kib, 10);
  EXPECT_EQ(old.sram_32_kib, 20);
  EXPECT_EQ(old.sram_1024_kib, 100);
  EXPECT_EQ(old.memory_ddr, (1300.0 + 2600) / 2);
  const EnergyTable young = load_energy_table("7nm");  // Jouppi et al., ISCA 2021, table 2
  EXPECT_EQ(young.add_int32, 0.03);
  EXPECT_EQ(young.add_fp32, 0.38);
  EXPECT_EQ(young.multiply_int8, 0.07);
  EXPECT_EQ(young.multiply_bf16, 0.21);
  EXPECT_EQ(young.multiply_fp16, 0.34);
  EXPECT_EQ(young.sram_8_kib, 7.5);
  EXPECT_EQ(young.sram_32_kib, 8.5);
  EXPECT_EQ(young.sram_1024_kib, 14);
  EXPECT_EQ(young.memory_ddr, 1300);
  EXPECT_EQ(young.memory_hbm, (250.0 + 450) / 2);
  EXPECT_EQ(young.memory_gddr, (350.0 + 480) / 2);
}

TEST(EnergyTableTest, ARegisterBitCostsABitOfASum) {
  for (const char* name : {"45nm", "7nm"}) {
    const EnergyTable table = load_energy_table(name);
    EXPECT_DOUBLE_EQ(table.register_bit, table.add_int32 / 32) << name;
    EXPECT_DOUBLE_EQ(table.add_fp32 + (table.name == "45nm" ? 3.7 : 1.31), table.vector_lane);
  }
}

// Between 45 nm and 7 nm on a straight line in the logarithms; the files have four digits.
TEST(EnergyTableTest, TheOtherNodesLieBetweenThePublishedOnes) {
  const EnergyTable old = load_energy_table("45nm");
  const EnergyTable young = load_energy_table("7nm");
  const auto at = [](const EnergyTable& table, const EnergyKey& key) {
    return key.value != nullptr ? table.*key.value : (table.*key.area).value();
  };
  for (const auto& [name, node] : {std::pair("28nm", 28.0), std::pair("16nm", 16.0)}) {
    const EnergyTable table = load_energy_table(name);
    const double share = std::log(45 / node) / std::log(45.0 / 7);
    for (const EnergyKey& key : energy_keys()) {
      const double first = std::log(at(old, key));
      const double last = std::log(at(young, key));
      const double expected = std::exp(first + share * (last - first));
      EXPECT_NEAR(at(table, key), expected, 6e-4 * expected) << name << ' ' << key.name;
      const auto mark = value_mark(energy_table_text(name), key.name);
      ASSERT_TRUE(mark) << key.name;
      EXPECT_NE(*mark, ValueMark::kPublished) << name << ' ' << key.name;
    }
  }
}

TEST(EnergyTableTest, SramFollowsThePublishedSizesInLogarithms) {
  const EnergyTable table = load_energy_table("45nm");
  constexpr double kKib = 1024;
  EXPECT_NEAR(table.sram(8 * kKib), 10, 1e-9);
  EXPECT_NEAR(table.sram(16 * kKib), 10 * std::sqrt(2.0), 1e-9);  // half way from 8 to 32
  EXPECT_NEAR(table.sram(32 * kKib), 20, 1e-9);
  EXPECT_NEAR(table.sram(1024 * kKib), 100, 1e-9);
  EXPECT_NEAR(table.sram(2 * kKib), 5, 1e-9);            // the line goes on: half for a quarter
  EXPECT_NEAR(table.sram(32 * 1024 * kKib), 100, 1e-9);  // banks of 1 MiB
}

TEST(EnergyTableTest, EveryMachineNodeHasATable) {
  MachineConfig config;
  EXPECT_FALSE(energy_table_of(config));
  for (const std::string& name : energy_table_names()) {
    set_key(config, "power.node", name);
    ASSERT_TRUE(energy_table_of(config));
    EXPECT_EQ(energy_table_of(config)->name, name);
  }
}

TEST(EnergyTableTest, MacsAndSumsOfEachType) {
  const EnergyTable table = load_energy_table("7nm");
  EXPECT_DOUBLE_EQ(table.mac(ElementType::kInt8), 0.07 + 0.03);
  EXPECT_DOUBLE_EQ(table.mac(ElementType::kBf16), 0.21 + 0.38);
  EXPECT_DOUBLE_EQ(table.mac(ElementType::kFp16), 0.34 + 0.38);
  EXPECT_EQ(table.add(ElementType::kInt8), 0.03);
  EXPECT_EQ(table.add(ElementType::kBf16), 0.38);
  EXPECT_EQ(table.memory(MemoryTechnology::kHbm), 350);
  EXPECT_EQ(table.memory(MemoryTechnology::kLink), table.host_link);
}

// --- Files of the user ---------------------------------------------------------------------------

std::string problem_of(const std::string& text) {
  std::istringstream in(text);
  try {
    parse_energy_table(in, "my.ini");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

/// The table of 45 nm with `from` replaced by `to`.
std::string changed(const std::string& from, const std::string& to) {
  std::string text(energy_table_text("45nm"));
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return problem_of(text.replace(at, from.size(), to));
}

EnergyTable loaded_from_file(const std::string& text) {
  const std::string path = ::testing::TempDir() + "weft_energy_table_test.ini";
  std::ofstream(path) << text;
  EnergyTable table = load_energy_table(path);
  std::filesystem::remove(path);
  return table;
}

TEST(EnergyTableFileTest, ABuiltInTableIsAFile) {
  EXPECT_EQ(problem_of(std::string(energy_table_text("45nm"))), "no error");
  EXPECT_EQ(loaded_from_file(std::string(energy_table_text("7nm"))).multiply_int8, 0.07);
}

// Whoever edits a built-in table may keep its name.
TEST(EnergyTableFileTest, ItsNameTellsItsValuesApart) {
  const std::string text(energy_table_text("7nm"));
  std::string other = text;
  other.replace(other.find("int8 = 0.07"), 11, "int8 = 0.08");
  const std::string name = loaded_from_file(text).name;
  EXPECT_THAT(name, testing::MatchesRegex("7nm [0-9a-f]+"));
  EXPECT_EQ(loaded_from_file("# a comment\n" + text).name, name);
  const std::string changed_name = loaded_from_file(other).name;
  EXPECT_THAT(changed_name, testing::MatchesRegex("7nm [0-9a-f]+"));
  EXPECT_NE(changed_name, name);
}

TEST(EnergyTableFileTest, AreasMayBeLeftOut) {
  std::string text(energy_table_text("45nm"));
  text.erase(text.find("[area]"));
  std::istringstream in(text);
  EXPECT_FALSE(parse_energy_table(in, "my.ini").gate_um2);
}

TEST(EnergyTableFileTest, WrongFilesAreOneClearLine) {
  EXPECT_EQ(changed("bit = 0.003125", ""),
            "my.ini: register.bit is missing; a table has a name, a unit and every event (weft "
            "machines --energy "
            "45nm prints one)");
  EXPECT_EQ(problem_of("[table]\nname = x\nunit = pJ\n").substr(0, 52),
            "my.ini: multiply.int8, multiply.bf16, multiply.fp16,");
  EXPECT_EQ(changed("int8 = 0.2", "int8 = 0.2\nint4 = 0.1"),
            "my.ini: unknown event 'multiply.int4'; did you mean multiply.int8?");
  EXPECT_EQ(changed("unit = pJ", "unit = fJ"),
            "my.ini: table.unit = 'fJ': must be pJ; convert the energies to picojoules");
  EXPECT_EQ(changed("unit = pJ", ""),
            "my.ini: table.unit is missing; a table has a name, a unit and every event (weft "
            "machines --energy 45nm "
            "prints one)");
  EXPECT_EQ(
      changed("int32 = 0.1", "int32 = -0.1"),
      "my.ini: add.int32 = '-0.1': must be a number, pJ of a sum, 1e-06 to 100 with at most 9 "
      "decimals");
  EXPECT_EQ(changed("int32 = 0.1", "int32 = 1e-1").substr(0, 48),
            "my.ini: add.int32 = '1e-1': must be a number, pJ");
  EXPECT_EQ(changed("int32 = 0.1", "int32 = nan").substr(0, 47),
            "my.ini: add.int32 = 'nan': must be a number, pJ");
  EXPECT_EQ(changed("ddr = 1950", "ddr = 1950000").substr(0, 53),
            "my.ini: memory.ddr = '1950000': must be a number, pJ ");
  EXPECT_EQ(changed("padding = 1", "padding = 1.5").substr(0, 54),
            "my.ini: mac.padding = '1.5': must be a number, a MAC w");
  EXPECT_EQ(changed("kib_32 = 20", "kib_32 = 200"),
            "my.ini: sram.kib_8, kib_32, kib_1024 = 10, 200, 100: a larger memory must not cost "
            "less");
  EXPECT_EQ(changed("int32 = 0.1", "int32 = 0.1\nint32 = 0.2"), "my.ini: 'add.int32': given twice");
  EXPECT_EQ(changed("int32 = 0.1", "int32"),
            "my.ini:15: 'int32' is neither [section] nor key = value");
  EXPECT_EQ(changed("name = 45nm", "name = a b"),
            "my.ini: table.name = 'a b': must be 1..64 letters, digits, '.', '_' or '-'");
  EXPECT_EQ(problem_of(std::string(2'000'000, '#')),
            "my.ini: larger than 1 MiB, too large for an energy table");
}

TEST(EnergyTableFileTest, AnUnknownNameListsTheTables) {
  try {
    load_energy_table("3nm");
    FAIL() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "energy table '3nm': no such file, and the built-in tables are 45nm, 28nm, 16nm, "
                 "7nm");
  }
}

// --- docs/energy.md ------------------------------------------------------------------------------

/// "0.153 (derived)", or "0.2" if it is published.
std::string cell(const std::string& table, const EnergyKey& key) {
  const EnergyTable energies = load_energy_table(table);
  const double value = key.value != nullptr ? energies.*key.value : (energies.*key.area).value();
  const auto mark = value_mark(energy_table_text(table), key.name);
  if (!mark) return "no mark";
  constexpr const char* kMarks[] = {"", " (derived)", " (assumed)"};
  return fmt::format("{}{}", value, kMarks[static_cast<std::size_t>(*mark)]);
}

TEST(EnergyDocTest, ListsEveryValueWithItsMark) {
  std::ifstream in(std::string(WEFT_SOURCE_DIR) + "/docs/energy.md");
  std::ostringstream text;
  text << in.rdbuf();
  for (const EnergyKey& key : energy_keys()) {
    const std::string row =
        fmt::format("| `{}` | {} | {} | {} | {} | {} |", key.name, cell("45nm", key),
                    cell("28nm", key), cell("16nm", key), cell("7nm", key), key.help);
    EXPECT_NE(text.str().find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace weft
