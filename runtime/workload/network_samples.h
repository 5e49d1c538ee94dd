// Sample inputs of a network from .npy files, for calibration.
//
//   FILE.npy               the network's only input
//   DIR with *.npy         the same, file by file in the order of their names
//   DIR/INPUT.npy or       a network of several inputs: one file or folder for each, named after
//   DIR/INPUT/*.npy        the input as portable_name() writes it
//
// An array with the input's shape, with or without a leading batch of 1, is one sample. An array
// that differs only in its first extent holds several samples.
#pragma once

#include <filesystem>
#include <vector>

#include "compiler/graph/graph.h"
#include "runtime/network_runner.h"

namespace weft::runtime {

/// Returns at least one element; each holds the inputs of one run. Throws InputError naming the
/// file if it does not fit the input, if there is no file, or if inputs have different numbers of
/// samples.
std::vector<NamedTensors> read_samples(const std::filesystem::path& place,
                                       const graph::Graph& graph);

/// 64 images of digits, in batches of the network's size; at least one batch. They are the first
/// training images of the embedded digits (models/data/digits8x8.h), or drawn digits
/// (models/networks/digits.h) for a network that takes images of 28 x 28. Throws InputError if they
/// do not fit the network's input.
std::vector<NamedTensors> digit_samples(const graph::Graph& graph);

}  // namespace weft::runtime
