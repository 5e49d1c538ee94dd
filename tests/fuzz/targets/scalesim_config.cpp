// Configurations of SCALE-Sim.
#include "models/imports/scalesim_config.h"

#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {

bool scalesim_config(std::string_view bytes) {
  const BytesFile file(bytes);
  return accepts([&] {
    const imports::ScaleSimConfig config = imports::read_scalesim_config(file.path());
    require(config.rows > 0 && config.cols > 0, "an array");
  });
}

}  // namespace weft::fuzz
