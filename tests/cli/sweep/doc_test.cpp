// docs/sweep.md names every column, and its questions can be asked.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "runtime/sweep/columns.h"
#include "sim/config/config_keys.h"
#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

std::string page() {
  std::ostringstream text;
  text << std::ifstream("docs/sweep.md").rdbuf();
  return text.str();
}

/// Columns that the page describes together, by one of them.
std::string described_as(const std::string& column) {
  if (column.starts_with("ledger_")) return "ledger_array_active";
  if (column.starts_with("path_")) return "path_array";
  for (const ConfigKey& key : config_keys()) {
    std::string name = key.name;
    std::ranges::replace(name, '.', '_');
    if (name == column) return "array_rows";
  }
  return column;
}

TEST(SweepDocTest, NamesEveryColumn) {
  const std::string text = page();
  for (const sweep::Column& column : sweep::columns()) {
    EXPECT_NE(text.find('`' + described_as(column.name) + '`'), std::string::npos) << column.name;
  }
}

TEST(SweepDocTest, ItsSixQuestionsHaveAnswers) {
  const TemporaryFolder folder;
  const std::string file = folder.file("points.db");
  ASSERT_EQ(run_weft({"sweep", "resnet50", "--optimize", "0", "--array.rows", "128,4096",
                      "--unified_buffer.kib", "1,16384", "--db", file})
                .code,
            0);
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  std::istringstream lines(page());
  std::string sql;
  int questions = 0;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    const bool fence = line.starts_with("```");
    if (fence) inside = line == "```sql";
    if (!inside || fence) continue;
    sql += line + '\n';
    if (!line.ends_with(';')) continue;
    sqlite3_stmt* statement = nullptr;
    ASSERT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database) << "\n"
        << sql;
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW) << sql;
    sqlite3_finalize(statement);
    sql.clear();
    ++questions;
  }
  sqlite3_close(database);
  EXPECT_EQ(questions, 6);
}

}  // namespace
}  // namespace weft::test
