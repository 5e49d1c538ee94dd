#include "runtime/workload/network_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/printable.h"
#include "compiler/onnx/tensor_file.h"
#include "models/networks/sample_inputs.h"
#include "runtime/npy/npy_tensor.h"
#include "runtime/positions.h"
#include "runtime/workload/memory_check.h"
#include "runtime/workload/run_options.h"
#include "sim/memory/physical_memory.h"

namespace weft::runtime {
namespace {

using graph::Graph;
using graph::Tensor;
using graph::ValueId;

std::string input_names(const Graph& graph) {
  std::vector<std::string> names;
  for (const ValueId input : graph.inputs) names.push_back(printable(graph.values[input].name));
  return names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
}

}  // namespace

Tensor read_tensor(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  if (extension == ".npy") return to_tensor(read_npy(file));
  if (extension == ".pb") return onnx_io::read_tensor_pb(file);
  throw InputError(file + ": is neither .npy nor .pb by its name; give one of these");
}

NamedTensors tensors_of(const std::vector<InputFile>& files) {
  NamedTensors tensors;
  for (const InputFile& given : files) tensors.emplace(given.input, given.tensor);
  return tensors;
}

void check_input(const Graph& graph, ValueId input, const std::string& file, const Tensor& tensor) {
  const graph::ValueType& wanted = graph.type(input);
  if (tensor.value_type() == wanted) return;
  const std::string_view advice = tensor.type() != wanted.type
                                      ? "convert it, e.g. by numpy's .astype"
                                      : "reshape it, or give another --batch or --shape";
  throw InputError(fmt::format("{}: holds {} where input {} takes {}; {}", file,
                               to_string(tensor.value_type()), printable(graph.values[input].name),
                               to_string(wanted), advice));
}

void check_inputs_fit(const std::string& network, const Graph& graph) {
  double all = 0;
  for (const ValueId input : graph.inputs) {
    const graph::ValueType& type = graph.type(input);
    const double bytes = static_cast<double>(graph::element_count(type.shape)) *
                         static_cast<double>(graph::size_bytes(type.type));
    all += bytes;
    check_memory(bytes,
                 fmt::format("{}: input {}: {}", network, printable(graph.values[input].name),
                             to_string(type)),
                 "choose a smaller shape or batch; `weft run --engine analytic` needs no values");
  }
  for (const graph::Output& output : graph.outputs) {
    const graph::ValueType& type = graph.type(output.value);
    const double bytes = static_cast<double>(graph::element_count(type.shape)) *
                         static_cast<double>(graph::size_bytes(type.type));
    // A value that is too large alone is refused with the name of its node, by whoever computes it.
    if (bytes > static_cast<double>(physical_memory_bytes())) return;
    all += bytes;
  }
  check_memory(all, fmt::format("{}: inputs and outputs", network),
               "choose a smaller shape or batch; `weft run --engine analytic` needs no values");
}

std::vector<std::string> notes_on_inputs(const NamedTensors& inputs) {
  std::vector<std::string> notes;
  for (const auto& [name, tensor] : inputs) {
    if (const auto element = first_not_finite(tensor)) {
      notes.push_back(fmt::format(
          "input {}: {}: where a result is NaN, the check only tells that cpu has NaN there too",
          printable(name), *element));
    }
  }
  return notes;
}

void check_input_files(const Graph& graph, const std::vector<InputFile>& files,
                       bool may_be_frozen) {
  for (const InputFile& given : files) {
    const auto takes_it = [&](ValueId input) { return graph.values[input].name == given.input; };
    const auto input = std::ranges::find_if(graph.inputs, takes_it);
    if (input != graph.inputs.end()) {
      check_input(graph, *input, given.file, given.tensor);
    } else if (!may_be_frozen) {
      throw InputError(fmt::format("--input {}: the network has no such input; {}",
                                   printable(given.input), input_names(graph)));
    }
  }
}

NamedTensors network_inputs(const Graph& graph, const std::vector<InputFile>& files,
                            std::optional<std::uint64_t> seed, bool may_be_frozen) {
  check_input_files(graph, files, may_be_frozen);
  const NamedTensors given = tensors_of(files);
  NamedTensors inputs;
  for (const ValueId input : graph.inputs) {
    const auto found = given.find(graph.values[input].name);
    if (found != given.end()) inputs.insert(*found);
  }
  if (inputs.size() == graph.inputs.size()) {
    if (!seed) return inputs;
    throw InputError("--seed: files give all inputs, nothing is random; drop --seed or a file");
  }
  inputs.merge(networks::sample_inputs(graph, seed.value_or(kDefaultSeed)));
  return inputs;
}

}  // namespace weft::runtime
