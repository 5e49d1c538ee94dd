#pragma once

#include "runtime/sweep/space/space.h"

namespace weft::sweep {

/// Builds each workload once, as its points will, with the first batch of the sweep, and notes the
/// batch that a network's file says itself. Throws InputError for a workload that cannot be built:
/// no machine would run it.
void check_workloads(Request& request);

}  // namespace weft::sweep
