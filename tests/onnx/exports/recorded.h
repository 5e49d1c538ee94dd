// Twelve small networks as PyTorch exports them, with inputs and PyTorch's outputs: the files in
// recorded/, and those that export.py writes anew. The files of a network lie in a folder of its
// name: model.onnx, further forms of it, and NAME.npy for each input and output.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "compiler/graph/graph.h"
#include "models/reference/cpu/run_graph.h"

namespace weft::onnx_io::testing {

struct Network {
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::string raised = {};  // a form of a later opset, by raise_opset.py; empty if there is none
};

const std::vector<Network>& networks();

/// A file of a network: model.onnx or the raised form.
struct Form {
  const Network* network = nullptr;
  std::string file;

  std::string name() const;  // "whisper_opset20"
};

std::vector<Form> forms();

/// For the messages of tests.
void PrintTo(const Form& form, std::ostream* out);
void PrintTo(const Network& network, std::ostream* out);

/// A network's inputs and PyTorch's outputs in `folder`, which has a folder for each network.
struct Values {
  reference::NamedTensors inputs;
  reference::NamedTensors outputs;
};
Values read_values(const Network& network, const std::filesystem::path& folder);

/// The form's graph; open dimensions follow the inputs.
graph::Graph import_form(const Form& form, const std::filesystem::path& folder,
                         const reference::NamedTensors& inputs);

/// The folder recorded/.
std::filesystem::path recorded();

}  // namespace weft::onnx_io::testing
