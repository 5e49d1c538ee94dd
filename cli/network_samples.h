// Sample inputs of a network from .npy files, for calibration.
//
//   FILE.npy               the network's only input
//   DIR with *.npy         the same, file by file in the order of their names
//   DIR/INPUT.npy or       a network of several inputs: one file or folder for each, named after
//   DIR/INPUT/*.npy        the input as portable_name() writes it
//
// An array is one sample if it has the input's shape, or that without a batch of 1. If only its
// first extent differs, it is several samples on top of each other.
#pragma once

#include <filesystem>
#include <vector>

#include "cli/network_runner.h"
#include "compiler/graph/graph.h"

namespace weft::cli {

/// Each is the inputs of one run, at least one. Throws InputError naming the file: it does not fit
/// the input; there is none; inputs have different numbers of samples.
std::vector<NamedTensors> read_samples(const std::filesystem::path& place,
                                       const graph::Graph& graph);

/// The first 64 training images of the embedded digits (models/data/digits8x8.h), in batches as the
/// network takes them; at least one. Throws InputError if they do not fit its input.
std::vector<NamedTensors> digit_samples(const graph::Graph& graph);

}  // namespace weft::cli
