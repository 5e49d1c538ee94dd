// The order of the images in an epoch. It depends only on seed and epoch, so that a resumed run
// needs nothing else to continue where it stopped.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::training {

/// The numbers 0 .. count-1, shuffled (Fisher and Yates) by draws of a CounterRandom stream.
std::vector<std::uint32_t> epoch_order(std::uint32_t count, std::uint64_t seed,
                                       std::uint64_t epoch);

}  // namespace weft::training
