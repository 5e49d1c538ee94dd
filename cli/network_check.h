// Compares what the machine computed of a network with the CPU reference, layer by layer: each
// layer's result with what the reference makes of the operands that the machine had, so that no
// layer answers for another's rounding.
//
// Integers must be equal. Floats must lie within what the roundings of the layer amount to, against
// the reference in float64; the bounds and their derivation are in docs/numerics.md.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/network_runner.h"

namespace weft::cli {

struct LayerCheck {
  std::string layer;
  bool exact = false;        // every element equal
  double max_abs_error = 0;  // over finite elements
  double share = 0;          // the largest error as a share of its bound; above 1 is a mismatch
  std::size_t beyond = 0;    // elements that differ since a sum may have left binary32
};

struct NetworkCheck {
  std::vector<LayerCheck> layers;  // of those whose results were kept
  bool bit_exact = false;          // all of them
  double max_abs_error = 0;
  /// The first element out of bounds: "layer conv1 [0,3,1,2]: expected 1.5 within 0.01, got 1.7".
  std::optional<std::string> mismatch;
};

/// Which layers have elements that no number is expected of, and why; nothing if none has.
std::optional<std::string> note_beyond_binary32(const NetworkCheck& check);

/// `run` is of `program` with `inputs`, and with keep_results if every layer is to be checked.
NetworkCheck check_network(const network::NetworkProgram& program, const MachineConfig& config,
                           const NamedTensors& inputs, const NetworkRun& run);

}  // namespace weft::cli
