// SCALE-Sim's serial folds on Weft's machine.
//
// Nothing about the machine is special: weights are not double-buffered, the memory is ideal (or
// has the configuration's bandwidth), and the buffers are so large that all rows of a fold stream
// at once. A layer is then an ordinary product in one chunk of rows. By docs/timing.md its array
// span is F (2R + C + M - 2), with each cycle found by the machine's clock.
//
//   | push R | stream M rows | drain R+C-2 | push R | stream ...      one fold after the other
#pragma once

#include <vector>

#include "compiler/mapping/tiling_plan.h"
#include "models/imports/scalesim_config.h"
#include "runtime/scalesim/serial_law.h"
#include "sim/analysis/result.h"
#include "sim/config/machine_config.h"

namespace weft::runtime {

/// A fold takes up to five dispatches: load, fetch, matmul, vector, store. The sequencer makes one
/// a cycle, so that shorter folds would wait for it.
inline constexpr std::uint64_t kShortestFold = 5;

/// The product as the machine runs it: with input-stationary folds, [N,K] x [K,M].
MatmulSpec machine_product(const MatmulSpec& product, imports::Dataflow dataflow);

/// Why the machine cannot run the layer in serial folds, in a few words; nullptr if it can.
const char* only_by_law(const MatmulSpec& product, const imports::ScaleSimConfig& config);

/// The machine, with buffers for those of `products` that it can run. Its clock is 1 GHz, and its
/// words have one byte, so a word a cycle is 1 GB/s.
MachineConfig serial_machine(const imports::ScaleSimConfig& config,
                             const std::vector<MatmulSpec>& products);

/// The plan of a product that serial_machine() was made for.
TilingPlan serial_plan(const MatmulSpec& product, const imports::ScaleSimConfig& config,
                       const MachineConfig& machine);

/// Its run. Throws InputError for a program that is too long.
Result run_serially(const MatmulSpec& product, const imports::ScaleSimConfig& config,
                    const MachineConfig& machine);

}  // namespace weft::runtime
