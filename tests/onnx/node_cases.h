// The ONNX project's own node tests: a folder each, with a model of one node, its inputs and the
// outputs that it must give; and which of them weft does not take, for which reason.
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

/// The folders of all node tests, by name.
std::vector<std::filesystem::path> folders();
NodeCase read_case(const std::filesystem::path& folder);

/// Why the test is not run; nothing if it is.
std::optional<std::string> exclusion(const NodeCase& test);

/// By the names of the model's inputs.
reference::NamedTensors read_inputs(const NodeCase& test);
/// The model's graph; inputs that decide shapes are frozen to `inputs`.
graph::Graph import(const NodeCase& test, const reference::NamedTensors& inputs);
/// Drops the tensors whose inputs were frozen.
void keep_inputs(const graph::Graph& graph, reference::NamedTensors& inputs);

}  // namespace weft::onnx_io::testing
