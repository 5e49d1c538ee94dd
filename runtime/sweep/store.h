// The SQLite database in which a sweep keeps its points. docs/sweep.md has the schema. A point is
// there once, whole, or not at all: rows are added in transactions, so a process that is killed
// leaves those of the last one that ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/sweep/columns.h"

struct sqlite3;

namespace weft::sweep {

class Store {
 public:
  enum class Mode : std::uint8_t { kReadOnly, kWrite };

  /// Opens the database, and with kWrite makes it if there is none. Throws InputError if the file
  /// is no database, or has another schema, or cannot be read or written.
  Store(const std::string& file, Mode mode);
  /// A database that ends with this object.
  Store();
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::string& file() const { return file_; }

  /// True if the point is there. A point that failed is there too.
  bool holds(const std::string& identity);
  /// Adds a row of columns(); a point that is there stays as it is. The row counts from commit()
  /// on. Throws InputError if the disk is full or another program holds the database.
  void add(std::span<const Cell> row);
  /// Ends the transaction. Throws like add().
  void commit();
  /// The row of the point; empty if it is not there.
  std::vector<Cell> row(const std::string& identity);

  /// All rows in the order in which they were added. `visit` must not change the database.
  void for_each(const std::function<void(std::span<const Cell>)>& visit);
  std::uint64_t count();

 private:
  class Statement;

  void open(const std::string& path, Mode mode);
  void check_schema(Mode mode);
  void execute(const char* sql);
  std::int64_t number(const char* sql);
  [[noreturn]] void fail(int code);

  std::string file_;
  sqlite3* database_ = nullptr;
  bool in_transaction_ = false;
  std::unique_ptr<Statement> find_;
  std::unique_ptr<Statement> insert_;
};

}  // namespace weft::sweep
