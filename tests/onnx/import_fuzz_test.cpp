// For any bytes, the importer must give a graph or an InputError.
#include <gtest/gtest.h>

#include <random>

#include "tests/fuzz/targets/onnx.h"
#include "tests/onnx/models.h"
#include "tests/onnx/mutate.h"

namespace weft::onnx_io {
namespace {

using ::onnx::TensorProto;
using testing_support::Model;
using testing_support::mutate_bytes;
using testing_support::mutate_field;
using testing_support::set;

using Ints = std::vector<std::int64_t>;

constexpr unsigned kSeed = 2'026'117;

bool import_any(const std::string& bytes) {
  return fuzz::onnx(bytes);
}

void add_weights(Model& model, const std::string& name, const Ints& dims) {
  TensorProto& tensor = model.initializer(name, TensorProto::FLOAT, dims);
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  for (std::int64_t i = 0; i < count; ++i) tensor.add_float_data(static_cast<float>(i % 5));
}

Model image_network(std::int64_t opset) {
  Model model(opset);
  model.input("x", {1, 2, 6, 6}).output("y");
  add_weights(model, "w", {4, 2, 3, 3});
  model.floats("b", {1, 2, 3, 4});
  auto& conv = model.node("Conv", {"x", "w", "b"}, {"c"});
  set(conv, "strides", Ints{2, 2});
  set(conv, "pads", Ints{1, 1, 1, 1});
  set(conv, "group", std::int64_t{1});
  model.node("BatchNormalization", {"c", "b", "b", "b", "b"}, {"n"});
  model.node("Relu", {"n"}, {"r"});
  auto& pool = model.node("MaxPool", {"r"}, {"p"});
  set(pool, "kernel_shape", Ints{2, 2});
  set(pool, "auto_pad", std::string("SAME_UPPER"));
  model.node("Flatten", {"p"}, {"f"});
  model.node("Softmax", {"f"}, {"y"});
  return model;
}

Model shape_network() {
  Model model;
  model.input("x", {2, 3, 4}).output("y").ints("i", {0}).ints("t", {-1});
  model.node("Shape", {"x"}, {"s"});
  model.node("Gather", {"s", "i"}, {"g"});
  set(model.node("Concat", {"g", "t"}, {"d"}), "axis", std::int64_t{0});
  model.node("Reshape", {"x", "d"}, {"a"});
  set(model.node("Transpose", {"a"}, {"b"}), "perm", Ints{1, 0});
  model.ints("starts", {1}).ints("ends", {100}).ints("axes", {0});
  model.node("Slice", {"b", "starts", "ends", "axes"}, {"c"});
  model.node("Expand", {"c", "e"}, {"y"});
  model.ints("e", {3, 1, 1});
  return model;
}

Model legacy_network(std::int64_t opset) {
  Model model(opset);
  model.input("x", {1, 2, 3, 4}).input("z", {2}).output("y");
  auto& add = model.node("Add", {"x", opset == 6 ? "z" : "x"}, {"a"});
  if (opset == 6) {
    set(add, "axis", std::int64_t{1});
    set(add, "broadcast", std::int64_t{1});
  }
  set(model.node("Pad", {"a"}, {"p"}), "pads", Ints{0, 0, 1, 1, 0, 0, 1, 1});
  set(model.node("Clip", {"p"}, {"c"}), "max", 6.0F);
  auto& slice = model.node("Slice", {"c"}, {"s"});
  set(slice, "starts", Ints{0});
  set(slice, "ends", Ints{1});
  auto& sum = model.node("ReduceSum", {"s"}, {"r"});
  set(sum, "axes", Ints{2});
  auto& squeeze = model.node("Squeeze", {"r"}, {"q"});
  set(squeeze, "axes", Ints{0});
  if (opset >= 7) {
    set(model.node("Upsample", {"x"}, {"u"}), "scales", std::vector<float>{1, 1, 2, 2});
  }
  set(model.node("Softmax", {"q"}, {"y"}), "axis", std::int64_t{1});
  return model;
}

Model recurrent_network() {
  Model model;
  model.input("x", {3, 1, 2}).output("y").output("h");
  add_weights(model, "w", {1, 8, 2});
  add_weights(model, "r", {1, 8, 2});
  auto& lstm = model.node("LSTM", {"x", "w", "r", "", "", ""}, {"y", "h", ""});
  set(lstm, "hidden_size", std::int64_t{2});
  set(lstm, "direction", std::string("forward"));
  return model;
}

Model quantized_network() {
  Model model;
  model.input("x", {1, 2}, TensorProto::FLOAT).output("y");
  TensorProto& scale = model.initializer("s", TensorProto::FLOAT, {});
  scale.add_float_data(0.5F);
  TensorProto& zero = model.initializer("z", TensorProto::UINT8, {});
  zero.set_raw_data("\x80");
  TensorProto& weights = model.initializer("w", TensorProto::UINT8, {2, 2});
  for (int i = 0; i < 4; ++i) weights.add_int32_data(100 + i);
  model.node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  model.node("QLinearMatMul", {"q", "s", "z", "w", "s", "z", "s", "z"}, {"m"});
  model.node("DequantizeLinear", {"m", "s", "z"}, {"d"});
  model.floats("scales", {1, 3});
  set(model.node("Resize", {"d", "", "scales"}, {"y"}), "mode", std::string("linear"));
  return model;
}

Model current_network() {
  Model model(20);
  model.input("x", {1, 4, 2, 2}, TensorProto::BFLOAT16).output("y").output("z");
  model.ints("axes", {2, 3}).ints("pads", {1, 1, 0, 1}).ints("sizes", {6, 9});
  model.node("Pad", {"x", "pads", "", "axes"}, {"p"});
  auto& resize = model.node("Resize", {"p", "", "", "sizes"}, {"r"});
  set(resize, "axes", Ints{2, 3});
  set(resize, "keep_aspect_ratio_policy", std::string("not_larger"));
  set(model.node("Gelu", {"r"}, {"g"}), "approximate", std::string("tanh"));
  auto& split = model.node("Split", {"g"}, {"a", "b", "c"});
  set(split, "axis", std::int64_t{1});
  set(split, "num_outputs", std::int64_t{3});
  model.node("ReduceMax", {"a", "axes"}, {"y"});
  model.node("ReduceLogSumExp", {"b", "axes"}, {"z"});
  return model;
}

Model composite_network() {
  Model model(23);
  model.input("x", {1, 4, 2, 2}).output("y");
  model.floats("s", {1, 2, 3, 4}).ints("k", {1}).floats("w", {1, 2});
  auto& norm = model.node("GroupNormalization", {"x", "s", "s"}, {"n"});
  set(norm, "num_groups", std::int64_t{2});
  set(model.node("DepthToSpace", {"n"}, {"d"}), "blocksize", std::int64_t{2});
  model.node("Trilu", {"d", "k"}, {"t"});
  set(model.node("SpaceToDepth", {"t"}, {"e"}), "blocksize", std::int64_t{2});
  auto& sum = model.node("Einsum", {"e", "n"}, {"m"});
  set(sum, "equation", std::string("...cij,...cjk->...ik"));
  model.node("RMSNormalization", {"m", "w"}, {"y"});
  return model;
}

// The importer computes what depends on constants alone, so mutated indices reach the kernels.
Model indexed_network() {
  Model model;
  model.input("x", {2, 3}).output("y");
  model.floats("c", {1, 2, 3})
      .floats("u", {9})
      .floats("values", {0, 1})
      .floats("roi", {0, 0, 1, 1});
  model.ints("k", {2}).ints("axis", {1}).ints("depth", {3}).ints("sizes", {2, 4});
  TensorProto& columns = model.initializer("i", TensorProto::INT64, {2, 1});
  columns.add_int64_data(1);
  columns.add_int64_data(-1);
  model.initializer("p", TensorProto::INT64, {1, 1}).add_int64_data(2);
  set(model.node("ScatterND", {"c", "p", "u"}, {"s"}), "reduction", std::string("add"));
  model.node("GatherND", {"s", "p"}, {"n"});                                      // [1]
  set(model.node("GatherElements", {"x", "i"}, {"g"}), "axis", std::int64_t{1});  // [2, 1]
  model.node("TopK", {"x", "k"}, {"t", "places"});                                // [2, 2]
  model.node("CumSum", {"t", "axis"}, {"a"});
  model.node("OneHot", {"places", "depth", "values"}, {"o"});
  set(model.node("ReduceProd", {"o"}, {"m"}), "keepdims", std::int64_t{0});
  auto& resize = model.node("Resize", {"a", "roi", "", "sizes"}, {"r"});
  set(resize, "mode", std::string("cubic"));
  set(resize, "coordinate_transformation_mode", std::string("tf_crop_and_resize"));
  model.node("Sum", {"g", "r", "n", "m"}, {"y"});
  return model;
}

std::vector<Model> corpus() {
  return {image_network(17),   image_network(9),  shape_network(),     legacy_network(6),
          legacy_network(8),   current_network(), composite_network(), recurrent_network(),
          quantized_network(), indexed_network()};
}

TEST(ImportFuzzTest, AcceptsEveryModelOfTheCorpus) {
  for (const Model& model : corpus()) {
    EXPECT_TRUE(import_any(model.bytes())) << model.bytes();
  }
}

struct Outcomes {
  int accepted = 0;
  int refused = 0;
};

/// Imports 10,000 models. Each is made as bytes by `mutant(model, random)` from a corpus model.
template <class Mutant>
Outcomes import_mutants(Mutant&& mutant) {
  std::mt19937 random(kSeed);
  const std::vector<Model> models = corpus();
  Outcomes outcomes;
  for (int i = 0; i < 10'000; ++i) {
    const std::string bytes = mutant(models[random() % models.size()], random);
    (import_any(bytes) ? outcomes.accepted : outcomes.refused) += 1;
  }
  return outcomes;
}

TEST(ImportFuzzTest, ReadsModelsWithMutatedFieldsOrThrowsInputError) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  const Outcomes outcomes = import_mutants([](Model model, std::mt19937& random) {
    for (auto edits = 1 + random() % 3; edits > 0; --edits) mutate_field(model.proto(), random);
    return model.bytes();
  });
  EXPECT_GT(outcomes.accepted, 1000);
  EXPECT_GT(outcomes.refused, 1000);
}

TEST(ImportFuzzTest, ReadsMutatedBytesOrThrowsInputError) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  const Outcomes outcomes = import_mutants([](const Model& model, std::mt19937& random) {
    std::string bytes = model.bytes();
    for (auto edits = 1 + random() % 2; edits > 0; --edits) mutate_bytes(bytes, random);
    return bytes;
  });
  EXPECT_GT(outcomes.accepted, 500);
  EXPECT_GT(outcomes.refused, 1000);
}

TEST(ImportFuzzTest, ReadsArbitraryBytesOrThrowsInputError) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 5000; ++i) {
    std::string bytes(random() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() % 256);
    EXPECT_FALSE(import_any(bytes));
  }
}

}  // namespace
}  // namespace weft::onnx_io
