// A product as a network of one layer, so that one report describes both.
#pragma once

#include <cstdint>
#include <optional>

#include "compiler/mapping/tiling_plan.h"
#include "compiler/program/network_program.h"
#include "runtime/network_runner.h"
#include "sim/analysis/result.h"
#include "sim/isa/program.h"

namespace weft::runtime {

/// A layer lists the edges of its tiles if its chunks, k tiles and n tiles are no more than this.
inline constexpr std::uint64_t kMostTileEdges = 100'000;

/// The program as the only step of a network. Its layer has tiles if Weft's compiler made the
/// program for `plan`, unless they have more edges than kMostTileEdges, and MACs if the program
/// says what it computes.
compiler::NetworkProgram one_layer(Program program, const std::optional<TilingPlan>& plan);

/// The run of the same program that gave `result`.
NetworkRun one_layer_run(const Program& program, const std::optional<TilingPlan>& plan,
                         Result result);

}  // namespace weft::runtime
