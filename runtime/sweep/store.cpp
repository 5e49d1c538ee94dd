#include "runtime/sweep/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/figures.h"
#include "base/input_path.h"
#include "base/output_file.h"

namespace weft::sweep {
namespace {

// "weft" as a number: it marks the file as a sweep's, for SQLite and for `file`.
constexpr std::int64_t kApplication = 0x77656674;
constexpr std::int64_t kSchema = 2;
/// How long to wait for another program that holds the database.
constexpr int kPatienceMs = 10'000;
/// The same while points run: what they cost is lost if the sweep ends.
constexpr int kReadPatienceMs = 600'000;

std::string create_table() {
  std::string sql = "CREATE TABLE points (id INTEGER PRIMARY KEY";
  for (const Column& column : columns()) {
    sql += fmt::format(", {} {}{}", column.name, column.type,
                       column.name == "identity" ? " NOT NULL UNIQUE" : "");
  }
  return sql + ")";
}

std::string column_list() {
  std::string list;
  for (const Column& column : columns()) list += (list.empty() ? "" : ", ") + column.name;
  return list;
}

}  // namespace

/// A prepared statement.
class Store::Statement {
 public:
  Statement(Store& store, const std::string& sql) : store_(store) {
    const int code = sqlite3_prepare_v2(store.database_, sql.c_str(), -1, &statement_, nullptr);
    if (code != SQLITE_OK) store.fail(code);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void bind(int place, const Cell& cell) {
    if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
      sqlite3_bind_int64(statement_, place, *whole);
    } else if (const auto* real = std::get_if<double>(&cell)) {
      sqlite3_bind_double(statement_, place, *real);
    } else if (const auto* text = std::get_if<std::string>(&cell)) {
      sqlite3_bind_text(statement_, place, text->data(), static_cast<int>(text->size()),
                        SQLITE_TRANSIENT);
    } else {
      sqlite3_bind_null(statement_, place);
    }
  }

  /// True if there is a row.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
      sqlite3_reset(statement_);
      store_.fail(code);
    }
    return code == SQLITE_ROW;
  }
  void reset() { sqlite3_reset(statement_); }

  std::int64_t whole(int place) { return sqlite3_column_int64(statement_, place); }

  std::vector<Cell> row() {
    std::vector<Cell> cells;
    const int count = sqlite3_column_count(statement_);
    for (int i = 0; i < count; ++i) cells.push_back(cell(i));
    return cells;
  }

 private:
  Cell cell(int place) {
    switch (sqlite3_column_type(statement_, place)) {
      case SQLITE_INTEGER:
        return static_cast<std::int64_t>(sqlite3_column_int64(statement_, place));
      case SQLITE_FLOAT:
        return sqlite3_column_double(statement_, place);
      case SQLITE_NULL:
        return {};
      default:
        break;
    }
    const auto* text = sqlite3_column_blob(statement_, place);
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, place));
    return text == nullptr ? std::string() : std::string(static_cast<const char*>(text), size);
  }

  Store& store_;
  sqlite3_stmt* statement_ = nullptr;
};

Store::Store(const std::string& file, Mode mode) : file_(file) {
  if (file.empty()) throw InputError("--db: the name is empty; give one");
  std::error_code error;
  const bool exists = std::filesystem::exists(file, error);
  if (mode == Mode::kWrite && !exists) {
    check_writable(file);
    return;
  }
  if (const char* problem = input_path_problem(file)) {
    throw InputError(fmt::format("{}: {}", file, problem));
  }
  if (mode == Mode::kReadOnly && std::filesystem::file_size(file, error) == 0) {
    throw InputError(fmt::format("{}: is empty: no sweep has written points to it", file));
  }
  open_checked(mode);
}

Store::Store() : file_("the sweep") {
  open(":memory:", Mode::kWrite);
  check_schema(Mode::kWrite);
}

Store::~Store() {
  close();
}

void Store::open_checked(Mode mode) {
  // A file name that SQLite would take for something else, such as :memory:, is a path here.
  std::error_code error;
  const std::filesystem::path path = std::filesystem::absolute(file_, error);
  try {
    open(path.string(), mode);
    check_schema(mode);
    if (mode == Mode::kWrite) sqlite3_busy_timeout(database_, kReadPatienceMs);
  } catch (...) {
    close();
    throw;
  }
}

/// A disk without room leaves the file empty, and then it goes away again.
void Store::make() {
  std::error_code error;
  const bool exists = std::filesystem::exists(file_, error);
  try {
    open_checked(Mode::kWrite);
  } catch (...) {
    const bool is_empty = std::filesystem::file_size(file_, error) == 0 && !error;
    if (!exists && is_empty) std::filesystem::remove(file_, error);
    throw;
  }
}

void Store::close() {
  find_.reset();
  insert_.reset();
  sqlite3_close(database_);
  database_ = nullptr;
}

