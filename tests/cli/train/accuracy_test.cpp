// Measures how well networks learn the digits: on the CPU, on the simulated machine in bf16 and
// fp16, and after quantization to int8. The project sets the goals itself. Test images are never
// used for training.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compiler/onnx/import.h"
#include "models/data/digits8x8.h"
#include "models/reference/cpu/evaluate.h"
#include "models/reference/cuda/device/cuda_device.h"
#include "models/training/cpu_backend.h"
#include "models/training/trainer.h"
#include "runtime/compile.h"
#include "tests/cli/temporary_folder.h"
#include "tests/cli/weft_process.h"

namespace weft::test {
namespace {

using nlohmann::json;

/// Returns the accuracy on the test images after the last epoch.
double trained_accuracy(const std::string& network, const Words& more) {
  Words words = {"train", network, "--json", "-"};
  words.insert(words.end(), more.begin(), more.end());
  const Finished finished = run_weft(words);
  EXPECT_EQ(finished.code, 0) << finished.err;
  return json::parse(finished.out).at("epochs").back().at("test").at("accuracy").get<double>();
}

/// Quantizes the saved network to int8, calibrated on 64 training images. Returns its test
/// accuracy.
double quantized_accuracy(const std::string& file) {
  const data::Dataset digits = data::digits8x8();
  const graph::Graph one =
      onnx_io::import_onnx(file, {.evaluate = reference::evaluate, .batch = 1});
  const training::ClassifierShape shape = training::classifier_shape(one);
  std::vector<runtime::NamedTensors> samples;
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::vector<std::uint32_t> number = {i * 20};
    samples.push_back({{shape.input, data::image_batch(digits.train, number, shape.image_shape)}});
  }
  const graph::Graph quantized = runtime::quantized_network(one, samples);
  EXPECT_TRUE(runtime::is_quantized(quantized));
  const training::Executor run =
      training::prepare_on_cpu(training::evaluation_graph(quantized, {}));
  return training::evaluate(run, shape, digits.test, {}).accuracy();
}

void learn(const std::string& network, const std::string& epochs, double goal) {
  const TemporaryFolder folder;
  const std::string file = folder.file("model.onnx");
  const double cpu = trained_accuracy(network, {"--epochs", epochs, "--save", file});
  const double bf16 = trained_accuracy(network, {"--epochs", epochs, "--backend", "sim"});
  const double fp16 =
      trained_accuracy(network, {"--epochs", epochs, "--backend", "sim", "--dtype", "fp16"});
  const double saved = trained_accuracy(file, {"--epochs", "0"});
  const double int8 = quantized_accuracy(file);
  EXPECT_GE(cpu, goal);
  EXPECT_GE(bf16, goal);
  EXPECT_NEAR(bf16, cpu, 0.01);
  EXPECT_NEAR(fp16, cpu, 0.01);
  EXPECT_EQ(saved, cpu);
  EXPECT_NEAR(int8, cpu, 0.01);
  std::printf("%s: cpu %.2f %%, sim bf16 %.2f %%, sim fp16 %.2f %%, int8 %.2f %%\n",
              network.c_str(), 100 * cpu, 100 * bf16, 100 * fp16, 100 * int8);
}

TEST(TrainAccuracyTest, IsThatOfTheCpuOnACudaDevice) {
  const cuda::Availability cuda = cuda::cuda_available();
  if (!cuda.available) GTEST_SKIP() << "no CUDA device: " << cuda.reason;
  const double cpu = trained_accuracy("digits-mlp", {});
  for (const std::string type : {"float32", "bf16", "fp16"}) {
    const double accuracy = trained_accuracy("digits-mlp", {"--backend", "cuda", "--dtype", type});
    EXPECT_NEAR(accuracy, cpu, 0.01) << type;
  }
}

TEST(TrainAccuracyTest, ThePerceptronKnowsNineteenDigitsOfTwenty) {
  learn("digits-mlp", "20", 0.95);
}

TEST(TrainAccuracyTest, TheConvolutionsKnowNinetySevenOfAHundred) {
  learn("digits-cnn", "10", 0.97);
}

}  // namespace
}  // namespace weft::test
