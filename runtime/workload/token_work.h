// What a network that generates text makes in one run, and what it must read from memory for that.
//
// To decode one token for each sequence of a batch, every weight is read once for the whole batch,
// and every cached key and value once for its own sequence. The machine's memory sets a bound:
//
//   shared   (weight bytes + cache bytes) / memory rate
//   split    the larger of cache bytes / host rate
//            and (weight bytes + cache bytes) / (host rate + memory rate)
//
// No schedule is faster, because the unified buffer holds neither from one token to the next. On
// split memories the cache comes as an input, through the host link. Weights come through both
// channels, since the compiler may load tiles of them into the unified buffer (docs/bounds.md, 5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compiler/graph/graph.h"
#include "runtime/workload/network_source.h"
#include "sim/config/machine_config.h"

namespace weft::runtime {

struct TokenWork {
  std::uint64_t tokens = 0;   // of one run: all of a prompt, or one for each sequence
  std::uint64_t weights = 0;  // elements of weights that every run reads whole
  std::uint64_t cached = 0;   // elements of cached keys and values; 0 without a cache

  friend bool operator==(const TokenWork&, const TokenWork&) = default;

  double weight_bytes(const MachineConfig& config) const;
  double cache_bytes(const MachineConfig& config) const;
  /// The bound above; nullopt if transfers take no time.
  std::optional<double> memory_seconds(const MachineConfig& config) const;
};

/// nullopt if the network is a file or does not generate text. The embedding does not count as
/// weights, because a token reads one row of it. `graph` is the network as it was built.
std::optional<TokenWork> token_work(const NetworkRequest& request, const graph::Graph& graph);

/// A rate with its unit: "24.5 tokens/s".
std::string token_rate(double per_second);

}  // namespace weft::runtime
