// The network that a command line names: an ONNX file, or one that comes with weft.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "cli/network_runner.h"
#include "compiler/graph/graph.h"

namespace weft::cli {

struct NetworkRequest {
  std::string model;     // a file's path, or a name that `weft networks` lists
  bool is_file = false;  // it ends in .onnx, or there is such a file
  std::optional<std::int64_t> batch;
  std::optional<std::int64_t> sequence;
  std::map<std::string, graph::Shape> shapes;  // by input
};

/// True if `model` is a file: it ends in .onnx, or there is such a file.
bool names_file(const std::string& model);

/// --batch, --sequence, --shape.
po::options_description network_flags();

/// What the only positional argument and the flags above say. Throws InputError for what is missing
/// or malformed, and for flags that the network does not take.
NetworkRequest read_network_request(const Arguments& arguments);

/// Imports or builds it. `values` are elements of inputs, which a file may need to know its shapes;
/// those that it froze are inputs no longer. Throws InputError.
graph::Graph load_network(const NetworkRequest& request, const NamedTensors& values = {});

/// Throws InputError if the network leaves nothing to a machine.
void require_computation(const NetworkRequest& request, const graph::Graph& graph);

/// How many samples the network takes at once: as asked for; else 1 for a built-in network, and for
/// a file the first extent of its first input, if that has others too.
std::int64_t batch_of(const NetworkRequest& request, const graph::Graph& graph);

struct NameAndText {
  std::string name;
  std::string text;
};

/// The values NAME=TEXT of an option that may be repeated, cut at the first '='. Throws InputError
/// if a name is empty or stands twice, or a text is empty; `form` is how the option looks.
std::vector<NameAndText> read_named_texts(const Arguments& arguments, const std::string& option,
                                          std::string_view form);

}  // namespace weft::cli
