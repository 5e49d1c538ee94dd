// The network that a command line names: an ONNX file or a built-in network.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "compiler/graph/graph.h"
#include "runtime/network_runner.h"

namespace weft::runtime {

struct NetworkRequest {
  std::string model;     // a file's path, or a name that `weft networks` lists
  bool is_file = false;  // `model` ends in .onnx or names an existing file
  std::optional<std::int64_t> batch = {};
  std::optional<std::int64_t> sequence = {};
  std::optional<std::int64_t> kv_cache = {};        // tokens before the one that is decoded
  std::map<std::string, graph::Shape> shapes = {};  // by input name
};

/// True if `model` is a file: it ends in .onnx, or such a file exists.
bool names_file(const std::string& model);

/// Imports or builds the network. A file may need `values` (elements of inputs) to infer its
/// shapes; the inputs that it freezes to them are inputs no longer. Throws InputError.
graph::Graph load_network(const NetworkRequest& request, const NamedTensors& values = {});

/// Throws InputError if the network has nothing for a machine to compute.
void require_computation(const NetworkRequest& request, const graph::Graph& graph);

/// The number of samples that the network takes at once. It is the requested batch, else 1 for a
/// built-in network. For a file it is the first extent of the first input if that has further
/// extents.
std::int64_t batch_of(const NetworkRequest& request, const graph::Graph& graph);

}  // namespace weft::runtime
