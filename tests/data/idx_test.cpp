// Reads files in MNIST's format. The tests write the bytes by hand and with zlib.
#include "models/data/idx.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "tests/cli/temporary_folder.h"

namespace weft::data {
namespace {

using test::TemporaryFolder;

std::string bytes(const std::vector<int>& values) {
  std::string text;
  for (const int value : values) text.push_back(static_cast<char>(value));
  return text;
}

/// Two images of 2 x 3.
std::string images() {
  return bytes({0, 0, 8, 3, 0, 0, 0, 2, 0,   0,   0,   2,   0,   0,
                0, 3, 0, 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255});
}

void write_gzip(const std::string& file, const std::string& content) {
  gzFile stream = gzopen(file.c_str(), "wb9");
  ASSERT_EQ(gzwrite(stream, content.data(), static_cast<unsigned>(content.size())),
            static_cast<int>(content.size()));
  gzclose_w(stream);
}

class IdxTest : public testing::Test {
 protected:
  std::string message(const std::string& file, int rank = 3) {
    try {
      read_idx(file, rank);
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with(file + ": ")) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
      return text.substr(std::min(text.size(), file.size() + 2));
    }
    return "";
  }
  std::string message_of(const std::string& content, int rank = 3) {
    return message(folder_.write("x", content), rank);
  }

  TemporaryFolder folder_;
};

TEST_F(IdxTest, ReadsPlainFiles) {
  const IdxArray array = read_idx(folder_.write("x", images()), 3);
  EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 2, 3}));
  EXPECT_EQ(array.values,
            (std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 250, 251, 252, 253, 254, 255}));
  const IdxArray labels = read_idx(folder_.write("y", bytes({0, 0, 8, 1, 0, 0, 0, 2, 7, 9})), 1);
  EXPECT_EQ(labels.shape, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(labels.values, (std::vector<std::uint8_t>{7, 9}));
}

TEST_F(IdxTest, ReadsCompressedFilesToTheSame) {
  write_gzip(folder_.file("x.gz"), images());
  const IdxArray array = read_idx(folder_.file("x.gz"), 3);
  const IdxArray plain = read_idx(folder_.write("x", images()), 3);
  EXPECT_EQ(array.shape, plain.shape);
  EXPECT_EQ(array.values, plain.values);
}

TEST_F(IdxTest, RefusesAFileCutAnywhere) {
  const std::string whole = images();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string text = message_of(whole.substr(0, size));
    EXPECT_TRUE(text.starts_with("ends inside the ") || text.starts_with("claims ")) << text;
  }
}

TEST_F(IdxTest, RefusesACompressedFileCutAnywhere) {
  write_gzip(folder_.file("x.gz"), images());
  const std::string whole = folder_.read("x.gz");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(message_of(whole.substr(0, size)), "") << size;
  }
}

TEST_F(IdxTest, RefusesACompressedFileWithAByteChanged) {
  write_gzip(folder_.file("x.gz"), images());
  const std::string whole = folder_.read("x.gz");
  for (std::size_t at = 10; at < whole.size(); ++at) {  // after gzip's header
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    EXPECT_NE(message_of(changed), "") << at;
  }
}

TEST_F(IdxTest, RefusesOtherFiles) {
  EXPECT_EQ(message_of("hello, this is text"),
            "begins with 68 65 6c 6c, not 00 00 08 03: not an IDX file of images");
  std::string labels = images();
  EXPECT_EQ(message_of(labels, 1),
            "begins with 00 00 08 03, not 00 00 08 01: not an IDX file of labels");
  labels[2] = 0x0D;  // floats
  EXPECT_NE(message_of(labels), "");
}

TEST_F(IdxTest, RefusesBytesAfterTheElements) {
  EXPECT_EQ(message_of(images() + "x"),
            "has data after its elements, so its header does not match");
}

TEST_F(IdxTest, TakesNoMemoryForSizesThatAFileCannotHold) {
  const std::string claim =
      bytes({0, 0, 8, 3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255});
  EXPECT_EQ(message_of(claim),
            "claims 4294967295 x 4294967295 x 4294967295 elements, more than the file or the "
            "memory can hold; copy or download it again");
  write_gzip(folder_.file("x.gz"), bytes({0, 0, 8, 3, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 0, 9}));
  EXPECT_TRUE(message(folder_.file("x.gz")).starts_with("claims 65535 x 65535 x 9 "));
}

TEST_F(IdxTest, UnpacksNoMoreThanTheHeaderSays) {
  write_gzip(folder_.file("bomb.gz"), images() + std::string(8'000'000, 'x'));
  EXPECT_EQ(message(folder_.file("bomb.gz")),
            "has data after its elements, so its header does not match");
}

TEST_F(IdxTest, NamesAFileThatCannotBeRead) {
  EXPECT_EQ(message(folder_.file("none")), "no such file; give an IDX file");
  EXPECT_NE(message(folder_.file("")), "");
}

}  // namespace
}  // namespace weft::data
