// Reads .npy files as tensors of any rank and type, and writes them back.
#include "runtime/npy/npy_tensor.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/error.h"
#include "tests/cli/npy_bytes.h"
#include "tests/cli/temporary_folder.h"

namespace weft::runtime {
namespace {

using graph::DataType;
using graph::Shape;
using graph::Tensor;
using test::npy;

class NpyTensorTest : public testing::Test {
 protected:
  Tensor read(const std::string& content) {
    return to_tensor(read_npy(folder_.write("x.npy", content)));
  }

  test::TemporaryFolder folder_;
};

template <class T>
std::vector<T> elements(const Tensor& tensor) {
  const auto data = tensor.data<T>();
  return {data.begin(), data.end()};
}

TEST_F(NpyTensorTest, ReadsEveryTypeAsItIs) {
  EXPECT_EQ(read(npy<std::int8_t>("|i1", "(2,)", {-128, 127})),
            Tensor::vector<std::int8_t>({-128, 127}));
  EXPECT_EQ(read(npy<std::uint8_t>("|u1", "(2,)", {0, 255})),
            Tensor::vector<std::uint8_t>({0, 255}));
  EXPECT_EQ(read(npy<std::int32_t>("<i4", "(1,)", {INT32_MIN})),
            Tensor::vector<std::int32_t>({INT32_MIN}));
  EXPECT_EQ(read(npy<std::int64_t>("<i8", "(1,)", {INT64_MIN})),
            Tensor::vector<std::int64_t>({INT64_MIN}));
  EXPECT_EQ(read(npy<float>("<f4", "(1,)", {1.5F})), Tensor::vector<float>({1.5F}));
  EXPECT_EQ(read(npy<double>("<f8", "(1,)", {0.1})), Tensor::vector<double>({0.1}));
  const Tensor half = read(npy<std::uint16_t>("<f2", "(1,)", {0x3C01}));
  EXPECT_EQ(half, Tensor::vector<graph::Half>({{0x3C01}}));
  const Tensor bools = read(npy<char>("|b1", "(3,)", {1, 0, 1}));
  EXPECT_EQ(bools.type(), DataType::kBool);
  EXPECT_EQ(elements<bool>(bools), (std::vector<bool>{true, false, true}));
}

TEST_F(NpyTensorTest, ReadsAnyRank) {
  EXPECT_EQ(read(npy<float>("<f4", "()", {2})), Tensor::scalar(2.0F));
  EXPECT_EQ(read(npy<float>("<f4", "(1, 2, 1, 3)", {0, 1, 2, 3, 4, 5})),
            Tensor::of<float>({1, 2, 1, 3}, {0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(read(npy<float>("<f4", "(3, 0)", {})), Tensor(DataType::kFloat32, {3, 0}));
}

TEST_F(NpyTensorTest, BringsFortranOrderIntoRows) {
  // Element [i,j,k] of the 2 x 3 x 2 array is 100i + 10j + k. The first index varies fastest.
  const std::vector<std::int32_t> columns = {0, 100, 10, 110, 20, 120, 1, 101, 11, 111, 21, 121};
  const std::vector<std::int32_t> rows = {0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121};
  EXPECT_EQ(read(npy("<i4", "(2, 3, 2)", columns, true)), Tensor::of({2, 3, 2}, rows));
  EXPECT_EQ(read(npy<float>("<f4", "(3, 0)", {}, true)), Tensor(DataType::kFloat32, {3, 0}));
}

TEST_F(NpyTensorTest, RefusesABoolThatIsNone) {
  EXPECT_THROW(read(npy<char>("|b1", "(2,)", {1, 2})), InputError);
}

TEST_F(NpyTensorTest, RefusesAnExtentBeyondSigned) {
  EXPECT_THROW(read(npy<char>("|i1", "(0, 9223372036854775808)", {})), InputError);
}

TEST_F(NpyTensorTest, WritesWhatNumPyWrites) {
  const Tensor tensor = Tensor::of<std::int64_t>({1, 2}, {7, -1});
  std::string header = "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2), }";
  header.append(128 - 10 - 1 - header.size(), ' ').push_back('\n');
  EXPECT_EQ(encode_npy(tensor), test::npy_start(1, header) + test::bytes_of<std::int64_t>({7, -1}));
  EXPECT_NE(encode_npy(Tensor::vector<float>({1})).find("'shape': (1,), }"), std::string::npos);
  EXPECT_NE(encode_npy(Tensor::scalar(1.0F)).find("'shape': (), }"), std::string::npos);
}

TEST_F(NpyTensorTest, ReadsWhatItWrites) {
  for (const DataType type :
       {DataType::kFloat16, DataType::kFloat32, DataType::kFloat64, DataType::kInt8,
        DataType::kUint8, DataType::kInt32, DataType::kInt64, DataType::kBool}) {
    Tensor tensor(type, {2, 1, 3});
    std::uint8_t next = 0;
    for (std::byte& byte : tensor.mutable_bytes()) byte = static_cast<std::byte>(next++ % 2);
    EXPECT_EQ(read(encode_npy(tensor)), tensor) << to_string(type);
  }
}

}  // namespace
}  // namespace weft::runtime
