// The SQLite database in which a sweep keeps its points. docs/sweep.md has the schema. A point is
// there once, whole, or not at all: rows are added in transactions, so a process that is killed
// leaves those of the last one that ended.
//
// Rows wait in memory for the next transaction. So a program that reads the database, and thereby
// keeps others from writing, delays the rows but not the sweep. SQLite's write-ahead log would let
// both go on, but a database with such a log cannot be read in a folder that may only be read, nor
// be copied as one file, nor lie on a network's file system.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/sweep/columns.h"

struct sqlite3;

namespace weft::sweep {

class Store {
 public:
  enum class Mode : std::uint8_t { kReadOnly, kWrite };

  /// Opens the database. With kWrite there may be none; then the first transaction makes it. Throws
  /// InputError if the file is no database, or has another schema, or cannot be read or written.
  Store(const std::string& file, Mode mode);
  /// A database that ends with this object.
  Store();
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::string& file() const { return file_; }

  /// True if the point is there. A point that failed is there too.
  bool holds(const std::string& identity);
  /// Adds a row of columns(); a point that is there stays as it is. The row is written by the next
  /// commit.
  void add(std::span<const Cell> row);
  /// Writes what was added. Returns false if another program holds the database for longer than
  /// `patience`; then nothing is written. Throws InputError if the disk is full.
  bool try_commit(std::chrono::milliseconds patience);
  /// Same, but throws InputError if another program holds the database for ten seconds.
  void commit();
  /// How many added rows are not written.
  std::uint64_t unwritten() const { return waiting_.size(); }
  /// The row of the point, written or not; empty if it is not there.
  std::vector<Cell> row(const std::string& identity);

  /// All written rows in the order in which they were added. `visit` must not change the database.
  void for_each(const std::function<void(std::span<const Cell>)>& visit);
  std::uint64_t count();

 private:
  class Statement;

  void open_checked(Mode mode);
  void make();
  void close();
  void write_rows();
  void open(const std::string& path, Mode mode);
  void check_schema(Mode mode);
  void execute(const char* sql);
  std::int64_t number(const char* sql);
  [[noreturn]] void fail(int code);

  std::string file_;
  sqlite3* database_ = nullptr;  // null: there is no file yet
  std::vector<std::vector<Cell>> waiting_;
  std::unordered_map<std::string, std::size_t> places_;  // in waiting_, by identity
  std::unique_ptr<Statement> find_;
  std::unique_ptr<Statement> insert_;
};

}  // namespace weft::sweep
