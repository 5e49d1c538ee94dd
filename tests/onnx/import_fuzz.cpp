#include "tests/onnx/import_fuzz.h"

#include <cstdlib>
#include <iostream>
#include <span>
#include <string>

#include "base/error.h"
#include "compiler/graph/builder/check.h"
#include "compiler/onnx/export.h"
#include "compiler/onnx/import.h"
#include "models/reference/cpu/evaluate.h"

namespace weft::onnx_io::testing_support {

bool import_any_bytes(const std::uint8_t* data, std::size_t size) {
  const ImportOptions options{.evaluate = reference::evaluate};
  graph::Graph graph;
  try {
    graph = import_onnx_bytes(std::as_bytes(std::span(data, size)), "fuzz", options);
  } catch (const InputError& error) {
    if (std::string(error.what()).find('\n') == std::string::npos) return false;
    std::cerr << "more than one line: " << error.what() << '\n';
    std::abort();
  }
  // Nothing below may throw: an exception that leaves the fuzzing function ends the process.
  graph::check(graph);
  const std::string written = to_onnx_bytes(graph);
  import_onnx_bytes(std::as_bytes(std::span(written)), "written", options);
  return true;
}

}  // namespace weft::onnx_io::testing_support

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::onnx_io::testing_support::import_any_bytes(data, size);
  return 0;
}
