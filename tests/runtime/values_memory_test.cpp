// Networks whose values do not fit this computer are refused before the values are made.
#include "runtime/workload/values_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "compiler/graph/builder/builder.h"
#include "runtime/compile.h"
#include "runtime/workload/network_inputs.h"
#include "sim/config/config_keys.h"
#include "sim/memory/physical_memory.h"

namespace weft::runtime {
namespace {

/// A convolution of 1 x 1 over 64 channels of side x side pixels, with as many filters.
graph::Graph pointwise(std::int64_t side) {
  graph::Builder builder("pointwise");
  const auto x = builder.input("x", {graph::DataType::kFloat32, {1, 64, side, side}});
  const auto w = builder.constant(graph::Tensor(graph::DataType::kFloat32, {64, 64, 1, 1}), "w");
  builder.output(builder.add(graph::Op::kConv, {x, w}, {}, "c"), "y");
  return builder.finish();
}

/// The side for which one image of 64 channels of float32 takes this share of the memory.
std::int64_t side_for(double share) {
  const double pixels = share * static_cast<double>(physical_memory_bytes()) / (64 * 4);
  return static_cast<std::int64_t>(std::sqrt(pixels));
}

template <class Function>
std::string refusal(Function&& function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ValuesMemoryTest, InputsAndOutputsCountTogether) {
  EXPECT_EQ(refusal([] { check_inputs_fit("net", pointwise(side_for(0.4))); }), "accepted");
  EXPECT_THAT(refusal([] { check_inputs_fit("net", pointwise(side_for(0.6))); }),
              ::testing::StartsWith("net: inputs and outputs would take "));
  EXPECT_THAT(refusal([] { check_inputs_fit("net", pointwise(side_for(1.1))); }),
              ::testing::StartsWith("net: input 'x': "));
}

// Bytes of an element: input and result in float32, 8; the input's dense image in bf16, 2; the
// result's matrix, which leaves the machine in 32-bit words, 4; ten copies of the result for its
// check, 40, or one without a check, 4.
TEST(ValuesMemoryTest, CountsValuesMatricesAndCopies) {
  const MachineConfig config = load_preset("tpu-v2");
  constexpr double kElements = 64.0 * 2000 * 2000;  // too many to stay in the unified buffer
  const NetworkSchedule scheduled = schedule(pointwise(2000), config);
  EXPECT_EQ(value_bytes(scheduled.network, config, true), kElements * (8 + 2 + 4 + 40));
  EXPECT_EQ(value_bytes(scheduled.network, config, false), kElements * (8 + 2 + 4 + 4));
}

TEST(ValuesMemoryTest, AllLayersMustFit) {
  const MachineConfig config = load_preset("tpu-v2");
  const auto check = [&](double share, bool checked) {
    const NetworkSchedule scheduled = schedule(pointwise(side_for(share)), config);
    return refusal([&] { check_values_fit(scheduled.network, config, checked); });
  };
  EXPECT_EQ(check(0.05, true), "accepted");
  EXPECT_EQ(check(0.2, false), "accepted");
  EXPECT_THAT(check(0.2, true), ::testing::HasSubstr("the values of all layers would take "));
  EXPECT_THAT(check(0.4, false), ::testing::HasSubstr("the values of all layers would take "));
  EXPECT_THAT(check(1.1, false), ::testing::HasSubstr("node 'c' (Conv): its result would take "));
}

}  // namespace
}  // namespace weft::runtime
