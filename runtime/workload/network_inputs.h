// The inputs of a network: tensors from files, and random tensors for inputs without a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "runtime/network_runner.h"

namespace weft::runtime {

struct InputFile {
  std::string input;  // its name
  std::string file;
  graph::Tensor tensor;
};

/// Reads the tensor in an .npy or .pb file. Throws InputError.
graph::Tensor read_tensor(const std::string& file);

NamedTensors tensors_of(const std::vector<InputFile>& files);

/// Throws InputError for a file whose type or shape differs from its input. Also throws for a file
/// that fits no input, unless `may_be_frozen`: an import may have turned that input into a
/// constant, and then has checked its name.
void check_input_files(const graph::Graph& graph, const std::vector<InputFile>& files,
                       bool may_be_frozen);

/// Returns one tensor for each input of the graph: from `files`, else from
/// networks::sample_inputs(). Throws InputError as check_input_files() does, and for a seed without
/// effect.
NamedTensors network_inputs(const graph::Graph& graph, const std::vector<InputFile>& files,
                            std::optional<std::uint64_t> seed, bool may_be_frozen);

/// Throws InputError naming `network` if an input is larger than this computer's memory.
void check_inputs_fit(const std::string& network, const graph::Graph& graph);

/// One sentence for each input with NaN or infinity, because comparisons then prove little.
std::vector<std::string> notes_on_inputs(const NamedTensors& inputs);

/// Throws InputError naming `file` unless `tensor` has the type and shape of the input.
void check_input(const graph::Graph& graph, graph::ValueId input, const std::string& file,
                 const graph::Tensor& tensor);

}  // namespace weft::runtime
