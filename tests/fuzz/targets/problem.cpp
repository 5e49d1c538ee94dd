// Problems of Timeloop, as YAML: what is accepted is a product or a convolution that is not empty.
#include "models/imports/problem.h"

#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {

bool problem(std::string_view bytes) {
  const BytesFile file(bytes);
  return accepts([&] {
    const imports::Problem read = imports::read_problem(file.path());
    if (const auto* product = std::get_if<imports::ProductProblem>(&read)) {
      require(product->m > 0 && product->k > 0 && product->n > 0, "a product that is not empty");
    } else {
      const auto& conv = std::get<imports::ConvProblem>(read);
      require(
          conv.images > 0 && conv.channels % conv.groups == 0 && conv.filters % conv.groups == 0,
          "groups of equal size");
    }
  });
}

}  // namespace weft::fuzz
