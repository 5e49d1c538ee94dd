// The networks that come with weft: the classics of the field at their published shapes, with
// weights drawn from a seed. Nothing is downloaded, and nothing is learnt: the shapes, and with
// them cycles, traffic and MACs, are those of the trained networks; the answers are not.
//
// Nodes stand as exporters write them (batch normalisation apart, gelu and attention in their
// elementary operators), so that the compiler meets what an ONNX file would bring. Weights are
// constants that are made when asked for: a graph takes milliseconds and kilobytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "compiler/graph/graph.h"

namespace weft::networks {

struct NetworkOptions {
  std::int64_t batch = 1;
  std::uint64_t seed = 1;                     // of the weights
  std::optional<std::int64_t> sequence = {};  // tokens; the network's own length if not given
};

struct NetworkInfo {
  std::string_view name;    // "resnet50"
  std::string_view title;   // what it is, in a few words
  std::string_view source;  // where the shapes are from
  std::int64_t sequence;    // tokens if nothing is said; 0: the input is no sequence
  std::int64_t longest;     // the most tokens that the network can take
  /// `sequence` of the options is given if and only if the network's is not 0.
  graph::Graph (*build)(const NetworkOptions& options);
};

inline constexpr std::int64_t kLargestBatch = 65536;

/// All of them, from small to large within each kind.
std::span<const NetworkInfo> networks();

/// The entry of `name`. Throws InputError with the names there are, or the one probably meant.
const NetworkInfo& find_network(std::string_view name);

/// The graph. The same name, seed and sequence give the same weights, whatever the batch. Throws
/// InputError for an unknown name, a batch outside 1..kLargestBatch, a sequence length outside what
/// the network takes or for a network that takes none.
graph::Graph build_network(std::string_view name, const NetworkOptions& options = {});

}  // namespace weft::networks