void Store::open(const std::string& path, Mode mode) {
  // A sweep that was killed leaves a journal, and only a connection that may write can roll it
  // back. SQLite opens a file that may not be written for reading.
  const int flags = SQLITE_OPEN_READWRITE | (mode == Mode::kWrite ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &database_, flags, nullptr);
  if (code != SQLITE_OK) fail(code);
  sqlite3_busy_timeout(database_, kPatienceMs);
  // Two waits for the disk a commit instead of three (SQLite's default, FULL). Whatever ends the
  // process, the file stays whole; FULL adds safety only when the power fails (sqlite.org/pragma).
  if (mode == Mode::kWrite) execute("PRAGMA synchronous = NORMAL");
  // The file may be anyone's. A sweep's database needs neither triggers nor views, and its schema
  // need not call functions (sqlite.org/security.html).
  sqlite3_db_config(database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(database_, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
}

void Store::check_schema(Mode mode) {
  if (mode == Mode::kWrite && number("SELECT count(*) FROM sqlite_master") == 0) {
    // Two programs may begin the same file; the second finds it made.
    execute("BEGIN IMMEDIATE");
    if (number("SELECT count(*) FROM sqlite_master") == 0) {
      execute(create_table().c_str());
      execute(fmt::format("PRAGMA application_id = {}", kApplication).c_str());
      execute(fmt::format("PRAGMA user_version = {}", kSchema).c_str());
    }
    execute("COMMIT");
  }
  if (number("PRAGMA application_id") != kApplication) {
    throw InputError(fmt::format("{}: is a database, but not one that weft sweep made", file_));
  }
  const std::int64_t schema = number("PRAGMA user_version");
  Statement table(*this, "SELECT sql FROM sqlite_master WHERE name = 'points'");
  const bool same =
      schema == kSchema && table.step() && table.row().front() == Cell(create_table());
  if (!same) {
    throw InputError(fmt::format(
        "{}: another version of weft made it, with other columns; name another file", file_));
  }
  find_ = std::make_unique<Statement>(
      *this, fmt::format("SELECT {} FROM points WHERE identity = ?", column_list()));
  if (mode == Mode::kReadOnly) return;
  std::string marks;
  for (std::size_t i = 0; i < columns().size(); ++i) marks += i == 0 ? "?" : ",?";
  insert_ = std::make_unique<Statement>(
      *this, fmt::format("INSERT OR IGNORE INTO points ({}) VALUES ({})", column_list(), marks));
}

void Store::fail(int code) {
  std::string reason = sqlite3_errmsg(database_);
  // The code alone would only say that the file may not be written.
  if (sqlite3_extended_errcode(database_) == SQLITE_READONLY_DBMOVED) {
    throw InputError(
        fmt::format("{}: was removed or replaced while the sweep ran; run the same command again "
                    "and leave the file where it is",
                    file_));
  }
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      reason = "another program holds it; end that program, then run the same command";
      break;
    case SQLITE_READONLY:
      reason = "may only be read; choose a file that you may write";
      break;
    case SQLITE_FULL:
      reason = "no space left on the disk; free some, then run the same command";
      break;
    case SQLITE_NOTADB:
      reason = "is not a database; name another file";
      break;
    case SQLITE_CORRUPT:
      reason = "is damaged; name another file";
      break;
    case SQLITE_CANTOPEN:
      reason = "cannot be opened or made: no such folder, or you may not read or write it";
      break;
    case SQLITE_IOERR:
      reason =
          "cannot be read or written (disk error, or a limit on the size of files); what is in "
          "it stays, so run the same command once the cause is gone";
      break;
    default:
      break;
  }
  throw InputError(fmt::format("{}: {}", file_, reason));
}

void Store::execute(const char* sql) {
  const int code = sqlite3_exec(database_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Store::number(const char* sql) {
  Statement statement(*this, sql);
  return statement.step() ? statement.whole(0) : 0;
}

bool Store::holds(const std::string& identity) {
  return !row(identity).empty();
}

std::vector<Cell> Store::row(const std::string& identity) {
  std::vector<Cell> cells;
  if (database_ != nullptr) {
    find_->reset();
    find_->bind(1, identity);
    if (find_->step()) cells = find_->row();
    find_->reset();
  }
  if (!cells.empty()) return cells;
  const auto waiting = places_.find(identity);
  return waiting == places_.end() ? cells : waiting_[waiting->second];
}

void Store::add(std::span<const Cell> row) {
  static const std::size_t kIdentity = column_index("identity");
  const bool is_new = places_.try_emplace(to_text(row[kIdentity]), waiting_.size()).second;
  if (is_new) waiting_.emplace_back(row.begin(), row.end());
}

bool Store::try_commit(std::chrono::milliseconds patience) {
  if (waiting_.empty()) return true;
  if (database_ == nullptr) make();
  // The lock that also keeps readers out comes first, so nothing is written in vain. Whoever reads
  // in between waits for as long as the disk takes.
  sqlite3_busy_timeout(database_, static_cast<int>(patience.count()));
  const int code = sqlite3_exec(database_, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr);
  sqlite3_busy_timeout(database_, kReadPatienceMs);
  if ((code & 0xFF) == SQLITE_BUSY) return false;
  if (code != SQLITE_OK) fail(code);
  try {
    write_rows();
    execute("COMMIT");
  } catch (...) {
    sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
  waiting_.clear();
  places_.clear();
  return true;
}

void Store::write_rows() {
  for (const std::vector<Cell>& row : waiting_) {
    insert_->reset();
    for (std::size_t i = 0; i < row.size(); ++i) insert_->bind(static_cast<int>(i) + 1, row[i]);
    insert_->step();
    insert_->reset();
  }
}

void Store::commit() {
  if (try_commit(std::chrono::milliseconds(kPatienceMs))) return;
  throw InputError(
      fmt::format("{}: another program holds it, so the last {} of the sweep are not written; end "
                  "that program, "
                  "then run the same command",
                  file_, counted(waiting_.size(), "point")));
}

void Store::for_each(const std::function<void(std::span<const Cell>)>& visit) {
  if (database_ == nullptr) return;
  Statement all(*this, fmt::format("SELECT {} FROM points ORDER BY id", column_list()));
  while (all.step()) visit(all.row());
}

std::uint64_t Store::count() {
  if (database_ == nullptr) return 0;
  return static_cast<std::uint64_t>(number("SELECT count(*) FROM points"));
}

}  // namespace weft::sweep
