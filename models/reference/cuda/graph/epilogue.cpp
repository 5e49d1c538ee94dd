#include "models/reference/cuda/graph/epilogue.h"

#include "models/reference/cpu/nn/activation.h"

namespace weft::cuda {

ContractionEpilogue epilogue_of(NodeRun& node, float* y) {
  return {.y = y,
          .alpha = 1.0F,
          .c = node.input<float>(2),
          .beta = 1.0F,
          .inner = 1,
          .rows = 1,
          .row_stride = 0,
          .col_stride = 0,
          .residual = node.input<float>(3),
          .activation = reference::activation_of(node.attributes())};
}

void finish(NodeRun& node, const ContractionEpilogue& epilogue) {
  const bool idle = epilogue.alpha == 1.0F && epilogue.c == nullptr &&
                    epilogue.residual == nullptr &&
                    epilogue.activation.kind == ActivationKind::kIdentity;
  if (!idle) node.run(epilogue, node.result_count());
}

}  // namespace weft::cuda
