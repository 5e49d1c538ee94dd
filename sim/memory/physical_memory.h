// The memory of this computer, so that a mistyped size gives an error instead of endless swapping.
#pragma once

#include <cstdint>

namespace weft {

/// Bytes of physical memory, or of the part that a container may use; the largest number if the
/// system does not report it.
std::uint64_t physical_memory_bytes();

}  // namespace weft
