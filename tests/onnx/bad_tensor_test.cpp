// Every unusable tensor must give a one-line error that names the file, the place and the problem,
// whether its elements are in the model, in a file beside it, or in a tensor file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "compiler/onnx/tensor_file.h"
#include "tests/onnx/models.h"

namespace weft::onnx_io {
namespace {

using ::onnx::TensorProto;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing_support::error_of;
using testing_support::Model;
using testing_support::TemporaryFolder;

/// The error if the output w, an initializer of 2 floats, gets this change.
std::string error_of_tensor(const std::function<void(TensorProto&)>& change) {
  Model model;
  model.output("w");
  TensorProto& tensor = model.initializer("w", TensorProto::FLOAT, {2});
  change(tensor);
  return error_of([&] { model.import(); });
}

TEST(BadTensorTest, RefusesShapesThatOverflow) {
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_THAT(error_of_tensor([&](TensorProto& tensor) {
                tensor.add_dims(huge);
                tensor.add_dims(huge);
                tensor.set_raw_data("abc");
              }),
              HasSubstr("initializer 'w': shape 2x1099511627776x1099511627776: the number of "
                        "elements overflows"));
  EXPECT_THAT(error_of_tensor([&](TensorProto& tensor) {
                tensor.add_dims(std::int64_t{1} << 60);
                tensor.set_raw_data("abc");
              }),
              HasSubstr("initializer 'w': float32 2x1152921504606846976"));
  EXPECT_THAT(error_of_tensor([](TensorProto& tensor) { tensor.set_dims(0, -2); }),
              HasSubstr("initializer 'w': shape -2: an extent is negative"));
}

TEST(BadTensorTest, RefusesElementsThatDoNotFit) {
  EXPECT_EQ(error_of_tensor([](TensorProto& tensor) { tensor.add_float_data(1); }),
            "test.onnx: initializer 'w': float32 2 needs 2 elements, the file has 1");
  EXPECT_EQ(error_of_tensor([](TensorProto& tensor) { tensor.set_raw_data("123456789"); }),
            "test.onnx: initializer 'w': float32 2 needs 8 bytes, the file has 9");
  EXPECT_EQ(error_of_tensor([](TensorProto& tensor) {
              tensor.set_raw_data("12345678");
              tensor.add_float_data(1);
            }),
            "test.onnx: initializer 'w': its elements are stored twice");
  EXPECT_EQ(error_of_tensor([](TensorProto& tensor) {
              tensor.set_data_type(TensorProto::INT8);
              tensor.add_int32_data(1);
              tensor.add_int32_data(128);
            }),
            "test.onnx: initializer 'w': element 128 is out of its type's range");
  EXPECT_EQ(error_of_tensor([](TensorProto& tensor) {
              tensor.set_data_type(TensorProto::FLOAT16);
              tensor.add_int32_data(-1);
              tensor.add_int32_data(1);
            }),
            "test.onnx: initializer 'w': element -1 is out of its type's range");
  EXPECT_EQ(error_of_tensor([](TensorProto& tensor) { tensor.mutable_segment()->set_begin(0); }),
            "test.onnx: initializer 'w': tensors in segments are not supported");
}

class ExternalDataTest : public ::testing::Test {
 protected:
  ExternalDataTest() {
    std::filesystem::create_directories(folder_.path() / "model");
    folder_.write("model/w.bin", std::string(16, '\0'));
    folder_.write("secret.bin", std::string(16, 's'));
  }

  using Entries = std::vector<std::pair<std::string, std::string>>;

  /// The error text after the file name and the initializer's name.
  std::string error(const Entries& entries) const {
    Model model;
    model.output("w");
    TensorProto& tensor = model.initializer("w", TensorProto::FLOAT, {4});
    tensor.set_data_location(TensorProto::EXTERNAL);
    for (const auto& [key, value] : entries) {
      auto& added = *tensor.add_external_data();
      added.set_key(key);
      added.set_value(value);
    }
    const std::string path = folder_.write("model/net.onnx", model.bytes());
    const std::string text = error_of([&] { import_onnx(path); });
    const std::string where = path + ": initializer 'w': external data: ";
    EXPECT_THAT(text, StartsWith(where));
    return text.substr(std::min(text.size(), where.size()));
  }

