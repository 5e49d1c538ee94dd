#include "base/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "tests/cli/temporary_folder.h"

namespace weft {
namespace {

TEST(OutputFileTest, AppearsOnlyWhenCommitted) {
  const test::TemporaryFolder folder;
  {
    OutputFile file(folder.file("x"));
    file.write("text");
    EXPECT_FALSE(std::filesystem::exists(folder.file("x")));
    file.commit();
    EXPECT_EQ(folder.read("x"), "text");
  }
  EXPECT_EQ(folder.count(), 1U);
}

TEST(OutputFileTest, LeavesNothingBehindWithoutCommit) {
  const test::TemporaryFolder folder;
  folder.write("x", "old");
  { OutputFile(folder.file("x")).write("new"); }
  EXPECT_EQ(folder.read("x"), "old");
  EXPECT_EQ(folder.count(), 1U);
}

TEST(OutputFileTest, ReplacesTheTargetOfALink) {
  const test::TemporaryFolder folder;
  folder.write("target", "old");
  std::filesystem::create_symlink("target", folder.file("link"));
  write_file(folder.file("link"), "new");
  EXPECT_EQ(folder.read("target"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link")));
}

TEST(OutputFileTest, RefusesMissingFoldersAndFolders) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(check_writable(folder.file("missing/x")), InputError);
  EXPECT_THROW(check_writable(folder.file(".")), InputError);
  EXPECT_THROW(OutputFile(folder.file("missing/x")), InputError);
  EXPECT_THROW(check_writable(""), InputError);
}

TEST(OutputFileTest, WritesToAPipeOnlyIfItIsOpen) {
  const test::TemporaryFolder folder;
  const std::string name = folder.file("pipe");
  ASSERT_EQ(::mkfifo(name.c_str(), 0600), 0);
  EXPECT_THROW(check_writable(name), InputError);
  const int pipe = ::open(name.c_str(), O_RDWR);  // a shell opens it like this for a reader
  ASSERT_GE(pipe, 0);
  write_file("/dev/fd/" + std::to_string(pipe), "text");
  std::string text(8, '\0');
  EXPECT_EQ(::read(pipe, text.data(), text.size()), 4);
  EXPECT_EQ(text.substr(0, 4), "text");
  ::close(pipe);
  EXPECT_EQ(folder.count(), 1U);
}

TEST(OutputFileTest, ReportsAFullDevice) {
  OutputFile file("/dev/full");
  EXPECT_THROW(file.write("text"), InputError);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace weft
