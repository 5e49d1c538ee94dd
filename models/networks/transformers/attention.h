// Layers that transformers share, with the same nodes that PyTorch's exporter writes.
#pragma once

#include <cstdint>
#include <string>

#include "models/networks/layers.h"

namespace weft::networks {

/// The three projections of the hidden states, each [batch, sequence, hidden].
struct Projections {
  ValueId query;
  ValueId key;
  ValueId value;
};

/// softmax(Q K^T / sqrt(hidden / heads) + mask) V for each head, with all heads concatenated:
/// [batch, sequence, hidden]. No mask is added if `mask` is kNoValue.
ValueId attention(Layers& net, const Projections& projections, std::int64_t heads, ValueId mask,
                  const std::string& name);

/// The three projections as separate dense layers: NAME.query, NAME.key and NAME.value.
Projections project(Layers& net, ValueId x, const std::string& name);

/// x * (erf(x / sqrt(2)) + 1) * 0.5.
ValueId gelu(Layers& net, ValueId x, const std::string& name);

/// [1, 1, sequence, sequence], to be added to scores: 0 on the diagonal and below, -10000 above.
ValueId causal_mask(Layers& net, std::int64_t sequence);

/// Looks up rows of a table [rows, width] by number. The result has the shape of `ids` plus
/// `width`.
ValueId embedding(Layers& net, ValueId table, ValueId ids, std::string name);
/// The numbers 0 .. count-1 as ids [1, count].
ValueId positions(Layers& net, std::int64_t count);

/// Embeddings are small compared with the layers' contributions, as in trained transformers.
inline constexpr Uniform kEmbedding{0, 0.05F};

}  // namespace weft::networks
