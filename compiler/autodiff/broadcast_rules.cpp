// Operators with NumPy's broadcasting: a gradient is summed over the axes along which its operand
// was repeated.
#include "compiler/autodiff/rules.h"

namespace weft::autodiff {

void add_gradient(NodeGradient& g) {
  for (std::size_t i = 0; i < g.node().inputs.size(); ++i) {
    if (g.needs(i)) g.give(i, g.reduce_to(g.dy(), g.shape(g.input(i))));
  }
}

}  // namespace weft::autodiff
