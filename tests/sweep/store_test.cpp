#include "runtime/sweep/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>

#include "base/error.h"
#include "tests/cli/temporary_folder.h"

namespace weft::sweep {
namespace {

using testing::HasSubstr;

Space products() {
  Request request;
  request.workloads.push_back({MatmulSpec{}, {"matmul"}});
  request.axes = {{"m", {"1", "2", "3", "4"}}, {"k", {"8"}}, {"n", {"8"}}, {"machine", {"tiny"}}};
  return Space(std::move(request));
}

std::vector<Cell> row(const Space& space, std::uint64_t number) {
  Outcome outcome;
  outcome.number = number;
  outcome.figures.cycles = static_cast<Cycle>(100 + number);
  outcome.figures.joules = 0.1 + 1e-17 * static_cast<double>(number);
  if (number == 3) outcome.error = "it's \"broken\"; DROP TABLE points";
  return row_of(space, *space.point(number), outcome);
}

std::string refusal(const std::string& file, Store::Mode mode = Store::Mode::kWrite) {
  try {
    const Store store(file, mode);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A database with the first point.
void make_database(const std::string& file) {
  const Space space = products();
  Store store(file, Store::Mode::kWrite);
  store.add(row(space, 0));
  store.commit();
}

void execute(const std::string& file, const char* sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
}

TEST(SweepStoreTest, GivesBackEveryCellToTheBit) {
  const test::TemporaryFolder folder;
  const Space space = products();
  {
    Store store(folder.file("a.db"), Store::Mode::kWrite);
    for (std::uint64_t i = 0; i < 4; ++i) store.add(row(space, i));
    store.commit();
  }
  Store store(folder.file("a.db"), Store::Mode::kReadOnly);
  EXPECT_EQ(store.count(), 4U);
  for (std::uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(store.row(space.identity(*space.point(i))), row(space, i));
  }
  std::uint64_t next = 0;
  store.for_each([&](std::span<const Cell> cells) {
    EXPECT_EQ(std::vector<Cell>(cells.begin(), cells.end()), row(space, next++));
  });
  EXPECT_EQ(next, 4U);
}

TEST(SweepStoreTest, APointIsThereOnce) {
  const test::TemporaryFolder folder;
  const Space space = products();
  Store store(folder.file("a.db"), Store::Mode::kWrite);
  store.add(row(space, 1));
  store.add(row(space, 1));
  store.commit();
  store.add(row(space, 1));
  store.commit();
  std::vector<Cell> other = row(space, 1);
  other[column_index("cycles")] = std::int64_t{7};
  store.add(other);
  store.commit();
  EXPECT_EQ(store.row(space.identity(*space.point(1))), row(space, 1));  // the first one stays
  EXPECT_EQ(store.count(), 1U);
  EXPECT_TRUE(store.holds(space.identity(*space.point(1))));
  EXPECT_FALSE(store.holds(space.identity(*space.point(2))));
}

TEST(SweepStoreTest, AKilledWriterLeavesWhatItCommitted) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("a.db");
  const Space space = products();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Store store(file, Store::Mode::kWrite);
    store.add(row(space, 0));
    store.commit();
    store.add(row(space, 1));
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  Store store(file, Store::Mode::kWrite);
  EXPECT_EQ(store.count(), 1U);
  store.add(row(space, 1));
  store.commit();
  EXPECT_EQ(store.count(), 2U);
}

TEST(SweepStoreTest, RefusesWhatIsNoDatabaseOfASweep) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(refusal(folder.write("text", "hello, this is not a database, but it is long enough")),
              HasSubstr("is not a database"));
  execute(folder.file("other"), "CREATE TABLE points (id INTEGER)");
  EXPECT_THAT(refusal(folder.file("other")), HasSubstr("not one that weft sweep made"));
  make_database(folder.file("old"));
  execute(folder.file("old"), "ALTER TABLE points ADD COLUMN more TEXT");
  EXPECT_THAT(refusal(folder.file("old")), HasSubstr("another version of weft made it"));
  make_database(folder.file("newer"));
  execute(folder.file("newer"), "PRAGMA user_version = 99");
  EXPECT_THAT(refusal(folder.file("newer")), HasSubstr("another version of weft made it"));
  make_database(folder.file("first"));
  execute(folder.file("first"), "PRAGMA user_version = 1");  // without the column energies
  EXPECT_THAT(refusal(folder.file("first")), HasSubstr("another version of weft made it"));
  EXPECT_THAT(refusal(folder.write("empty", ""), Store::Mode::kReadOnly), HasSubstr("is empty"));
  EXPECT_THAT(refusal(folder.file("")), HasSubstr("is a folder"));
  EXPECT_THAT(refusal(folder.file("no/where.db")), HasSubstr("create the folder first"));
  EXPECT_THAT(refusal(folder.file("missing"), Store::Mode::kReadOnly), HasSubstr("no such file"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("missing")));
}

TEST(SweepStoreTest, RunsNoTriggersOfTheFile) {
  const test::TemporaryFolder folder;
  const Space space = products();
  make_database(folder.file("a.db"));
  execute(folder.file("a.db"),
          "CREATE TRIGGER t AFTER INSERT ON points BEGIN DELETE FROM points; END");
  Store store(folder.file("a.db"), Store::Mode::kWrite);
  store.add(row(space, 1));
  store.commit();
  EXPECT_EQ(store.count(), 2U);
}

TEST(SweepStoreTest, RefusesADamagedFile) {
  const test::TemporaryFolder folder;
  const Space space = products();
  {
    Store store(folder.file("a.db"), Store::Mode::kWrite);
    for (std::uint64_t i = 0; i < 4; ++i) store.add(row(space, i));
    store.commit();
  }
  std::string bytes = folder.read("a.db");
  for (std::size_t i = 4096; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 37);
  const std::string file = folder.write("b.db", bytes);
  try {
    Store store(file, Store::Mode::kWrite);
    store.row("x");
    FAIL() << "was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("b.db: is damaged"));
  }
}

TEST(SweepStoreTest, SaysThatTheFileWasRemovedOrReplaced) {
  const test::TemporaryFolder folder;
  const Space space = products();
  for (const bool replace : {false, true}) {
    const std::string file = folder.file(replace ? "replaced.db" : "removed.db");
    Store store(file, Store::Mode::kWrite);
    store.add(row(space, 0));
    store.commit();
    std::filesystem::remove(file);
    if (replace) make_database(file);
    store.add(row(space, 1));
    try {
      store.commit();
      FAIL() << "was written";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), file +
                                  ": was removed or replaced while the sweep ran; run the same "
                                  "command again and leave the file where it is");
    }
  }
}

