// The CPU reference as a backend of training: float32 throughout.
#pragma once

#include "models/training/executor.h"

namespace weft::training {

/// Runs the graph with a reference::GraphRunner.
Executor prepare_on_cpu(PassGraph graph);

}  // namespace weft::training
