#include "models/training/checkpoint.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace weft::training {
namespace {

using graph::Tensor;

Checkpoint sample() {
  Checkpoint checkpoint;
  checkpoint.identity = {{"network", "mlp 0123"}, {"--seed", "7"}};
  TrainingState& state = checkpoint.state;
  state.values = {{"w", Tensor::of<float>({2, 2}, {1, -2, 3.5F, 0})},
                  {"velocity/w", Tensor::of<float>({2, 2}, {0, 1, 2, 3})},
                  {"scalar", Tensor::scalar<float>(4)}};
  state.epoch = 3;
  state.position = 11;
  state.step = 107;
  state.updates = 105;
  state.loss_scale = {.factor = 1024, .good_steps = 17, .skipped = 2};
  state.epoch_seconds = 1.25;
  state.log = {{.epoch = 1,
                .step = 32,
                .train_loss = 0.5,
                .train_accuracy = 0.75,
                .test_loss = 0.625,
                .test_accuracy = 0.5,
                .loss_scale = 2048,
                .seconds = 0.1,
                .cycles = {{"total", 99}, {"idle", 1}}},
               {.epoch = 2, .step = 64}};
  state.step_losses = {2.5, 2.25, 0.125};
  return checkpoint;
}

std::string message_of(std::string_view bytes) {
  try {
    decode_checkpoint(bytes, "FILE");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CheckpointTest, BringsEverythingBack) {
  const Checkpoint saved = sample();
  const Checkpoint read = decode_checkpoint(encode_checkpoint(saved), "FILE");
  EXPECT_EQ(read.identity, saved.identity);
  EXPECT_EQ(read.state, saved.state);
}

TEST(CheckpointTest, RefusesAFileCutAnywhere) {
  const std::string whole = encode_checkpoint(sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string message = message_of(std::string_view(whole).substr(0, size));
    EXPECT_TRUE(message.starts_with("FILE: ")) << size << ' ' << message;
  }
}

TEST(CheckpointTest, RefusesAFileWithAnyByteChanged) {
  const std::string whole = encode_checkpoint(sample());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    EXPECT_TRUE(message_of(changed).starts_with("FILE: ")) << at;
  }
}

TEST(CheckpointTest, RefusesBytesAfterItsEnd) {
  std::string bytes = encode_checkpoint(sample());
  bytes.push_back('x');
  EXPECT_NE(message_of(bytes), "");
}

TEST(CheckpointTest, NamesAnotherVersion) {
  std::string bytes = encode_checkpoint(sample());
  bytes[8] = 9;
  EXPECT_EQ(message_of(bytes),
            "FILE: is a checkpoint of version 9, this weft reads version 1; use "
            "the weft that wrote it");
}

TEST(CheckpointTest, NamesWhatIsDifferentInAnotherRun) {
  const Identity saved = sample().identity;
  EXPECT_NO_THROW(check_identity(saved, saved, "FILE"));
  Identity other = saved;
  other["--seed"] = std::string("8");
  try {
    check_identity(saved, other, "FILE");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "FILE: was written with --seed '7', this run has '8'; use the "
                 "same or another --checkpoint");
  }
  other = saved;
  other["machine's rows"] = std::string("8");
  EXPECT_THROW(check_identity(saved, other, "FILE"), InputError);
}

}  // namespace
}  // namespace weft::training
