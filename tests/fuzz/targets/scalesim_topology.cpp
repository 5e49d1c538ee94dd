// Topologies of SCALE-Sim, as convolutions and as products: what is accepted has sizes that can be
// multiplied.
#include "models/imports/scalesim_topology.h"

#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {
namespace {

bool read_as(const std::string& file, imports::TopologyKind kind) {
  return accepts([&] {
    const imports::ScaleSimTopology topology = imports::read_scalesim_topology(file, kind);
    require(!topology.layers.empty(), "a layer");
    for (const imports::ScaleSimLayer& layer : topology.layers) {
      require(layer.m() > 0 && layer.k() > 0 && layer.n() > 0, "a product that is not empty");
      require(layer.ifmap_words() > 0, "an input that is read");
    }
  });
}

}  // namespace

bool scalesim_topology(std::string_view bytes) {
  const BytesFile file(bytes);
  const bool convolutions = read_as(file.path(), imports::TopologyKind::kConvolution);
  return read_as(file.path(), imports::TopologyKind::kGemm) || convolutions;
}

}  // namespace weft::fuzz
