// Values of type BFLOAT16 are read as float32, wherever they stand in a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <limits>

#include "models/reference/cpu/evaluate.h"
#include "models/reference/cpu/run_graph.h"
#include "tests/onnx/models.h"

namespace weft::onnx_io {
namespace {

using graph::DataType;
using graph::Tensor;
using ::onnx::TensorProto;
using ::testing::HasSubstr;
using testing_support::error_of;
using testing_support::Model;
using testing_support::set;
using testing_support::set_tensor;
using testing_support::TemporaryFolder;

// 1.5, -2^-133 (subnormal), -infinity, 3.140625 as bf16.
constexpr std::array<std::uint16_t, 4> kBits = {0x3FC0, 0x8001, 0xFF80, 0x4049};
const std::vector<float> kNumbers = {1.5F, -0x1p-133F, -std::numeric_limits<float>::infinity(),
                                     3.140625F};

std::string raw() {
  std::string bytes;
  for (const std::uint16_t bits : kBits) {
    bytes += static_cast<char>(bits & 0xFF);
    bytes += static_cast<char>(bits >> 8);
  }
  return bytes;
}

Model initializer_model(const std::function<void(TensorProto&)>& fill) {
  Model model;
  model.output("w", TensorProto::BFLOAT16);
  fill(model.initializer("w", TensorProto::BFLOAT16, {4}));
  return model;
}

const Tensor& constant(const graph::Graph& graph) {
  return *graph.values[graph.outputs.at(0).value].constant->ready();
}

TEST(Bfloat16Test, InitializersHaveTheirNumbersAsFloat32) {
  const Model in_bytes = initializer_model([](auto& tensor) { tensor.set_raw_data(raw()); });
  EXPECT_EQ(constant(in_bytes.import()), Tensor::vector<float>(kNumbers));
  const Model typed = initializer_model([](auto& tensor) {
    for (const std::uint16_t bits : kBits) tensor.add_int32_data(bits);
  });
  EXPECT_EQ(constant(typed.import()), Tensor::vector<float>(kNumbers));
}

TEST(Bfloat16Test, ExternalDataHasItsNumbersAsFloat32) {
  const TemporaryFolder folder;
  folder.write("w.bin", raw());
  const Model model = initializer_model([](auto& tensor) {
    tensor.set_data_location(TensorProto::EXTERNAL);
    auto& entry = *tensor.add_external_data();
    entry.set_key("location");
    entry.set_value("w.bin");
  });
  EXPECT_EQ(constant(import_onnx(folder.write("net.onnx", model.bytes()))),
            Tensor::vector<float>(kNumbers));
}

TEST(Bfloat16Test, WholeNetworksComputeInFloat32) {
  Model model(18);
  model.input("x", {1, 4}, TensorProto::BFLOAT16).output("y", TensorProto::BFLOAT16);
  auto& weights = model.initializer("w", TensorProto::BFLOAT16, {4, 1});
  for (const int bits : {0x3F80, 0x4000, 0x4040, 0x4080}) weights.add_int32_data(bits);
  TensorProto& value = set_tensor(model.node("Constant", {}, {"c"}), "value");
  value.set_data_type(TensorProto::BFLOAT16);
  value.add_int32_data(0x3F00);
  model.node("MatMul", {"x", "w"}, {"m"});
  set(model.node("Cast", {"m"}, {"f"}), "to", std::int64_t{TensorProto::FLOAT});
  model.node("Add", {"f", "c"}, {"a"});
  set(model.node("Cast", {"a"}, {"y"}), "to", std::int64_t{TensorProto::BFLOAT16});
  const graph::Graph graph = model.import({.evaluate = reference::evaluate});
  EXPECT_EQ(graph.type(graph.inputs[0]).type, DataType::kFloat32);
  // 100 + 20 + 3 + 0.25 + 0.5 needs more than the 8 bits of a bf16 number.
  EXPECT_EQ(reference::run_graph(graph, {{"x", Tensor::of<float>({1, 4}, {100, 10, 1, 0.0625F})}})
                .at("y"),
            Tensor::of<float>({1, 1}, {123.75F}));
}

TEST(Bfloat16Test, RefusesElementsThatDoNotFit) {
  const auto error = [](const std::function<void(TensorProto&)>& fill) {
    return error_of([&] { initializer_model(fill).import(); });
  };
  EXPECT_THAT(error([](auto& tensor) { tensor.set_raw_data("1234567"); }),
              HasSubstr("initializer 'w': bfloat16 4 needs 8 bytes, the file has 7"));
  EXPECT_THAT(error([](auto& tensor) { tensor.add_int32_data(0); }),
              HasSubstr("initializer 'w': bfloat16 4 needs 4 elements, the file has 1"));
  EXPECT_THAT(error([](auto& tensor) {
                for (int i = 0; i < 4; ++i) tensor.add_int32_data(0x10000);
              }),
              HasSubstr("initializer 'w': element 65536 is out of its type's range"));
}

TEST(Bfloat16Test, NamesOtherSmallTypesThatItLacks) {
  Model model;
  model.input("x", {2}, static_cast<TensorProto::DataType>(17)).output("y");
  EXPECT_EQ(error_of([&] { model.import(); }),
            "test.onnx: input 'x': element type FLOAT8E4M3FN is not supported");
  model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->set_elem_type(22);
  EXPECT_EQ(error_of([&] { model.import(); }),
            "test.onnx: input 'x': element type INT4 is not supported");
}

}  // namespace
}  // namespace weft::onnx_io