  const TemporaryFolder folder_;
};

TEST_F(ExternalDataTest, StaysInsideTheModelsFolder) {
  EXPECT_EQ(error({{"location", "../secret.bin"}}),
            "'../secret.bin' is outside the model's folder");
  const std::string absolute = (folder_.path() / "model/w.bin").string();
  EXPECT_THAT(error({{"location", absolute}}), HasSubstr("is outside the model's folder"));
  EXPECT_THAT(error({{"location", "/etc/passwd"}}), HasSubstr("is outside the model's folder"));
}

TEST_F(ExternalDataTest, StaysInsideThroughSymbolicLinks) {
  std::filesystem::create_symlink(folder_.path() / "secret.bin", folder_.path() / "model/link.bin");
  std::filesystem::create_directory_symlink(folder_.path(), folder_.path() / "model/up");
  EXPECT_EQ(error({{"location", "link.bin"}}), "'link.bin' is outside the model's folder");
  EXPECT_EQ(error({{"location", "up/secret.bin"}}),
            "'up/secret.bin' is outside the model's folder");
}

TEST_F(ExternalDataTest, DoesNotTakeAFolderOfSimilarNameForTheModels) {
  folder_.write("model2/w.bin", std::string(16, '\0'));
  EXPECT_THAT(error({{"location", "../model2/w.bin"}}), HasSubstr("outside the model's folder"));
}

TEST_F(ExternalDataTest, HasNoZeroByteInItsPlace) {
  const std::string location("w.bin\0x", 7);
  EXPECT_THAT(error({{"location", location}}), HasSubstr("holds a zero byte"));
}

TEST_F(ExternalDataTest, MustExist) {
  EXPECT_EQ(error({{"location", "none.bin"}}), "there is no file 'none.bin' in the model's folder");
  EXPECT_EQ(error({{"location", "."}}), "there is no file '.' in the model's folder");
  EXPECT_EQ(error({}), "no location is given");
}

TEST_F(ExternalDataTest, MustHoldTheElements) {
  EXPECT_EQ(error({{"location", "w.bin"}, {"offset", "1"}}),
            "16 bytes from offset 1 are beyond the end of 'w.bin'");
  EXPECT_EQ(error({{"location", "w.bin"}, {"offset", "18446744073709551615"}}),
            "16 bytes from offset 18446744073709551615 are beyond the end of 'w.bin'");
  EXPECT_EQ(error({{"location", "w.bin"}, {"length", "8"}}),
            "length is 8, but the elements take 16 bytes");
  EXPECT_EQ(error({{"location", "w.bin"}, {"offset", "-4"}}),
            "offset = '-4' is not a number of bytes");
  EXPECT_EQ(error({{"location", "w.bin"}, {"length", "16x"}}),
            "length = '16x' is not a number of bytes");
}

TEST_F(ExternalDataTest, NeedsAFolder) {
  EXPECT_EQ(
      error_of_tensor([](TensorProto& tensor) { tensor.set_data_location(TensorProto::EXTERNAL); }),
      "test.onnx: initializer 'w': external data: the model has no folder to find it in");
}

TEST(BadTensorFileTest, NamesTheFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([] { read_tensor_pb("/nowhere/input_0.pb"); }),
            "/nowhere/input_0.pb: cannot be opened");
  const std::string text = folder.write("text.pb", "no protobuf");
  EXPECT_EQ(error_of([&] { read_tensor_pb(text); }),
            text + ": is not an ONNX tensor, or is broken or cut short");
  const std::string empty = folder.write("empty.pb", "");
  EXPECT_EQ(error_of([&] { read_tensor_pb(empty); }),
            empty + ": element type UNDEFINED is not supported");
}

}  // namespace
}  // namespace weft::onnx_io
