#include "tests/onnx/node_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

#include "compiler/graph/op.h"
#include "compiler/onnx/import.h"
#include "compiler/onnx/tensor_file.h"
#include "models/reference/cpu/evaluate.h"

namespace weft::onnx_io::testing {

using ::onnx::TensorProto;

namespace {

struct Exclusion {
  std::string_view name_part;
  std::string_view reason;
};

/// Folders excluded by name; no rule about operators or types covers them.
constexpr std::array kExclusions = std::to_array<Exclusion>({
    {"_training_mode", "BatchNormalization in training"},
    {"test_training_dropout", "Dropout in training"},
    {"test_castlike_BFLOAT16", "data whose shape is not the model's"},
    {"test_castlike_FLOAT_to_BFLOAT16", "data whose shape is not the model's"},
});

const std::set<int> kTypes = {TensorProto::FLOAT16,  TensorProto::FLOAT, TensorProto::DOUBLE,
                              TensorProto::BFLOAT16, TensorProto::INT8,  TensorProto::UINT8,
                              TensorProto::INT32,    TensorProto::INT64, TensorProto::BOOL};

/// Operators that the graph lacks and that the importer reads all the same.
const std::set<std::string> kBuiltOfOthers = {"Constant",
                                              "Upsample",
                                              "CastLike",
                                              "Celu",
                                              "DepthToSpace",
                                              "Einsum",
                                              "GreaterOrEqual",
                                              "Hardmax",
                                              "LessOrEqual",
                                              "MeanVarianceNormalization",
                                              "ReduceL1",
                                              "ReduceL2",
                                              "ReduceLogSum",
                                              "ReduceLogSumExp",
                                              "ReduceSumSquare",
                                              "Shrink",
                                              "Size",
                                              "Softsign",
                                              "SpaceToDepth",
                                              "ThresholdedRelu",
                                              "Trilu"};

/// Tests whose models are read but whose expected bits are not computed, and why.
constexpr std::array kWider = std::to_array<Exclusion>({
    {"test_cast_FLOAT_to_BFLOAT16",
     "bf16 numbers are float32, so a Cast to BFLOAT16 does not shorten them"},
});

std::optional<std::string> unsupported_operator(const ::onnx::ModelProto& model) {
  for (const auto& node : model.graph().node()) {
    const bool listed = kBuiltOfOthers.contains(node.op_type()) ||
                        graph::op_from_string(node.op_type()).has_value();
    if (!listed || !node.domain().empty()) return "operator " + node.op_type() + " is not listed";
  }
  return std::nullopt;
}

std::optional<std::string> unsupported_type(const ::onnx::ModelProto& model) {
  auto values = model.graph().input();
  values.MergeFrom(model.graph().output());
  for (const auto& value : values) {
    if (!value.type().has_tensor_type()) return "a value that is no tensor";
    const int type = value.type().tensor_type().elem_type();
    if (!kTypes.contains(type)) {
      return "type " + TensorProto::DataType_Name(static_cast<TensorProto::DataType>(type)) +
             " is not listed";
    }
  }
  return std::nullopt;
}

template <class Exclusions>
std::optional<std::string> excluded_by_name(const Exclusions& exclusions, const std::string& name) {
  for (const Exclusion& exclusion : exclusions) {
    if (name.find(exclusion.name_part) != std::string::npos) return std::string(exclusion.reason);
  }
  return std::nullopt;
}

}  // namespace

NodeCase read_case(const std::filesystem::path& folder) {
  NodeCase test{folder, {}};
  std::ifstream in(folder / "model.onnx", std::ios::binary);
  EXPECT_TRUE(test.model.ParseFromIstream(&in)) << folder;
  return test;
}

std::optional<std::string> exclusion(const NodeCase& test) {
  if (auto reason = unsupported_operator(test.model)) return reason;
  if (auto reason = unsupported_type(test.model)) return reason;
  if (auto reason = excluded_by_name(kExclusions, test.name())) return reason;
  return wider(test);
}

std::optional<std::string> wider(const NodeCase& test) {
  return excluded_by_name(kWider, test.name());
}

graph::Tensor read_value(const std::string& file, const ::onnx::ValueInfoProto& value) {
  if (value.type().tensor_type().elem_type() != TensorProto::BFLOAT16) return read_tensor_pb(file);
  // The files have these numbers as UINT16.
  TensorProto proto;
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(proto.ParseFromIstream(&in)) << file;
  graph::Tensor tensor(graph::DataType::kFloat32, {proto.dims().begin(), proto.dims().end()});
  const std::string& bytes = proto.raw_data();
  EXPECT_EQ(bytes.size(), 2 * static_cast<std::size_t>(tensor.size())) << file;
  const auto out = tensor.mutable_bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out[i / 2 * 4 + 2 + i % 2] = static_cast<std::byte>(bytes[i]);
  }
  return tensor;
}

reference::NamedTensors read_inputs(const NodeCase& test) {
  reference::NamedTensors inputs;
  for (int i = 0; i < test.model.graph().input_size(); ++i) {
    const auto& input = test.model.graph().input(i);
    inputs[input.name()] = read_value(test.file("input", i), input);
  }
  return inputs;
}

graph::Graph import(const NodeCase& test, const reference::NamedTensors& inputs) {
  return import_onnx((test.folder / "model.onnx").string(),
                     {.values = inputs, .evaluate = reference::evaluate});
}

void keep_inputs(const graph::Graph& graph, reference::NamedTensors& inputs) {
  std::erase_if(inputs, [&](const auto& input) {
    return std::none_of(graph.inputs.begin(), graph.inputs.end(),
                        [&](graph::ValueId id) { return graph.values[id].name == input.first; });
  });
}

std::vector<std::filesystem::path> folders() {
  std::vector<std::filesystem::path> result;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_ONNX_TESTDATA "/node")) {
    if (std::filesystem::exists(entry.path() / "model.onnx")) result.push_back(entry.path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace weft::onnx_io::testing
