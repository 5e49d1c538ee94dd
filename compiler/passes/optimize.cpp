#include "compiler/passes/optimize.h"

#include <utility>

#include "compiler/passes/fusion/fuse_activation.h"
#include "compiler/passes/fusion/fuse_bias.h"
#include "compiler/passes/fusion/fuse_residual.h"
#include "compiler/passes/quantization/fuse_qdq.h"
#include "compiler/passes/rewrite/remove_dead_code.h"
#include "compiler/passes/simplify/decompose_conv_transpose.h"
#include "compiler/passes/simplify/decompose_gemm.h"
#include "compiler/passes/simplify/fold_batch_norm.h"
#include "compiler/passes/simplify/fold_constants.h"
#include "compiler/passes/simplify/move_powers.h"
#include "compiler/passes/simplify/remove_identities.h"
#include "compiler/passes/simplify/scale_scores.h"
#include "compiler/passes/simplify/use_reciprocals.h"

namespace weft::passes {

graph::Graph simplify(graph::Graph graph, const graph::Evaluator& evaluate) {
  graph = remove_dead_code(std::move(graph));
  graph = fold_constants(std::move(graph), evaluate);
  graph = remove_identities(std::move(graph));
  graph = use_reciprocals(std::move(graph));
  graph = fold_batch_norm(std::move(graph));
  graph = decompose_gemm(std::move(graph));
  graph = scale_scores(std::move(graph));
  graph = move_powers(std::move(graph));
  return decompose_conv_transpose(std::move(graph));
}

graph::Graph optimize(graph::Graph graph, const graph::Evaluator& evaluate,
                      ZeroPoints zero_points) {
  graph = simplify(std::move(graph), evaluate);
  graph = fuse_bias(std::move(graph));
  graph = fuse_qdq(std::move(graph), zero_points);
  graph = fold_constants(std::move(graph), evaluate, FoldDequantize::kYes);
  graph = remove_identities(std::move(graph));
  graph = fuse_residual(std::move(graph));
  return fuse_activation(std::move(graph));
}

}  // namespace weft::passes
