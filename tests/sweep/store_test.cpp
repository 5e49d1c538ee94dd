#include "runtime/sweep/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

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
  { const Store store(folder.file("old"), Store::Mode::kWrite); }
  execute(folder.file("old"), "ALTER TABLE points ADD COLUMN more TEXT");
  EXPECT_THAT(refusal(folder.file("old")), HasSubstr("another version of weft made it"));
  { const Store store(folder.file("newer"), Store::Mode::kWrite); }
  execute(folder.file("newer"), "PRAGMA user_version = 99");
  EXPECT_THAT(refusal(folder.file("newer")), HasSubstr("another version of weft made it"));
  EXPECT_THAT(refusal(folder.file("")), HasSubstr("is a folder"));
  EXPECT_THAT(refusal(folder.file("no/where.db")), HasSubstr("no such folder"));
  EXPECT_THAT(refusal(folder.file("missing"), Store::Mode::kReadOnly), HasSubstr("no such file"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("missing")));
}

TEST(SweepStoreTest, RunsNoTriggersOfTheFile) {
  const test::TemporaryFolder folder;
  const Space space = products();
  { const Store store(folder.file("a.db"), Store::Mode::kWrite); }
  execute(folder.file("a.db"),
          "CREATE TRIGGER t AFTER INSERT ON points BEGIN DELETE FROM points; END");
  Store store(folder.file("a.db"), Store::Mode::kWrite);
  store.add(row(space, 0));
  store.commit();
  EXPECT_EQ(store.count(), 1U);
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
