// Inference must end in shapes or in an InputError for any content of a file.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "compiler/graph/shapes/signature.h"
#include "tests/graph/infer_one.h"

namespace weft::testing_support {
namespace {

// Draws nodes with a valid number of inputs, types that often fit, and attributes of the operator.
// Attribute values range from small to extreme.
class RandomNodes {
 public:
  explicit RandomNodes(std::uint64_t seed) : random_(seed) {}

  std::vector<In> inputs(const graph::Signature& rule) {
    std::vector<In> result;
    const Shape shape = this->shape();
    const std::size_t most = std::min(rule.max_inputs, rule.min_inputs + 2);
    const std::size_t count = rule.min_inputs + upto(most - rule.min_inputs);
    for (std::size_t i = 0; i < count; ++i) {
      const auto& input = rule.inputs[std::min(i, rule.inputs.size() - 1)];
      const bool like = input.like < result.size() && result[input.like].type;
      const DataType type = like ? result[input.like].type->type : type_among(input.types);
      result.push_back(one_in(10) ? In(std::nullopt) : this->input(type, shape));
    }
    return result;
  }

  Attributes attributes(const graph::Signature& rule) {
    Attributes result;
    for (const std::string_view name : rule.attributes) {
      if (one_in(3)) result.set(std::string(name), attribute());
    }
    return result;
  }

  std::size_t outputs() { return 1 + (one_in(3) ? upto(3) : 0); }

 private:
  std::size_t upto(std::size_t most) { return random_() % (most + 1); }
  bool one_in(std::size_t n) { return upto(n - 1) == 0; }

  std::int64_t number() {
    constexpr std::array<std::int64_t, 6> kExtreme = {std::numeric_limits<std::int64_t>::min(),
                                                      std::numeric_limits<std::int64_t>::max(),
                                                      std::int64_t{1} << 62,
                                                      std::int64_t{1} << 31,
                                                      -(std::int64_t{1} << 31),
                                                      std::int64_t{1} << 20};
    if (one_in(12)) return kExtreme[upto(kExtreme.size() - 1)];
    return static_cast<std::int64_t>(upto(6)) - 2;
  }

  Ints numbers(std::size_t most) {
    Ints result(upto(most));
    for (std::int64_t& value : result) value = number();
    return result;
  }

  Shape shape() {
    Shape result(upto(5));
    for (std::int64_t& extent : result) extent = static_cast<std::int64_t>(upto(4));
    return result;
  }

  DataType type_among(graph::TypeSet types) {
    for (;;) {
      const auto type = static_cast<DataType>(upto(7));
      if ((types & graph::types_of(type)) != 0 || one_in(40)) return type;
    }
  }

  In input(DataType type, const Shape& common) {
    if (type == DataType::kInt64 && !one_in(4)) {
      return one_in(4) ? In(Tensor::scalar(number())) : In(list(numbers(5)));
    }
    if (type == DataType::kFloat32 && one_in(4)) {
      const auto value = static_cast<float>(number());
      return Tensor::vector(std::vector<float>(common.size(), one_in(2) ? value : 1.5F));
    }
    if (one_in(3)) return {type, shape()};
    return {type, common};
  }

  graph::Attribute attribute() {
    constexpr std::array kTexts = {"SAME_UPPER", "VALID", "linear", "reflect", "Relu", "reverse"};
    switch (upto(6)) {
      case 0:
        return static_cast<float>(number());
      case 1:
        return std::string(kTexts[upto(kTexts.size() - 1)]);
      case 2:
        return Tensor::vector(numbers(2));
      case 3:
      case 4:
        return numbers(6);
      default:
        return number();
    }
  }

  std::mt19937_64 random_;
};

TEST(InferenceFuzzTest, GivesShapesOrAnInputError) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  RandomNodes random(kSeed);
  std::size_t reached = 0;
  for (std::size_t i = 0; i < graph::kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    const graph::Signature& rule = graph::signature_of(op);
    int inferred = 0;
    int refused = 0;
    for (int k = 0; k < 3'000; ++k) {
      const std::vector<In> inputs = random.inputs(rule);
      const Attributes attributes = random.attributes(rule);
      const std::size_t outputs = random.outputs();
      try {
        const auto types = infer(op, inputs, attributes, outputs);
        ASSERT_EQ(types.size(), outputs);
        for (const ValueType& type : types) ASSERT_NO_THROW(graph::element_count(type.shape));
        ++inferred;
      } catch (const InputError& error) {
        ASSERT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
        ++refused;
      }
    }
    EXPECT_GT(refused, 0) << graph::to_string(op);
    reached += inferred > 0 ? 1 : 0;
  }
  // Random draws seldom fit operators with eight inputs or with weights of a special shape.
  EXPECT_GT(reached, graph::kOpCount - 12);
}

}  // namespace
}  // namespace weft::testing_support
