// ONNX files: what is accepted is a graph that holds its invariants, and that can be written and
// read again.
#include "tests/fuzz/targets/onnx.h"

#include "compiler/graph/builder/check.h"
#include "compiler/onnx/export.h"
#include "compiler/onnx/import.h"
#include "models/reference/cpu/evaluate.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {

bool onnx(std::string_view bytes) {
  const onnx_io::ImportOptions options{.evaluate = reference::evaluate};
  graph::Graph graph;
  const auto import = [&] {
    graph = onnx_io::import_onnx_bytes(std::as_bytes(std::span(bytes)), "fuzz", options);
  };
  if (!accepts(import)) return false;
  // Nothing below may throw: an exception that leaves the fuzzing function ends the process.
  graph::check(graph);
  const std::string written = onnx_io::to_onnx_bytes(graph);
  onnx_io::import_onnx_bytes(std::as_bytes(std::span(written)), "written", options);
  return true;
}

}  // namespace weft::fuzz
