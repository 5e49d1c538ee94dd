// Compares the layers of a network on the machine with the CPU reference. The reference computes
// each layer from the operands that the machine had, so that no layer is blamed for another's
// rounding.
//
// Integers must be equal, unless a layer rounds them from float sums. Floats must lie within the
// layer's rounding bound around the float64 reference; docs/numerics.md derives the bounds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runtime/network_runner.h"

namespace weft::runtime {

struct LayerCheck {
  std::string layer;
  bool exact = false;        // every element equal
  double max_abs_error = 0;  // over finite elements
  double share = 0;          // largest error divided by its bound; above 1 is a mismatch
  std::size_t beyond = 0;    // elements that differ because a sum may have left binary32
};

struct NetworkCheck {
  std::vector<LayerCheck> layers;  // only layers with kept results
  bool bit_exact = false;          // every layer is exact
  double max_abs_error = 0;
  /// The first element out of bounds: "layer conv1 [0,3,1,2]: expected 1.5 within 0.01, got 1.7".
  std::optional<std::string> mismatch;
};

/// Says which layers have elements that the check cannot predict, and why; nullopt if there are
/// none.
std::optional<std::string> note_beyond_binary32(const NetworkCheck& check);

/// `run` is the run of `program` with `inputs`. Only a run with keep_results has every layer
/// checked.
NetworkCheck check_network(const compiler::NetworkProgram& program, const MachineConfig& config,
                           const NamedTensors& inputs, const NetworkRun& run);

}  // namespace weft::runtime
