// Reads databases of sweeps, and the commands in them.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/weft_process.h"

namespace weft::test {

inline Words split(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// The result of a query as rows of texts, of a database that no sweep is writing.
inline std::vector<Words> query(const std::string& file, const std::string& sql) {
  std::vector<Words> rows;
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  sqlite3_stmt* statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    Words row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const auto* text = sqlite3_column_text(statement, i);
      row.push_back(text == nullptr ? "NULL" : reinterpret_cast<const char*>(text));
    }
    rows.push_back(std::move(row));
  }
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return rows;
}

/// Everything but the time that the points took, in an order of its own.
inline std::vector<Words> contents(const std::string& file) {
  return query(file,
               "SELECT identity, command, cycles, energy_j, bound, weight_bytes, error FROM points "
               "ORDER BY identity");
}

}  // namespace weft::test
