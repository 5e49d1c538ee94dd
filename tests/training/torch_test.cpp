// Ten steps of digits-mlp have the losses that PyTorch has with the same weights and images. The
// losses below were printed by
//
//   /usr/bin/python3 tests/training/torch_losses.py FOLDER
//
// of PyTorch 1.13 (Debian's python3-torch); where that is installed, it is run again.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "models/data/digits8x8.h"
#include "models/networks/networks.h"
#include "models/training/cpu_backend.h"
#include "models/training/shuffle.h"
#include "models/training/trainer.h"
#include "tests/cli/temporary_folder.h"

namespace weft::test {
namespace {

constexpr std::int64_t kBatch = 32;
constexpr std::size_t kSteps = 10;
constexpr std::array<double, kSteps> kRecorded = {2.56756067, 2.36642623, 2.44041204, 2.29596496,
                                                  2.32739043, 2.23168254, 2.11940336, 2.05725193,
                                                  2.00968695, 2.21635175};
constexpr double kTolerance = 1e-4;

class TorchTest : public testing::Test {
 protected:
  TorchTest()
      : network_(networks::build_network("digits-mlp", {.batch = kBatch})),
        data_(data::digits8x8()),
        trainer_(network_, data_, options(), training::prepare_on_cpu) {}

  static training::TrainerOptions options() {
    training::TrainerOptions options;
    options.optimizer.learning_rate = 0.05;
    options.optimizer.momentum = 0.9;
    options.optimizer.weight_decay = 1e-4;
    return options;
  }

  std::vector<double> losses() {
    std::vector<double> list;
    for (std::size_t i = 0; i < kSteps; ++i) list.push_back(trainer_.step());
    return list;
  }

  graph::Graph network_;
  data::Dataset data_;
  training::Trainer trainer_;
};

TEST_F(TorchTest, TenStepsHaveTheRecordedLosses) {
  const std::vector<double> own = losses();
  for (std::size_t i = 0; i < kSteps; ++i) EXPECT_NEAR(own[i], kRecorded[i], kTolerance) << i;
}

#ifdef WEFT_TORCH_PYTHON

void append(std::ofstream& file, const graph::Tensor& tensor) {
  const std::span<const float> numbers = tensor.data<float>();
  file.write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size_bytes()));
}

/// What torch_losses.py reads.
void write_inputs(const TemporaryFolder& folder, const training::NamedTensors& weights,
                  const data::Examples& train) {
  for (const auto& [name, tensor] : weights) {
    std::ofstream file(folder.file(name + ".bin"), std::ios::binary);
    append(file, tensor);
  }
  std::ofstream images(folder.file("images.bin"), std::ios::binary);
  std::ofstream targets(folder.file("targets.bin"), std::ios::binary);
  const std::vector<std::uint32_t> order =
      training::epoch_order(static_cast<std::uint32_t>(train.count()), 1, 0);
  for (std::size_t i = 0; i < kSteps; ++i) {
    const std::span numbers = std::span(order).subspan(i * kBatch, kBatch);
    append(images, data::image_batch(train, numbers, {kBatch, 64}));
    append(targets, data::target_batch(train, numbers, kBatch, 10));
  }
}

/// The numbers that PyTorch printed.
std::vector<double> torch_losses(const TemporaryFolder& folder) {
  const std::string printed = folder.file("losses.txt");
  const std::string command = std::string(WEFT_TORCH_PYTHON) + " " + WEFT_TORCH_SCRIPT + " " +
                              folder.file(".") + " > " + printed;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream file(printed);
  return {std::istream_iterator<double>(file), std::istream_iterator<double>()};
}

TEST_F(TorchTest, PyTorchHereHasThemToo) {
  const TemporaryFolder folder;
  write_inputs(folder, trainer_.weights(), data_.train);
  const std::vector<double> torch = torch_losses(folder);
  const std::vector<double> own = losses();
  ASSERT_EQ(torch.size(), kSteps);
  for (std::size_t i = 0; i < kSteps; ++i) {
    EXPECT_NEAR(own[i], torch[i], kTolerance) << i;
    EXPECT_NEAR(kRecorded[i], torch[i], kTolerance) << i;
  }
}

#else

TEST_F(TorchTest, PyTorchHereHasThemToo) {
  GTEST_SKIP() << "no PyTorch for Debian's python3 (python3-torch); the recorded losses stand";
}

#endif

}  // namespace
}  // namespace weft::test
