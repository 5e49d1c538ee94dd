#include "runtime/npy/npy.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/error.h"
#include "pe/float_formats.h"
#include "tests/cli/npy_bytes.h"
#include "tests/cli/temporary_folder.h"

namespace weft::runtime {
namespace {

using test::npy;
using test::npy_header;
using test::npy_start;

class NpyTest : public testing::Test {
 protected:
  NpyArray read(const std::string& content) { return read_npy(folder_.write("x.npy", content)); }

  /// Returns the message of the InputError that reading `content` throws.
  std::string message(const std::string& content) {
    const std::string file = folder_.write("x.npy", content);
    try {
      read_npy(file);
    } catch (const InputError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(file + ": ")) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }

  void expect_message(const std::string& content, std::string_view part) {
    const std::string text = message(content);
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }

  test::TemporaryFolder folder_;
};

const std::vector<std::int8_t> kSix = {1, -2, 3, -4, 5, -128};

TEST_F(NpyTest, ReadsAllThreeVersions) {
  for (const int version : {1, 2, 3}) {
    const Matrix matrix =
        to_operand(read(npy("|i1", "(2, 3)", kSix, false, version)), ElementType::kInt8);
    EXPECT_EQ(matrix.rows(), 2U);
    EXPECT_EQ(matrix.cols(), 3U);
    EXPECT_EQ(matrix.at<std::int8_t>(0, 1), -2);
    EXPECT_EQ(matrix.at<std::int8_t>(1, 2), -128);
  }
}

TEST_F(NpyTest, ReadsFortranOrder) {
  const Matrix matrix = to_operand(read(npy("|i1", "(2, 3)", kSix, true)), ElementType::kInt8);
  EXPECT_EQ(matrix.at<std::int8_t>(1, 0), -2);
  EXPECT_EQ(matrix.at<std::int8_t>(0, 1), 3);
  EXPECT_EQ(matrix.at<std::int8_t>(1, 2), -128);
}

TEST_F(NpyTest, ReadsUint8AsXMinus128) {
  const std::vector<std::uint8_t> values = {0, 1, 127, 128, 129, 255};
  const Matrix matrix = to_operand(read(npy("|u1", "(2, 3)", values)), ElementType::kInt8);
  for (std::uint64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(int{matrix.at<std::int8_t>(i / 3, i % 3)}, int{values[i]} - 128);
  }
}

TEST_F(NpyTest, RoundsDoublesOnce) {
  // 1 + 2^-8 + 2^-40: rounding to binary32 first would give the tie 1 + 2^-8, which rounds down to
  // even in bf16.
  const std::vector<double> values = {1.0 + 0x1p-8 + 0x1p-40};
  const Matrix matrix = to_operand(read(npy("<f8", "(1, 1)", values)), ElementType::kBf16);
  EXPECT_EQ(matrix.at<Bf16>(0, 0).bits, 0x3F81);
}

TEST_F(NpyTest, ReadsHalvesExactly) {
  const std::vector<std::uint16_t> bits = {0x3C00, 0x0001, 0xFBFF};
  const Matrix matrix = to_operand(read(npy("<f2", "(1, 3)", bits)), ElementType::kFp16);
  for (std::uint64_t i = 0; i < 3; ++i) EXPECT_EQ(matrix.at<Fp16>(0, i).bits, bits[i]);
}

TEST_F(NpyTest, TakesABiasOfOneOrTwoDimensions) {
  const std::vector<std::int32_t> values = {1, -2, 3};
  for (const char* shape : {"(3,)", "(1, 3)"}) {
    const Matrix bias = to_bias(read(npy("<i4", shape, values)), ElementType::kInt32);
    EXPECT_EQ(bias.rows(), 1U);
    EXPECT_EQ(bias.cols(), 3U);
    EXPECT_EQ(bias.at<std::int32_t>(0, 1), -2);
  }
  EXPECT_THROW(bias_shape(read(npy("<i4", "(3, 1)", values))), InputError);
}

TEST_F(NpyTest, ReadsBackWhatItWrites) {
  Matrix matrix(ElementType::kFloat32, 3, 2);
  for (std::uint64_t i = 0; i < 6; ++i) matrix.set(i / 2, i % 2, static_cast<float>(i) * 0.5F);
  const std::string file = encode_npy(matrix);
  EXPECT_EQ((file.size() - 24) % 64, 0U) << "the data starts at a multiple of 64 bytes";
  const NpyArray array = read(file);
  EXPECT_EQ(array.shape, (std::vector<std::uint64_t>{3, 2}));
  EXPECT_EQ(to_bias(read(npy("<f4", "(2,)", std::vector<float>{0, 1})), ElementType::kFloat32)
                .at<float>(0, 1),
            1.0F);
  EXPECT_EQ(std::string(file.end() - 24, file.end()),
            test::bytes_of(std::vector<float>{0, 0.5F, 1, 1.5F, 2, 2.5F}));
}

TEST_F(NpyTest, RefusesWhatIsNoNpyFile) {
  expect_message("", "magic");
  expect_message("PK\x03\x04 something", "magic");
  expect_message("\x93NUMPY", "cut short");
  expect_message(npy_start(4, npy_header("|i1", "(1, 1)")), "version 4.0");
}

TEST_F(NpyTest, RefusesAbsurdHeaders) {
  expect_message(std::string("\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF", 12), "header of 4294967295");
  expect_message(std::string("\x93NUMPY\x01\x00\xFF\x00{", 11), "cut short");
  expect_message(npy_start(1, "[1, 2]"), "not a dict");
  expect_message(npy_start(1, ""), "not a dict");
  expect_message(npy_start(1, "{'descr': '|i1'}"), "lacks");
  expect_message(npy_start(1, "{'descr"), "unfinished");
  expect_message(npy_start(1, "{'descr': '|i1', 'descr': '|i1'}"), "twice");
  expect_message(npy_start(1, npy_header("|i1", "(1, 1)") + "x"), "after the dict");
  expect_message(npy_start(1, "{'__import__': 'os'}"), "unknown key");
}

TEST_F(NpyTest, RefusesHostileShapes) {
  expect_message(npy_start(1, npy_header("<f8", "(4294967296, 4294967296)")), "overflows");
  expect_message(npy_start(1, npy_header("|i1", "(-1, 2)")), "negative");
  expect_message(npy_start(1, npy_header("|i1", "(99999999999999999999, 2)")), "overflowing");
  expect_message(npy_start(1, npy_header("|i1", "(1000000, 1000000)")), "cut short");
  EXPECT_THROW(matrix_shape(read(npy("|i1", "(0, 3)", std::vector<std::int8_t>{}))), InputError);
  EXPECT_THROW(matrix_shape(read(npy("|i1", "(6,)", kSix))), InputError);
  EXPECT_THROW(matrix_shape(read(npy("|i1", "(1, 2, 3)", kSix))), InputError);
}

TEST_F(NpyTest, RefusesDataThatDoesNotFillTheShape) {
  expect_message(npy("|i1", "(2, 4)", kSix), "claims 8 bytes of data and holds 6");
  expect_message(npy("|i1", "(2, 2)", kSix), "2 bytes after the array");
}

TEST_F(NpyTest, RefusesOtherTypes) {
  expect_message(npy(">f4", "(1, 1)", std::vector<float>{1}), "big-endian");
  expect_message(npy("<u8", "(1, 1)", std::vector<std::uint64_t>{1}), "<u8");
  expect_message(npy("|O", "(1, 1)", std::vector<std::int64_t>{1}), "|O");
  expect_message(npy_start(1, "{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}"),
                 "records");
  const NpyArray floats = read(npy("<f4", "(1, 1)", std::vector<float>{1}));
  EXPECT_THROW(to_operand(floats, ElementType::kInt8), InputError);
  EXPECT_THROW(to_bias(floats, ElementType::kInt32), InputError);
  const NpyArray bytes = read(npy("|i1", "(2, 3)", kSix));
  EXPECT_THROW(to_operand(bytes, ElementType::kBf16), InputError);
}

TEST_F(NpyTest, SaysWhatFitsTheOperand) {
  struct Case {
    const char* descr;
    ElementType wanted;
    const char* advice;
  };
  for (const Case& c : {
           Case{"<i4", ElementType::kInt8, "give |i1 or |u1, e.g. by numpy's .astype('int8')\n"},
           Case{"<i8", ElementType::kInt8, "give |i1 or |u1, e.g. by numpy's .astype('int8')\n"},
           Case{">i4", ElementType::kInt8, "give |i1 or |u1, e.g. by numpy's .astype('int8')\n"},
           Case{"<i4", ElementType::kBf16,
                "give <f2 or <f4 or <f8, e.g. by numpy's .astype('float32')\n"},
           Case{"|i1", ElementType::kFp16, ".astype('float32'), or choose --array.dtype int8\n"},
           Case{"<f4", ElementType::kInt8, ".astype('int8'), or choose --array.dtype bf16\n"},
           Case{"|u1", ElementType::kInt32, "give |i1 or <i4, e.g. by numpy's .astype('int32')\n"},
           Case{"|u1", ElementType::kFloat32, ".astype('float32')\n"},
           Case{"<i4", ElementType::kFloat32, ", or choose --array.dtype int8\n"},
           Case{">f4", ElementType::kBf16, "save it little-endian, e.g. .astype('<f4')\n"},
       }) {
    const std::string file =
        folder_.write("x.npy", npy(c.descr, "(1, 1)", std::vector<std::int32_t>{1}));
    try {
      read_npy(file, NpyContent::kHeader, c.wanted);
      ADD_FAILURE() << c.descr << ": no error";
    } catch (const InputError& error) {
      const std::string line = std::string(error.what()) + "\n";
      EXPECT_TRUE(line.ends_with(c.advice)) << line;
    }
  }
}

TEST_F(NpyTest, AByteHasNoOrder) {
  for (const char* descr : {"i1", "<i1", "=i1", ">i1", "|i1"}) {
    EXPECT_EQ(read(npy(descr, "(2, 3)", kSix)).type, NpyType::kInt8) << descr;
  }
  for (const char* descr : {"u1", "<u1", "=u1", ">u1", "|u1"}) {
    EXPECT_EQ(read(npy(descr, "(2, 3)", kSix)).type, NpyType::kUint8) << descr;
  }
  for (const char* descr : {"", "<", "<<i1", "i", "1"}) message(npy(descr, "(2, 3)", kSix));
}

TEST_F(NpyTest, SurvivesEveryTruncationAndEveryChangedByte) {
  const std::string whole = npy("|i1", "(2, 3)", kSix);
  int accepted = 0;
  int refused = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) message(whole.substr(0, size));
  for (std::size_t at = 0; at + kSix.size() < whole.size(); ++at) {
    for (const char value : {'\0', '9', '(', '\xFF'}) {
      std::string changed = whole;
      changed[at] = value;
      const std::string file = folder_.write("x.npy", changed);
      try {
        matrix_shape(read_npy(file));
        ++accepted;
      } catch (const InputError&) {
        ++refused;  // any other exception fails the test
      }
    }
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refused, 100);
}

TEST_F(NpyTest, RefusesFoldersAndMissingFiles) {
  EXPECT_THROW(read_npy(folder_.file("missing.npy")), InputError);
  EXPECT_THROW(read_npy(folder_.file(".")), InputError);
}

}  // namespace
}  // namespace weft::runtime
