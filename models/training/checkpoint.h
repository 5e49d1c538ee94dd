// A training run as bytes. A run resumed from them gives bit-identical results.
//
//   WEFTCKPT  version  fingerprint of the rest  identity, state          little-endian
//   8 bytes   4        8                        8-byte counts before texts and lists
//
// Files are untrusted: whatever the bytes are, reading gives a state or an InputError.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "models/training/state.h"

namespace weft::training {

/// Increased whenever the layout or the meaning of a number changes.
inline constexpr std::uint32_t kCheckpointVersion = 1;

/// Everything besides the state that determines the bits of a run, as text: network, data,
/// optimizer...
using Identity = std::map<std::string, std::string>;

struct Checkpoint {
  Identity identity;
  TrainingState state;
};

std::string encode_checkpoint(const Checkpoint& checkpoint);

/// Throws InputError, beginning with `file`, if the bytes are not a checkpoint, have another
/// version, or are damaged.
Checkpoint decode_checkpoint(std::string_view bytes, const std::string& file);

/// Throws InputError for the first difference between the checkpoint's run and this one.
void check_identity(const Identity& saved, const Identity& wanted, const std::string& file);

}  // namespace weft::training
