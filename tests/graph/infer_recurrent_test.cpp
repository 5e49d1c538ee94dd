// LSTM, GRU and RNN, for two sequences of 7 steps with 3 inputs and 5 hidden values.
#include <gtest/gtest.h>

#include "tests/graph/infer_one.h"

namespace weft::testing_support {
namespace {

std::vector<In> cell(std::int64_t directions, std::int64_t gates, bool batch_first = false) {
  return {batch_first ? Shape{2, 7, 3} : Shape{7, 2, 3}, Shape{directions, gates * 5, 3},
          Shape{directions, gates * 5, 5}};
}

TEST(InferRecurrentTest, GivesEveryStepAndTheLast) {
  const auto lstm = infer(Op::kLstm, cell(1, 4), {}, 3);
  EXPECT_EQ(lstm[0].shape, Shape({7, 1, 2, 5}));
  EXPECT_EQ(lstm[1].shape, Shape({1, 2, 5}));
  EXPECT_EQ(lstm[2].shape, Shape({1, 2, 5}));
  EXPECT_EQ(infer(Op::kGru, cell(1, 3), {}, 2)[1].shape, Shape({1, 2, 5}));
  EXPECT_EQ(infer(Op::kRnn, cell(1, 1), {{"direction", "reverse"}}, 2)[0].shape,
            Shape({7, 1, 2, 5}));
  EXPECT_EQ(infer_error(Op::kGru, cell(1, 3), {}, 3), "3 outputs, not 1 to 2");
}

TEST(InferRecurrentTest, BatchComesFirstInLayoutOne) {
  const auto types = infer(Op::kLstm, cell(2, 4, true),
                           {{"layout", integer(1)}, {"direction", "bidirectional"}}, 3);
  EXPECT_EQ(types[0].shape, Shape({2, 7, 2, 5}));
  EXPECT_EQ(types[1].shape, Shape({2, 2, 5}));
  std::vector<In> inputs = cell(1, 1, true);
  inputs.insert(inputs.end(), {std::nullopt, std::nullopt, Shape{2, 1, 5}});
  EXPECT_EQ(infer_shape(Op::kRnn, inputs, {{"layout", integer(1)}}), Shape({2, 7, 1, 5}));
}

TEST(InferRecurrentTest, TakesAllOptionalInputs) {
  std::vector<In> inputs = cell(2, 4);
  inputs.insert(inputs.end(), {Shape{2, 40}, In(DataType::kInt32, {2}), Shape{2, 2, 5},
                               Shape{2, 2, 5}, Shape{2, 15}});
  const Attributes attributes = {{"direction", "bidirectional"},
                                 {"hidden_size", integer(5)},
                                 {"clip", 1.5F},
                                 {"activations", std::vector<std::string>(6, "HardSigmoid")},
                                 {"activation_alpha", std::vector<float>(6, 0.1F)}};
  EXPECT_EQ(infer_shape(Op::kLstm, inputs, attributes), Shape({7, 2, 2, 5}));
  inputs[7] = Shape{2, 20};
  EXPECT_EQ(infer_error(Op::kLstm, inputs, attributes), "input 7 (P): the shape is 2x20, not 2x15");
  inputs[4] = In(DataType::kInt64, {2});
  EXPECT_EQ(infer_error(Op::kLstm, inputs, attributes),
            "input 4 (sequence_lens): type int64 is not one of int32");
}

TEST(InferRecurrentTest, RefusesWhatDoesNotFit) {
  EXPECT_EQ(infer_error(Op::kLstm, cell(1, 3)), "input 1 (W): the shape is 1x15x3, not 1x20x3");
  EXPECT_EQ(infer_error(Op::kRnn, cell(1, 1), {{"direction", "bidirectional"}}),
            "input 1 (W): the shape is 1x5x3, not 2x5x3");
  EXPECT_EQ(infer_error(Op::kRnn, cell(1, 1), {{"direction", "both"}}),
            "attribute direction: 'both' is not supported; known are forward, reverse, "
            "bidirectional");
  EXPECT_EQ(infer_error(Op::kRnn, cell(1, 1), {{"hidden_size", integer(4)}}),
            "attribute hidden_size: 4, but the weights are for 5");
  EXPECT_EQ(infer_error(Op::kGru, cell(1, 3), {{"activations", std::vector<std::string>{"Tanh"}}}),
            "attribute activations: 1 given, 2 needed");
  EXPECT_EQ(infer_error(Op::kRnn, cell(1, 1), {{"activations", std::vector<std::string>{"Sin"}}}),
            "attribute activations: 'Sin' is not supported");
  EXPECT_EQ(infer_error(Op::kRnn, cell(1, 1), {{"activation_alpha", 0.5F}}),
            "attribute activation_alpha: must be a list of numbers");
  EXPECT_NE(infer_error(Op::kRnn, cell(1, 1), {{"layout", integer(2)}}), "no error");
  EXPECT_NE(infer_error(Op::kRnn, cell(1, 1), {{"clip", 0.0F}}), "no error");
  EXPECT_NE(infer_error(Op::kRnn, {Shape{7, 2}, Shape{1, 5, 3}, Shape{1, 5, 5}}), "no error");
}

}  // namespace
}  // namespace weft::testing_support
