// The ONNX project's node tests. Each folder holds a model of one node, its inputs and expected
// outputs. Also says which tests Weft does not take, and why.
#pragma once

#include <onnx/onnx_pb.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/reference/cpu/run_graph.h"

namespace weft::onnx_io::testing {

struct NodeCase {
  std::filesystem::path folder;
  ::onnx::ModelProto model;

  std::string name() const { return folder.filename().string(); }
  std::string file(const std::string& stem, int index) const {
    return (folder / "test_data_set_0" / (stem + "_" + std::to_string(index) + ".pb")).string();
  }
};

/// The folders of all node tests, sorted by name.
std::vector<std::filesystem::path> folders();
NodeCase read_case(const std::filesystem::path& folder);

/// The reason for excluding the test; nullopt if it runs.
std::optional<std::string> exclusion(const NodeCase& test);

/// The reason why the test is excluded although the importer reads its model: Weft's results are
/// more precise than ONNX's.
std::optional<std::string> wider(const NodeCase& test);

/// The tensor in `file`, which is a value of the model.
graph::Tensor read_value(const std::string& file, const ::onnx::ValueInfoProto& value);
/// Inputs by the names in the model.
reference::NamedTensors read_inputs(const NodeCase& test);
/// The model's graph; inputs that decide shapes are frozen to the values in `inputs`.
graph::Graph import(const NodeCase& test, const reference::NamedTensors& inputs);
/// Drops the tensors whose inputs were frozen.
void keep_inputs(const graph::Graph& graph, reference::NamedTensors& inputs);

}  // namespace weft::onnx_io::testing
