// docs/machines.md must show the current keys and presets, and give each preset value its mark.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "sim/config/config_keys.h"

namespace weft {
namespace {

std::string machines_page() {
  std::ifstream in(std::string(WEFT_SOURCE_DIR) + "/docs/machines.md");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Returns the rows of the section `heading` that begin with a key: their cells by key.
std::map<std::string, std::vector<std::string>> table_of(const std::string& heading) {
  std::istringstream page(machines_page());
  std::map<std::string, std::vector<std::string>> rows;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("#")) inside = line == heading;
    if (!inside || !line.starts_with("| `")) continue;
    std::vector<std::string> cells(1);
    for (std::size_t i = 2; i < line.size(); ++i) {
      if (line[i] == '\\') {
        cells.back() += line[++i];
      } else if (line[i] == '|') {
        cells.back().pop_back();  // the space before the bar
        cells.emplace_back();
        ++i;
      } else if (line[i] != '`') {
        cells.back() += line[i];
      }
    }
    rows[cells.front()] = cells;
  }
  return rows;
}

TEST(MachinesDocTest, ListsEveryKey) {
  auto rows = table_of("## Keys");
  EXPECT_EQ(rows.size(), config_keys().size());
  for (const ConfigKey& key : config_keys()) {
    const std::vector<std::string> expected = {key.name, key.range, key.print(MachineConfig{}),
                                               key.help, ""};
    EXPECT_EQ(rows[key.name], expected);
  }
}

TEST(MachinesDocTest, GivesEveryValueOfEveryPresetAMark) {
  for (const std::string& name : preset_names()) {
    SCOPED_TRACE(name);
    auto rows = table_of(fmt::format("### {}", name));
    EXPECT_EQ(rows.size(), config_keys().size());
    for (const ConfigKey& key : config_keys()) {
      SCOPED_TRACE(key.name);
      const std::vector<std::string>& cells = rows[key.name];
      ASSERT_EQ(cells.size(), 5U);
      EXPECT_EQ(cells[1], key.print(load_preset(name)));
      EXPECT_TRUE(cells[2] == "published" || cells[2] == "derived" || cells[2] == "assumed");
      const auto mark = value_mark(preset_text(name), key.name);
      ASSERT_TRUE(mark);
      constexpr std::string_view kMarks[] = {"published", "derived", "assumed"};
      EXPECT_EQ(cells[2], kMarks[static_cast<std::size_t>(*mark)]);
      EXPECT_FALSE(cells[3].empty());
    }
  }
}

TEST(MachinesDocTest, TheExampleIsAMachine) {
  const std::string page = machines_page();
  const std::size_t begin = page.find("```ini\n");
  ASSERT_NE(begin, std::string::npos);
  std::istringstream example(page.substr(begin + 7, page.find("```\n", begin + 7) - begin - 7));
  const MachineConfig config = parse_ini(example, "docs/machines.md");
  EXPECT_EQ(config.clock_hz, 333'333'000U);
  EXPECT_EQ(config.memory_bytes_per_s, 12'500'000'000U);
}

TEST(MachinesDocTest, ThePresetFilesSetEveryKey) {
  for (const std::string& name : preset_names()) {
    std::string file(preset_text(name));
    for (const ConfigKey& key : config_keys()) {
      const std::string own = key.name.substr(key.name.find('.') + 1);
      EXPECT_NE(file.find(fmt::format("\n{} = {}  # ", own, key.print(load_preset(name)))),
                std::string::npos)
          << name << " does not write " << key.name;
    }
  }
}

}  // namespace
}  // namespace weft
