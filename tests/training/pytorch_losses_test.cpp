// Compares ten steps of digits-mlp with PyTorch, with the same initial weights and batches. The
// recorded losses come from PyTorch 1.13.1; if PyTorch is installed (Debian: python3-torch), the
// test also runs it. To record again: `python3 tests/training/pytorch_losses.py FOLDER METHOD
// OPTIONS`, with the folder that this test writes.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "models/data/digits8x8.h"
#include "models/networks/networks.h"
#include "models/training/cpu_backend.h"
#include "models/training/shuffle.h"
#include "models/training/trainer.h"
#include "tests/cli/temporary_folder.h"

namespace weft::training {
namespace {

using Losses = std::array<double, 10>;

constexpr double kTolerance = 1e-4;
constexpr std::uint64_t kSeed = 1;
constexpr std::size_t kBatch = 32;

struct Case {
  std::string name;
  OptimizerOptions options;
  std::string words;  // the same options for PyTorch
  Losses recorded;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"Sgd",
       {.learning_rate = 0.1},
       "sgd lr=0.1",
       {{2.56756067, 2.3379848, 2.41819882, 2.29460335, 2.35603952, 2.28008723, 2.10647058,
         2.16292119, 2.11901259, 2.23113298}}},
      {"Momentum",
       {.learning_rate = 0.05, .momentum = 0.9, .weight_decay = 0.01},
       "sgd lr=0.05 momentum=0.9 weight_decay=0.01",
       {{2.56756067, 2.36621714, 2.43962097, 2.29545569, 2.32642102, 2.23155832, 2.12174845,
         2.06075668, 2.01485062, 2.21765351}}},
      {"Nesterov",
       {.learning_rate = 0.05, .momentum = 0.9, .nesterov = true},
       "sgd lr=0.05 momentum=0.9 nesterov=True",
       {{2.56756067, 2.34059167, 2.40028572, 2.25566483, 2.28562403, 2.2061491, 2.07535481,
         2.01182222, 1.94174063, 2.1656661}}},
      {"Adam",
       {.method = Method::kAdam, .learning_rate = 0.01, .weight_decay = 0.1},
       "adam lr=0.01 weight_decay=0.1",
       {{2.56756067, 2.29573321, 2.31513858, 2.21446514, 2.22513413, 2.17428684, 2.09391522,
         2.0135262, 2.00575686, 2.13728356}}},
      {"AdamW",
       {.method = Method::kAdamW, .learning_rate = 0.01, .weight_decay = 0.5},
       "adamw lr=0.01 weight_decay=0.5",
       {{2.56756067, 2.28195, 2.26553965, 2.17052174, 2.14873648, 2.12807393, 1.99314237, 1.8626914,
         1.819484, 1.97854841}}},
  };
  return kCases;
}

class PytorchLossesTest : public testing::TestWithParam<std::size_t> {
 protected:
  const Case& given() const { return cases()[GetParam()]; }

  Losses losses() const {
    Trainer trainer(network_, digits_, {.optimizer = given().options, .seed = kSeed},
                    prepare_on_cpu);
    Losses losses = {};
    for (double& loss : losses) loss = trainer.step();
    return losses;
  }

  /// PyTorch's losses on this machine; empty if it is not installed.
  std::vector<double> asked() const {
    const test::TemporaryFolder folder;
    write_weights(folder);
    write_batches(folder);
    const std::string command = std::string(WEFT_PYTHON " " WEFT_PYTORCH_LOSSES " ") +
                                folder.file("") + " " + given().words + " > " +
                                folder.file("losses") + " 2> /dev/null";
    if (std::system(command.c_str()) != 0) return {};
    std::istringstream text(folder.read("losses"));
    std::vector<double> losses;
    for (double loss = 0; text >> loss;) losses.push_back(loss);
    return losses;
  }

 private:
  template <class T>
  static void write(const test::TemporaryFolder& folder, const std::string& name,
                    std::span<const T> values) {
    folder.write(name, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }

  void write_weights(const test::TemporaryFolder& folder) const {
    for (const graph::Value& value : network_.values) {
      if (!value.constant) continue;
      const graph::Tensor tensor = value.constant->tensor();
      write(folder, value.name, tensor.data<float>());
    }
  }

  void write_batches(const test::TemporaryFolder& folder) const {
    const auto count = static_cast<std::uint32_t>(digits_.train.count());
    const std::vector<std::uint32_t> order = epoch_order(count, kSeed, 0);
    const auto numbers = std::span(order).first(10 * kBatch);
    const graph::Tensor images = data::image_batch(digits_.train, numbers, {10 * kBatch, 64});
    std::vector<std::int32_t> labels;
    for (const std::uint32_t number : numbers) labels.push_back(digits_.train.labels[number]);
    write(folder, "images", images.data<float>());
    write(folder, "labels", std::span<const std::int32_t>(labels));
  }

  const graph::Graph network_ =
      networks::build_network("digits-mlp", {.batch = kBatch, .seed = kSeed});
  const data::Dataset digits_ = data::digits8x8();
};

TEST_P(PytorchLossesTest, AreThoseRecorded) {
  const Losses losses = this->losses();
  for (std::size_t i = 0; i < losses.size(); ++i) {
    EXPECT_NEAR(losses[i], given().recorded[i], kTolerance) << "step " << i + 1;
  }
}

TEST_P(PytorchLossesTest, AreThoseOfThePytorchHere) {
  const std::vector<double> asked = this->asked();
  if (asked.empty()) GTEST_SKIP() << "python3 has no torch (Debian: python3-torch)";
  const Losses losses = this->losses();
  ASSERT_EQ(asked.size(), losses.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    EXPECT_NEAR(losses[i], asked[i], kTolerance) << "step " << i + 1;
    EXPECT_NEAR(given().recorded[i], asked[i], kTolerance) << "step " << i + 1;
  }
}

INSTANTIATE_TEST_SUITE_P(Optimizers, PytorchLossesTest, testing::Range<std::size_t>(0, 5),
                         [](const auto& test) { return cases()[test.param].name; });

}  // namespace
}  // namespace weft::training
