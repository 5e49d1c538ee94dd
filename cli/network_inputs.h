// What goes into a network: tensors from files, and drawn ones for inputs that no file gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/network_runner.h"
#include "compiler/graph/graph.h"

namespace weft::cli {

struct InputFile {
  std::string input;  // its name
  std::string file;
  graph::Tensor tensor;
};

/// --input.
po::options_description input_flag();

/// The files that --input names, read. Throws InputError.
std::vector<InputFile> read_input_files(const Arguments& arguments);

/// The tensor in an .npy or a .pb file. Throws InputError.
graph::Tensor read_tensor(const std::string& file);

NamedTensors tensors_of(const std::vector<InputFile>& files);

/// Throws InputError for a file of another type or shape than its input, and for one that no input
/// takes unless `may_be_frozen`: an import, which knows the names too, may have made it a constant.
void check_input_files(const graph::Graph& graph, const std::vector<InputFile>& files,
                       bool may_be_frozen);

/// One tensor for each input of the graph: from `files`, else networks::sample_inputs(). Throws
/// InputError as check_input_files() does, and for a seed that decides nothing.
NamedTensors network_inputs(const graph::Graph& graph, const std::vector<InputFile>& files,
                            std::optional<std::uint64_t> seed, bool may_be_frozen);

/// Throws InputError naming `network` if one of the inputs is more than this computer's memory.
void check_inputs_fit(const std::string& network, const graph::Graph& graph);

/// A sentence for each input that is not finite, of which no comparison tells anything.
std::vector<std::string> notes_on_inputs(const NamedTensors& inputs);

/// Throws InputError naming `file` unless `tensor` is what the input takes.
void check_input(const graph::Graph& graph, graph::ValueId input, const std::string& file,
                 const graph::Tensor& tensor);

}  // namespace weft::cli
