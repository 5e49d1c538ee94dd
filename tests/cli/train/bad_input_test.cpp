// `weft train` refuses bad input: exit code 2, one line that names fault and place, no file lost.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "models/reference/cuda/device/cuda_device.h"
#include "runtime/npy/npy_tensor.h"
#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

using graph::Tensor;

const Words kTrain = {"train", "digits-mlp", "--epochs", "1"};

/// Returns the message without "weft: " and without the line's end.
std::string refusal(const Words& words) {
  const Finished finished = run_weft(words);
  EXPECT_EQ(finished.code, 2) << finished.out << finished.err;
  EXPECT_TRUE(finished.err.starts_with("weft: ")) << finished.err;
  EXPECT_EQ(finished.err.find('\n'), finished.err.size() - 1) << finished.err;
  return finished.err.substr(6, finished.err.size() - 7);
}

void expect_refusal(const Words& more, const std::string& part) {
  const std::string message = refusal(kTrain + more);
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(TrainOptionsTest, AreCheckedFirst) {
  EXPECT_NE(refusal({"train"}).find("no network"), std::string::npos);
  EXPECT_NE(refusal({"train", "digits-mpl"}).find("did you mean digits-mlp?"), std::string::npos);
  EXPECT_NE(refusal({"train", "none.onnx"}).find("none.onnx"), std::string::npos);
  expect_refusal({"--backend", "tpu"}, "--backend 'tpu': unknown; must be one of cpu, cuda, sim");
  expect_refusal({"--optimizer", "lion"}, "must be one of sgd, adam, adamw");
  expect_refusal({"--dtype", "int8"}, "must be one of float32, bf16, fp16");
  expect_refusal({"--dtype", "bf16"}, "the cpu backend computes in float32");
  expect_refusal({"--backend", "sim", "--dtype", "float32"}, "give one of these");
  expect_refusal({"--backend", "sim", "--machine", "tpu-v1"}, "cannot train");
  expect_refusal({"--backend", "sim", "--dtype", "bf16", "--array.dtype", "fp16"}, "drop one");
  expect_refusal({"--backend", "sim", "--engine", "analytic"}, "computes no values");
  expect_refusal({"--machine", "tiny"}, "--machine: is for --backend sim");
  expect_refusal({"--array.rows", "8"}, "--array.rows: is for --backend sim");
  expect_refusal({"--learning-rate", "-1"}, "--learning-rate '-1': must be a number from 0 to");
  expect_refusal({"--learning-rate", "nan"}, "must be a number");
  expect_refusal({"--learning-rate", "1x"}, "must be a number");
  expect_refusal({"--momentum", "2"}, "from 0 to 1");
  expect_refusal({"--optimizer", "adam", "--momentum", "0.5"}, "is for --optimizer sgd");
  expect_refusal({"--momentum", "0", "--nesterov"}, "--nesterov");
  expect_refusal({"--batch", "0"}, "--batch");
  expect_refusal({"--batch", "1439"}, "less than a batch of 1439");
  expect_refusal({"--resume"}, "--resume: needs --checkpoint DIR");
  expect_refusal({"--checkpoint-steps", "3"}, "needs --checkpoint DIR");
  expect_refusal({"--save", "/no/such/folder/x.onnx"}, "/no/such/folder/x.onnx");
  expect_refusal({"--save", "-"}, "only --json can go to stdout");
  expect_refusal({"--save", "x.csv", "--log", "x.csv"}, "named by both --save and --log");
}

TEST(TrainOptionsTest, NameNetworksThatAreNoClassifiersOfTheseImages) {
  EXPECT_NE(refusal({"train", "lenet5"}).find("images are 8x8, the network takes 1x28x28"),
            std::string::npos);
  EXPECT_NE(refusal({"train", "bert-base"}).find("bert-base: has 2 inputs and 2 outputs"),
            std::string::npos);
  EXPECT_NE(refusal({"train", "gpt2"}).find("gpt2: input 'input_ids' is int64"), std::string::npos);
}

TEST(TrainBackendTest, SaysWhyThereIsNoCudaDevice) {
  const cuda::Availability cuda = cuda::cuda_available();
  if (cuda.available) GTEST_SKIP() << "there is a CUDA device";
  EXPECT_EQ(refusal(kTrain + Words{"--backend", "cuda"}),
            "--backend cuda: no CUDA device: " + cuda.reason);
}

// --- Data ---------------------------------------------------------------------------------------

std::string idx(const std::vector<std::uint8_t>& shape, std::size_t size, char value) {
  std::string text = {0, 0, 8, static_cast<char>(shape.size())};
  for (const std::uint8_t extent : shape) text += std::string{0, 0, 0, static_cast<char>(extent)};
  text.append(size, value);
  return text;
}

/// Holds 40 training images of 8 x 8, all of one value, and 3 test images.
class TrainDataTest : public testing::Test {
 protected:
  TrainDataTest() {
    folder_.write("train-images-idx3-ubyte", idx({40, 8, 8}, 2560, 1));
    folder_.write("train-labels-idx1-ubyte", idx({40}, 40, 7));
    folder_.write("t10k-images-idx3-ubyte", idx({3, 8, 8}, 192, 1));
    folder_.write("t10k-labels-idx1-ubyte", idx({3}, 3, 7));
  }

  std::string message() { return refusal(kTrain + Words{"--data", folder_.file("")}); }
  std::string path(const std::string& name) { return folder_.file("") + name; }

  TemporaryFolder folder_;
};

TEST_F(TrainDataTest, IsReadFromIdxFiles) {
  const Finished finished = run_weft(kTrain + Words{"--data", folder_.file("")});
  EXPECT_EQ(finished.code, 0) << finished.err;
  EXPECT_NE(finished.out.find("40 images to train, 3 to test"), std::string::npos) << finished.out;
}

TEST_F(TrainDataTest, IsReadFromNpyFilesOfBytesOrFloats) {
  const TemporaryFolder npy;
  const auto labels = [](std::int64_t count) {
    return Tensor::of<std::int64_t>({count},
                                    std::vector<std::int64_t>(static_cast<std::size_t>(count), 7));
  };
  npy.write("train_labels.npy", runtime::encode_npy(labels(40)));
  npy.write("test_labels.npy", runtime::encode_npy(labels(3)));
  npy.write("train_images.npy", runtime::encode_npy(Tensor::of<std::uint8_t>(
                                    {40, 8, 8}, std::vector<std::uint8_t>(2560, 1))));
  npy.write("test_images.npy",
            runtime::encode_npy(Tensor::of<float>({3, 64}, std::vector<float>(192, 1.0F / 255))));
  const Words to_stdout = {"--json", "-"};
  const Finished from_npy = run_weft(kTrain + to_stdout + Words{"--data", npy.file("")});
  const Finished from_idx = run_weft(kTrain + to_stdout + Words{"--data", folder_.file("")});
  EXPECT_EQ(from_npy.code, 0) << from_npy.err;
  const auto losses = [](const std::string& text) {
    const std::size_t first = text.find("\"train\": {");
    return text.substr(first, text.find("loss_scale") - first);
  };
  EXPECT_EQ(losses(from_npy.out), losses(from_idx.out));
}

TEST_F(TrainDataTest, NamesTheFilesThatAreMissing) {
  std::filesystem::remove(folder_.file("t10k-labels-idx1-ubyte"));
  EXPECT_EQ(message(), folder_.file("") +
                           ": has neither t10k-labels-idx1-ubyte nor t10k-labels-idx1-ubyte.gz nor "
                           "test_labels.npy; give a folder with them");
  EXPECT_NE(refusal(kTrain + Words{"--data", "/no/such"}).find("/no/such: is not a folder"),
            std::string::npos);
}

TEST_F(TrainDataTest, NamesFilesThatDoNotBelongTogether) {
  folder_.write("train-labels-idx1-ubyte", idx({39}, 39, 7));
  EXPECT_EQ(message(), path("train-labels-idx1-ubyte") + ": has 39 labels, " +
                           path("train-images-idx3-ubyte") +
                           " has 40 images; give files that belong together");
}

TEST_F(TrainDataTest, NamesFilesThatAreCutOrOfAnotherKind) {
  folder_.write("train-images-idx3-ubyte", idx({40, 8, 8}, 2559, 1));
  EXPECT_EQ(message(), path("train-images-idx3-ubyte") +
                           ": ends inside the elements; copy or download it again");
  folder_.write("train-images-idx3-ubyte", idx({40}, 40, 7));
  EXPECT_NE(message().find("not an IDX file of images"), std::string::npos);
}

TEST_F(TrainDataTest, NamesLabelsOutOfRange) {
  std::string labels = idx({40}, 40, 7);
  labels[8 + 17] = 10;
  folder_.write("train-labels-idx1-ubyte", labels);
  EXPECT_EQ(message(),
            path("train-labels-idx1-ubyte") +
                ": label 10 of image 17 is out of range; the network has classes 0 to 9");
}

TEST_F(TrainDataTest, NamesImagesOfAnotherSize) {
  folder_.write("t10k-images-idx3-ubyte", idx({3, 8, 9}, 216, 1));
  EXPECT_NE(message().find("images are 8x9, the network takes 64"), std::string::npos);
}

TEST_F(TrainDataTest, RefusesNpyFilesOfOtherTypes) {
  const TemporaryFolder npy;
  const auto refused = [&] { return refusal(kTrain + Words{"--data", npy.file("")}); };
  const std::string images = runtime::encode_npy(Tensor(graph::DataType::kFloat32, {40, 64}));
  const std::string labels = runtime::encode_npy(Tensor(graph::DataType::kInt32, {40}));
  npy.write("train_images.npy", images);
  npy.write("test_images.npy", images);
  npy.write("train_labels.npy", labels);
  npy.write("test_labels.npy", runtime::encode_npy(Tensor(graph::DataType::kFloat32, {40})));
  EXPECT_NE(refused().find("test_labels.npy: holds float32; labels are integers"),
            std::string::npos);
  npy.write("test_labels.npy", runtime::encode_npy(Tensor(graph::DataType::kInt32, {40, 1})));
  EXPECT_NE(refused().find("labels are [count]"), std::string::npos);
  npy.write("test_labels.npy", runtime::encode_npy(Tensor::of<std::int32_t>({1}, {-1})));
  EXPECT_NE(refused().find("label -1 of image 0"), std::string::npos);
  npy.write("train_images.npy", runtime::encode_npy(Tensor(graph::DataType::kFloat64, {40, 64})));
  EXPECT_NE(refused().find("train_images.npy: holds float64; images are uint8 or float32"),
            std::string::npos);
  npy.write("train_images.npy", runtime::encode_npy(Tensor::of<float>(
                                    {40, 64}, std::vector<float>(2560, 1.0F / 0.0F))));
  EXPECT_NE(refused().find("infinite or NaN"), std::string::npos);
}

// --- Checkpoints --------------------------------------------------------------------------------

class TrainCheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    const Finished finished = run_weft(kTrain + kept_);
    ASSERT_EQ(finished.code, 0) << finished.err;
    saved_ = folder_.read("c/checkpoint.weft");
  }
  std::string resumed(const Words& more) {
    std::string message = refusal(kTrain + kept_ + Words{"--resume"} + more);
    EXPECT_EQ(folder_.read("c/checkpoint.weft"), saved_);
    const std::string file = folder_.file("c/checkpoint.weft");
    EXPECT_TRUE(message.starts_with(file + ": ")) << message;
    return message.substr(std::min(message.size(), file.size() + 2));
  }

  TemporaryFolder folder_;
  Words kept_ = {"--checkpoint", folder_.file("c")};
  std::string saved_;
};

