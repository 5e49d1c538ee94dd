// A training run as bytes: for going on after an interruption to the same bits.
//
//   WEFTCKPT  version  fingerprint of what follows  identity, state          little-endian
//   8 bytes   4        8                            counts of 8 bytes in front of texts and lists
//
// A file is untrusted: whatever its bytes are, reading gives a state or an InputError.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "models/training/state.h"

namespace weft::training {

/// Raised whenever the layout or the meaning of a number changes.
inline constexpr std::uint32_t kCheckpointVersion = 1;

/// Everything but the state that decides the bits of a run, in words: network, data, optimiser...
using Identity = std::map<std::string, std::string>;

struct Checkpoint {
  Identity identity;
  TrainingState state;
};

std::string encode_checkpoint(const Checkpoint& checkpoint);

/// Throws InputError, beginning with `file`: no checkpoint, of another version, damaged.
Checkpoint decode_checkpoint(std::string_view bytes, const std::string& file);

/// Throws InputError naming the first thing in which the checkpoint's run was another.
void check_identity(const Identity& saved, const Identity& wanted, const std::string& file);

}  // namespace weft::training
