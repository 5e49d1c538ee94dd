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
    {"_cubic", "Resize with mode cubic"},
    {"test_resize_tf_crop_and_resize", "Resize with a region of interest"},
});

const std::set<int> kTypes = {TensorProto::FLOAT16, TensorProto::FLOAT, TensorProto::DOUBLE,
                              TensorProto::INT8,    TensorProto::UINT8, TensorProto::INT32,
                              TensorProto::INT64,   TensorProto::BOOL};

std::optional<std::string> unsupported_operator(const ::onnx::ModelProto& model) {
  for (const auto& node : model.graph().node()) {
    const bool listed = node.op_type() == "Constant" || node.op_type() == "Upsample" ||
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

std::optional<std::string> excluded_by_name(const std::string& name) {
  for (const Exclusion& exclusion : kExclusions) {
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
  return excluded_by_name(test.name());
}

reference::NamedTensors read_inputs(const NodeCase& test) {
  reference::NamedTensors inputs;
  for (int i = 0; i < test.model.graph().input_size(); ++i) {
    inputs[test.model.graph().input(i).name()] = read_tensor_pb(test.file("input", i));
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