TEST(SweepStoreTest, AFileIsMadeByTheFirstRow) {
  const test::TemporaryFolder folder;
  const Space space = products();
  Store store(folder.file("a.db"), Store::Mode::kWrite);
  store.commit();
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.db")));
  EXPECT_EQ(store.count(), 0U);
  store.add(row(space, 0));
  EXPECT_TRUE(store.holds(space.identity(*space.point(0))));
  EXPECT_FALSE(std::filesystem::exists(folder.file("a.db")));
  store.commit();
  EXPECT_EQ(store.count(), 1U);
}

// A program that has read a row and asks for more keeps others from writing.
TEST(SweepStoreTest, RowsWaitInMemoryWhileAnotherProgramReads) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("a.db");
  const Space space = products();
  make_database(file);
  Store store(file, Store::Mode::kWrite);
  sqlite3* reader = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &reader), SQLITE_OK);
  sqlite3_stmt* reads = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(reader, "SELECT * FROM points", -1, &reads, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3_step(reads), SQLITE_ROW);
  for (std::uint64_t i = 1; i < 3; ++i) {
    store.add(row(space, i));
    EXPECT_FALSE(store.try_commit(std::chrono::milliseconds(1)));
    EXPECT_EQ(store.unwritten(), i);
    EXPECT_EQ(store.row(space.identity(*space.point(i))), row(space, i));
  }
  // Nobody else is kept from reading meanwhile.
  EXPECT_EQ(Store(file, Store::Mode::kReadOnly).count(), 1U);
  sqlite3_finalize(reads);
  EXPECT_TRUE(store.try_commit(std::chrono::milliseconds(1)));
  EXPECT_EQ(store.unwritten(), 0U);
  EXPECT_EQ(store.count(), 3U);
  EXPECT_EQ(store.row(space.identity(*space.point(2))), row(space, 2));
  sqlite3_close(reader);
}

/// Runs `use` in a process that may write files of at most `bytes`. True if it throws InputError.
bool refused_on_a_full_disk(rlim_t bytes, const std::function<void()>& use) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      use();
    } catch (const InputError&) {
      ::_exit(0);
    }
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(SweepStoreTest, ADiskWithoutRoomLeavesNoFile) {
  const test::TemporaryFolder folder;
  const std::string file = folder.file("a.db");
  EXPECT_TRUE(refused_on_a_full_disk(0, [&] { make_database(file); }));
  EXPECT_FALSE(std::filesystem::exists(file));
}

// Linux refuses to write beyond the largest file that a process may have, as a full disk would.
TEST(SweepStoreTest, SaysThatTheDiskIsFull) {
  const test::TemporaryFolder folder;
  const Space space = products();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int code = 1;
    Store store(folder.file("a.db"), Store::Mode::kWrite);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{16 * 1024, 16 * 1024};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      for (std::uint64_t i = 0; i < 4; ++i) {
        std::vector<Cell> large = row(space, i);
        large[column_index("error")] = std::string(64 * 1024, 'x');
        store.add(large);
        store.commit();
      }
    } catch (const InputError& error) {
      code = std::string_view(error.what()).find("a.db: ") != std::string_view::npos ? 0 : 2;
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  Store store(folder.file("a.db"), Store::Mode::kWrite);
  EXPECT_EQ(store.count(), 0U);
}

}  // namespace
}  // namespace weft::sweep
