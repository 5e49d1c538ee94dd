// The tables of lessons 2 and 3 show every PE in every cycle. Each cell is compared with an
// independent calculation and with the registers in the waveform of the stepped engine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/examples/lesson_pages.h"
#include "tests/trace/vcd_reader.h"

namespace weft {
namespace {

using Rows = std::vector<std::vector<int>>;
using Table = std::vector<std::vector<std::string>>;  // a header, then one line per cycle

struct ByHand {
  std::size_t lesson;
  std::size_t table;  // number in the page, from 0 on
  std::string vcd;
  Rows activations;
  Rows weights;
  int first_cycle;  // first cycle in the table
};

std::vector<ByHand> examples() {
  return {{2, 0, "build/column.vcd", {{1, 2, 3, 4}}, {{4}, {3}, {2}, {1}}, 5},
          {3, 0, "build/three.vcd", {{1, 2, 3}, {4, 5, 6}}, {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, 1},
          {3, 1, "build/two.vcd", {{1, 2}, {3, 4}, {5, 6}}, {{1, 2}, {3, 4}}, 1}};
}

std::vector<std::string> cells_of(const std::string& line) {
  static const std::regex kCell(R"(\| ([^|]+) (?=\|))");
  std::vector<std::string> cells;
  for (std::sregex_iterator at(line.begin(), line.end(), kCell), end; at != end; ++at) {
    cells.push_back((*at)[1]);
  }
  return cells;
}

std::vector<Table> register_tables(const std::string& page) {
  std::vector<Table> tables;
  bool inside = false;
  for (const std::string& line : test::prose_of(page)) {
    const bool begins = line.starts_with("| cycle | PE(");
    if (begins) tables.emplace_back();
    inside = begins || (inside && line.starts_with("|"));
    if (inside && !line.starts_with("|---")) tables.back().push_back(cells_of(line));
  }
  return tables;
}

/// The cell of PE(r,c) in `cycle`, if the first push is in cycle 1. With a skew of r + c cycles,
/// the PE sees R pushes, then the rows. The last R-r pushes bring weights, from the bottom row of
/// the tile upward.
std::string naive_cell(const ByHand& example, int cycle, int r, int c) {
  const int rows = static_cast<int>(example.weights.size());
  const auto weight = [&](int row) {
    return example.weights.at(std::size_t(row)).at(std::size_t(c));
  };
  const int step = cycle - 1 - r - c;
  if (step < 0) return "·";
  if (step < rows) return fmt::format("[{}]", step < r ? 0 : weight(rows - 1 - (step - r)));
  const int m = step - rows;
  if (m >= static_cast<int>(example.activations.size())) return "·";
  const std::vector<int>& row = example.activations.at(std::size_t(m));
  int sum = 0;
  for (int k = 0; k <= r; ++k) sum += row.at(std::size_t(k)) * weight(k);
  return fmt::format("{}×{}→{}", row.at(std::size_t(r)), weight(r), sum);
}

/// The same cell from the registers of the waveform, which show it one cycle later. The first push
/// of a run is in its cycle 2.
std::string recorded_cell(const test::VcdReader& vcd, int cycle, int r, int c) {
  const auto time = static_cast<std::uint64_t>(10 * (cycle + 2));
  const auto value = [&](const char* name) {
    const auto path = test::pe_path("matmul_datapath", std::uint32_t(r), std::uint32_t(c));
    return vcd.number_at(path + name, time);
  };
  if (value("push_q") == 1) return fmt::format("[{}]", value("weight_shadow_q"));
  if (value("act_q") == 0) return "·";
  return fmt::format("{}×{}→{}", value("act_q"), value("weight_active_q"), value("psum_q"));
}

int span_of(const ByHand& example) {
  return static_cast<int>(2 * example.weights.size() + example.weights.front().size() +
                          example.activations.size() - 2);
}

/// The expected table, with cells from `cell(cycle, r, c)`.
template <class Cell>
Table table_of(const ByHand& example, const Cell& cell) {
  Table table = {{"cycle"}};
  const int rows = static_cast<int>(example.weights.size());
  const int cols = static_cast<int>(example.weights.front().size());
  for (int i = 0; i < rows * cols; ++i) {
    table[0].push_back(fmt::format("PE({},{})", i / cols, i % cols));
  }
  for (int cycle = example.first_cycle; cycle <= span_of(example); ++cycle) {
    table.push_back({fmt::format("{}", cycle)});
    for (int i = 0; i < rows * cols; ++i) table.back().push_back(cell(cycle, i / cols, i % cols));
  }
  return table;
}

Table table_in_page(const ByHand& example) {
  return register_tables(test::kLessons.at(example.lesson)).at(example.table);
}

TEST(ByHandTest, TheLessonsHaveTheseTablesAndNoOthers) {
  std::size_t tables = 0;
  for (const char* page : test::kLessons) tables += register_tables(page).size();
  EXPECT_EQ(tables, examples().size());
}

TEST(ByHandTest, EveryPeDoesInEveryCycleWhatANaiveCalculationSays) {
  for (const ByHand& example : examples()) {
    const auto cell = [&](int cycle, int r, int c) { return naive_cell(example, cycle, r, c); };
    EXPECT_EQ(table_in_page(example), table_of(example, cell)) << example.vcd;
  }
}

TEST(ByHandTest, EveryPeDoesInEveryCycleWhatTheWaveformSays) {
  const test::LessonFolder folder;
  for (const ByHand& example : examples()) {
    const std::string page = test::page_path(test::kLessons.at(example.lesson));
    for (const test::ConsoleExample& command : test::console_examples(page)) {
      if (command.command.find(example.vcd) != std::string::npos)
        test::run_in_shell(command.command);
    }
    std::ifstream in(example.vcd);
    const test::VcdReader vcd(in);
    EXPECT_EQ(vcd.times().front(), 20U);  // nothing happens before the first push
    EXPECT_EQ(vcd.number_at("matmul_datapath.push_i", 20), 1U);
    const auto cell = [&](int cycle, int r, int c) { return recorded_cell(vcd, cycle, r, c); };
    EXPECT_EQ(table_in_page(example), table_of(example, cell)) << example.vcd;
  }
}

}  // namespace
}  // namespace weft
