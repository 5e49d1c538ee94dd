// What this computer has, so that a mistyped size is an error rather than a machine that swaps.
#pragma once

#include <cstdint>

namespace weft {

/// Bytes of physical memory; the largest number if the system does not tell.
std::uint64_t physical_memory_bytes();

}  // namespace weft
