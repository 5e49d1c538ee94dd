// Unary operators. Where the derivative can be had from the result it is, so that the operand need
// not live on, and may be fused away.
#include "compiler/autodiff/rules.h"

namespace weft::autodiff {

void relu_gradient(NodeGradient& g) {
  g.give(0, g.where(g.greater(g.output(), 0), g.dy(), g.number(g.dy(), 0)));
}

}  // namespace weft::autodiff
