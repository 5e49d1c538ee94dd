// What `weft explain --sweep` can vary: the three sizes of a product, and of a convolution its
// images, channels and filters.
#pragma once

#include "cli/explain/sweep.h"
#include "cli/network_conv.h"
#include "compiler/plan/tiling_plan.h"
#include "sim/config/machine_config.h"

namespace weft::cli {

/// `spec` with `size` along m, k or n.
MatmulSpec swept_spec(MatmulSpec spec, char dimension, std::uint64_t size);

/// `dimension` is m, k or n; the other two sizes are those of `spec`. `config` must outlive it.
SweptWorkload swept_product(const MatmulSpec& spec, const MachineConfig& config, char dimension);

/// m: images of the input, k: its channels, n: filters.
SweptWorkload swept_conv(const ConvSpec& spec, const MachineConfig& config, char dimension);

}  // namespace weft::cli
