// Llama-style decoders of any size, for the built-in networks and for tests.
#pragma once

#include <cstdint>
#include <string>

#include "models/networks/networks.h"

namespace weft::networks {

struct LlamaSizes {
  std::string name;
  std::int64_t vocabulary = 32000;
  std::int64_t hidden = 0;
  int layers = 0;
  std::int64_t heads = 0;     // hidden must be a multiple, with an even width of each head
  std::int64_t kv_heads = 0;  // heads / kv_heads query heads share a key and a value
  std::int64_t inner = 0;     // of the feed-forward layers

  std::int64_t head_width() const { return hidden / heads; }
};

/// Without `options.kv_cache`: logits of all tokens of the prompt, [batch, sequence, vocabulary].
/// With it: one token for each sequence, after `kv_cache` tokens whose keys and values, [batch, kv
/// heads, kv_cache, head width], are inputs past.layers.I.attn.key and .value.
graph::Graph build_llama(const LlamaSizes& sizes, const NetworkOptions& options);

}  // namespace weft::networks
