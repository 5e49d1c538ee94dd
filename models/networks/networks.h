// The built-in networks: well-known models in their published shapes, with weights drawn from a
// seed. Nothing is downloaded and nothing is trained. Shapes, cycles, traffic and MACs equal those
// of the trained networks; the answers do not.
//
// Nodes are as exporters write them, so that the compiler sees what an ONNX file would contain:
// batch normalization is a separate node, and gelu and attention consist of elementary operators.
// Weights are made on demand, so a graph takes milliseconds and kilobytes.
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
  std::optional<std::int64_t> sequence = {};  // tokens; default: the network's
  // Tokens whose keys and values are inputs; one more is decoded. nullopt: no cache, prefill.
  std::optional<std::int64_t> kv_cache = {};
};

struct NetworkInfo {
  std::string_view name;    // "resnet50"
  std::string_view title;   // what it is, in a few words
  std::string_view source;  // where the shapes are from
  std::int64_t sequence;    // default length in tokens; 0: the input is not a sequence
  std::int64_t longest;     // the most tokens that the network can take
  /// The options have a `sequence` if and only if the network's is not 0.
  graph::Graph (*build)(const NetworkOptions& options);
  bool decodes = false;  // generates text: can take a cache, and its results are tokens
};

inline constexpr std::int64_t kLargestBatch = 65536;

/// All networks, from small to large within each kind.
std::span<const NetworkInfo> networks();

/// The entry of `name`. Throws InputError with the known names or the most similar one.
const NetworkInfo& find_network(std::string_view name);

/// Builds the graph. The same name, seed and sequence give the same weights, whatever the batch.
/// Throws InputError for an unknown name, a batch outside 1..kLargestBatch, a sequence length
/// outside the network's range or for a network without sequences, and a cache of the wrong length,
/// for a network that does not decode, or beside a sequence length.
graph::Graph build_network(std::string_view name, const NetworkOptions& options = {});

}  // namespace weft::networks
