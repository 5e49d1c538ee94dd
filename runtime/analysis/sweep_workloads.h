// The workloads of `weft explain --sweep`. It can vary the three sizes of a product, or the images,
// channels and filters of a convolution.
#pragma once

#include "compiler/mapping/tiling_plan.h"
#include "compiler/program/network_program.h"
#include "runtime/analysis/sweep.h"
#include "runtime/analysis/value_sweep.h"
#include "runtime/workload/network_conv.h"
#include "runtime/workload/network_source.h"
#include "sim/config/machine_config.h"

namespace weft::runtime {

/// `spec` with `size` along m, k or n.
MatmulSpec swept_spec(MatmulSpec spec, char dimension, std::uint64_t size);

/// `dimension` is m, k or n; `spec` gives the other two sizes. `config` must outlive the result.
SweptWorkload swept_product(const MatmulSpec& spec, const MachineConfig& config, char dimension);

/// m: images of the input, k: its channels, n: filters. `config` must outlive the result.
SweptWorkload swept_conv(const ConvSpec& spec, const MachineConfig& config, char dimension);

/// The same workloads and a network, over the machine's keys or the batch. `batch` replaces the
/// images of a convolution.
SweptRuns swept_runs(const MatmulSpec& spec);
SweptRuns swept_runs(const ConvSpec& spec);
/// `request` says what to build at another batch; a file must leave the batch open for that.
SweptRuns swept_runs(const NetworkRequest& request, compiler::SearchEffort effort);

}  // namespace weft::runtime