TEST_F(TrainCheckpointTest, OfAnotherRunIsRefused) {
  EXPECT_EQ(resumed({"--batch", "16"}),
            "was written with --batch '32', this run has '16'; use the same or another "
            "--checkpoint");
  EXPECT_NE(resumed({"--seed", "2"}).find("--seed '1', this run has '2'"), std::string::npos);
  EXPECT_NE(resumed({"--learning-rate", "0.1"}).find("--optimizer 'sgd, learning rate 0.05"),
            std::string::npos);
  EXPECT_NE(resumed({"--backend", "sim"}).find("--backend 'cpu', this run has 'sim'"),
            std::string::npos);
  const std::string other =
      refusal({"train", "digits-cnn", "--resume", "--checkpoint", folder_.file("c")});
  EXPECT_NE(other.find("was written with network 'digits-mlp "), std::string::npos) << other;
}

TEST_F(TrainCheckpointTest, OfOtherDataIsRefused) {
  const TemporaryFolder data;
  data.write("train-images-idx3-ubyte", idx({40, 8, 8}, 2560, 1));
  data.write("train-labels-idx1-ubyte", idx({40}, 40, 7));
  data.write("t10k-images-idx3-ubyte", idx({3, 8, 8}, 192, 1));
  data.write("t10k-labels-idx1-ubyte", idx({3}, 3, 7));
  EXPECT_NE(resumed({"--data", data.file("")}).find("--data '1438 + 359 images "),
            std::string::npos);
}

