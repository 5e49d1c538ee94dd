// The trainer on a network small enough to follow by hand: logits = x W + b on five images.
#include "models/training/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"
#include "models/training/cpu_backend.h"
#include "models/training/shuffle.h"

namespace weft::training {
namespace {

using graph::Op;
using graph::Tensor;

constexpr std::int64_t kBatch = 2;

graph::Graph linear() {
  graph::Builder builder("linear");
  const auto x = builder.input("x", {graph::DataType::kFloat32, {kBatch, 2}});
  const auto w = builder.constant(Tensor::of<float>({2, 2}, {0.5F, -0.25F, 0.125F, 1}), "w");
  const auto b = builder.constant(Tensor::vector<float>({0.25F, -0.5F}), "b");
  const auto product = builder.add(Op::kMatMul, {x, w}, {}, "product");
  builder.output(builder.add(Op::kAdd, {product, b}, {}, "sum"), "y");
  return builder.finish();
}

data::Dataset corners() {
  data::Dataset data;
  data.name = "corners";
  for (data::Examples* part : {&data.train, &data.test}) {
    part->images = Tensor::of<float>({5, 2}, {0, 0, 0, 1, 1, 0, 1, 1, 0.5F, 0.25F});
    part->labels = {0, 1, 1, 0, 1};
    part->source = part->image_source = "corners";
  }
  return data;
}

class TrainerTest : public testing::Test {
 protected:
  Trainer trainer(const TrainerOptions& options = {}, Backend backend = prepare_on_cpu) {
    return {network_, data_, options, std::move(backend)};
  }
  std::string step_message(Trainer& trainer) {
    try {
      trainer.step();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  graph::Graph network_ = linear();
  data::Dataset data_ = corners();
};

/// Gradient descent in binary64, by the formulas of softmax regression.
struct ByHand {
  double w[2][2] = {{0.5, -0.25}, {0.125, 1}};
  double b[2] = {0.25, -0.5};

  double step(const data::Examples& examples, std::span<const std::uint32_t> numbers, double rate) {
    double dw[2][2] = {};
    double db[2] = {};
    double loss = 0;
    for (const std::uint32_t n : numbers) {
      const float* x = &examples.images.data<float>()[2 * n];
      double y[2];
      for (int j = 0; j < 2; ++j) y[j] = double{x[0]} * w[0][j] + double{x[1]} * w[1][j] + b[j];
      const double sum = std::exp(y[0]) + std::exp(y[1]);
      loss += std::log(sum) - y[examples.labels[n]];
      for (int j = 0; j < 2; ++j) {
        const double delta = (std::exp(y[j]) / sum - (examples.labels[n] == j ? 1 : 0)) / kBatch;
        db[j] += delta;
        for (int i = 0; i < 2; ++i) dw[i][j] += double{x[i]} * delta;
      }
    }
    for (int j = 0; j < 2; ++j) {
      b[j] -= rate * db[j];
      for (int i = 0; i < 2; ++i) w[i][j] -= rate * dw[i][j];
    }
    return loss / kBatch;
  }
};

TEST_F(TrainerTest, DescendsAsTheFormulasSay) {
  Trainer trainer = this->trainer({.optimizer = {.learning_rate = 0.5}, .seed = 3});
  ASSERT_EQ(trainer.steps_per_epoch(), 2U);  // one of five images is left over
  ByHand by_hand;
  for (std::uint64_t epoch = 0; epoch < 10; ++epoch) {
    const std::vector<std::uint32_t> order = epoch_order(5, 3, epoch);
    for (std::size_t step = 0; step < 2; ++step) {
      const double loss = by_hand.step(data_.train, std::span(order).subspan(2 * step, 2), 0.5);
      EXPECT_NEAR(trainer.step(), loss, 1e-5);
    }
    trainer.finish_epoch({}, 0);
  }
  const auto w = trainer.weights().at("w").data<float>();
  const auto b = trainer.weights().at("b").data<float>();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(w[i], by_hand.w[i / 2][i % 2], 1e-5);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(b[j], by_hand.b[j], 1e-5);
  EXPECT_EQ(trainer.state().step, 20U);
  EXPECT_EQ(trainer.state().updates, 20U);
  EXPECT_EQ(trainer.state().step_losses.size(), 20U);
}

TEST_F(TrainerTest, MeasuresAllImagesAfterAnEpoch) {
  Trainer trainer = this->trainer({.optimizer = {.learning_rate = 0}});
  while (!trainer.epoch_done()) trainer.step();
  const EpochRecord& record = trainer.finish_epoch({{"total", 5}}, 1.5);
  // The logits are (1/4, -1/2), (3/8, 1/2), (3/4, -3/4), (7/8, 1/4) and (17/32, -3/8).
  const double margins[5] = {0.75, 0.125, -1.5, 0.625, -0.90625};
  double loss = 0;
  for (const double margin : margins) loss += std::log1p(std::exp(-margin)) / 5;
  EXPECT_NEAR(record.train_loss, loss, 1e-12);
  EXPECT_NEAR(record.test_loss, loss, 1e-12);
  EXPECT_DOUBLE_EQ(record.train_accuracy, 0.6);
  EXPECT_EQ(record.epoch, 1U);
  EXPECT_EQ(record.step, 2U);
  EXPECT_EQ(record.seconds, 1.5);
  EXPECT_EQ(record.cycles.at("total"), 5U);
}

TEST_F(TrainerTest, GoesOnFromAStateToTheSameBits) {
  const TrainerOptions options = {.optimizer = {.learning_rate = 0.3, .momentum = 0.9}, .seed = 9};
  Trainer whole = trainer(options);
  std::vector<TrainingState> states;
  for (int epoch = 0; epoch < 3; ++epoch) {
    while (!whole.epoch_done()) {
      states.push_back(whole.state());
      whole.step();
    }
    states.push_back(whole.state());
    whole.finish_epoch({}, 0);
  }
  for (const TrainingState& state : states) {
    Trainer resumed = trainer(options);
    resumed.restore(state);
    while (resumed.state().epoch < 3) {
      while (!resumed.epoch_done()) resumed.step();
      resumed.finish_epoch({}, 0);
    }
    EXPECT_EQ(resumed.state(), whole.state()) << state.step;
  }
}

TEST_F(TrainerTest, RefusesAStateOfAnotherNetwork) {
  Trainer trainer = this->trainer();
  TrainingState state = trainer.state();
  state.values.erase("w");
  EXPECT_THROW(trainer.restore(state), InputError);
  state = trainer.state();
  state.values.at("w") = Tensor::of<float>({4}, {1, 2, 3, 4});
  EXPECT_THROW(trainer.restore(state), InputError);
  state = trainer.state();
  state.position = 3;
  EXPECT_THROW(trainer.restore(state), InputError);
}

TEST_F(TrainerTest, StopsAtALossThatIsNoNumberAndKeepsItsState) {
  data_.train.images.mutable_data<float>()[0] = 3e38F;
  network_.values[1].constant = Tensor::of<float>({2, 2}, {1e20F, 1, 1, 1});
  Trainer trainer = this->trainer({.optimizer = {.learning_rate = 0}, .seed = 1});
  std::string message;
  TrainingState before;
  while (message.empty() && !trainer.epoch_done()) {
    before = trainer.state();
    message = step_message(trainer);
  }
  if (message.empty()) GTEST_SKIP() << "image 0 was the one left out";
  EXPECT_EQ(message, "step " + std::to_string(before.step + 1) +
                         " (epoch 1): the loss is not finite; the first values that are not finite "
                         "come from node 'product' (MatMul); choose a smaller --learning-rate");
  EXPECT_EQ(trainer.state(), before);
}

TEST_F(TrainerTest, StopsAtParametersThatOverflow) {
  Trainer trainer = this->trainer({.optimizer = {.learning_rate = 1e300}});
  const TrainingState before = trainer.state();
  EXPECT_NE(step_message(trainer).find("is not finite"), std::string::npos);
  EXPECT_EQ(trainer.state(), before);
}

/// The CPU backend with infinite gradients in the runs listed in `runs`.
Backend overflowing(std::vector<int> runs, int& count) {
  return [runs = std::move(runs), &count](PassGraph graph) -> Executor {
    const bool gradients = graph.pass == PassKind::kGradients;
    const Executor run = prepare_on_cpu(std::move(graph));
    return [runs, &count, gradients, run](const NamedTensors& inputs) {
      NamedTensors outputs = run(inputs);
      if (!gradients) return outputs;
      for (const int bad : runs) {
        if (bad != count) continue;
        outputs.at("gradient/b").mutable_data<float>()[0] = std::numeric_limits<float>::infinity();
      }
      ++count;
      return outputs;
    };
  };
}

TEST_F(TrainerTest, LeavesAStepOutWhoseScaledGradientsOverflow) {
  int count = 0;
  const TrainerOptions options = {.optimizer = {.learning_rate = 0.5}, .scaled_loss = true};
  Trainer trainer = this->trainer(options, overflowing({1}, count));
  trainer.step();
  const NamedTensors before = trainer.state().values;
  trainer.step();
  EXPECT_EQ(trainer.state().values, before);
  EXPECT_EQ(trainer.state().loss_scale, (LossScale{32768, 0, 1}));
  EXPECT_EQ(trainer.state().updates, 1U);
  EXPECT_EQ(trainer.state().step, 2U);
  trainer.finish_epoch({}, 0);
  trainer.step();
  EXPECT_NE(trainer.state().values, before);
  EXPECT_EQ(trainer.state().loss_scale, (LossScale{32768, 1, 1}));
}

TEST_F(TrainerTest, ScalesTheLossByPowersOfTwoWithoutATrace) {
  const TrainerOptions plain = {.optimizer = {.learning_rate = 0.5, .momentum = 0.9}};
  TrainerOptions scaled = plain;
  scaled.scaled_loss = true;
  Trainer one = trainer(plain);
  Trainer two = trainer(scaled);
  for (int step = 0; step < 2; ++step) one.step(), two.step();
  EXPECT_EQ(one.state().values, two.state().values);
}

TEST_F(TrainerTest, StopsAtGradientsThatOverflowWithoutAScale) {
  int count = 0;
  Trainer trainer = this->trainer({}, overflowing({0}, count));
  EXPECT_NE(step_message(trainer).find(
                "step 1 (epoch 1): 'gradient/b' is not finite; in float32 on the CPU every layer "
                "is finite"),
            std::string::npos);
}

TEST_F(TrainerTest, RefusesWhatCannotBeTrained) {
  data_.train.images = data_.test.images = Tensor::of<float>({1, 2}, {0, 0});
  data_.train.labels = data_.test.labels = {0};
  EXPECT_THROW(trainer(), InputError);  // fewer images than a batch
  data_ = corners();
  data_.test.labels[3] = 2;
  EXPECT_THROW(trainer(), InputError);
}

}  // namespace
}  // namespace weft::training