TEST_F(TrainCheckpointTest, IsNotReplacedByANewRun) {
  const std::string message = refusal(kTrain + kept_);
  EXPECT_NE(message.find("there is a checkpoint already; give --resume, or another folder"),
            std::string::npos);
  EXPECT_EQ(folder_.read("c/checkpoint.weft"), saved_);
}

TEST_F(TrainCheckpointTest, ThatIsNoneIsRefused) {
  saved_ = "not a checkpoint";
  folder_.write("c/checkpoint.weft", saved_);
  EXPECT_EQ(resumed({}), "is not a Weft checkpoint; choose another folder");
  EXPECT_NE(refusal(kTrain + Words{"--resume", "--checkpoint", folder_.file("d")})
                .find("d/checkpoint.weft: no such checkpoint; begin without --resume"),
            std::string::npos);
}

TEST_F(TrainCheckpointTest, StaysWhenTheLossIsNoNumberAnyMore) {
  const TemporaryFolder folder;
  const Words words = {
      "train", "digits-mlp",          "--learning-rate", "1e20",   "--epochs",
      "9",     "--checkpoint",        folder.file("c"),  "--save", folder.file("m.onnx"),
      "--log", folder.file("log.csv")};
  const std::string message = refusal(words);
  EXPECT_TRUE(message.starts_with("step ")) << message;
  EXPECT_NE(message.find(" (epoch "), std::string::npos) << message;
  EXPECT_NE(message.find("not finite come from node '"), std::string::npos) << message;
  EXPECT_NE(message.find("c/checkpoint.weft has step "), std::string::npos) << message;
  EXPECT_TRUE(std::filesystem::exists(folder.file("c/checkpoint.weft")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("log.csv")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("m.onnx")));
}

}  // namespace
}  // namespace weft::test
