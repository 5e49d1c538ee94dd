#include "runtime/scalesim/layer_runs.h"
#include "tools/bench/row.h"

namespace weft::bench {
namespace {

using imports::ScaleSimLayer;

ScaleSimLayer layer(std::uint64_t side, std::uint64_t filter, std::uint64_t channels,
                    std::uint64_t filters, std::uint64_t stride) {
  ScaleSimLayer layer;
  layer.ifmap_height = layer.ifmap_width = side;
  layer.filter_height = layer.filter_width = filter;
  layer.channels = channels;
  layer.filters = filters;
  layer.stride_height = layer.stride_width = stride;
  return layer;
}

/// topologies/mlperf/Resnet50.csv of SCALE-Sim, without padding: 53 convolutions and the last
/// product. They take the 5,753,486 cycles of docs/scalesim.md.
imports::ScaleSimTopology resnet50() {
  struct Stage {
    std::uint64_t filters;
    int blocks;
  };
  imports::ScaleSimTopology topology;
  std::vector<ScaleSimLayer>& layers = topology.layers;
  layers.push_back(layer(224, 7, 3, 64, 2));
  std::uint64_t channels = 64;
  std::uint64_t side = 56;
  for (const auto& [filters, blocks] : {Stage{64, 3}, {128, 4}, {256, 6}, {512, 3}}) {
    for (int block = 0; block < blocks; ++block) {
      const std::uint64_t stride = block == 0 && filters > 64 ? 2 : 1;
      if (block == 0) layers.push_back(layer(side, 1, channels, 4 * filters, stride));
      layers.push_back(layer(side, 1, channels, filters, stride));
      side /= stride;
      layers.push_back(layer(side, 3, filters, filters, 1));
      layers.push_back(layer(side, 1, filters, 4 * filters, 1));
      channels = 4 * filters;
    }
  }
  layers.push_back(layer(1, 1, channels, 1000, 1));
  return topology;
}

/// SCALE-Sim's configs/scale.cfg.
imports::ScaleSimConfig scale_cfg() {
  imports::ScaleSimConfig config;
  config.rows = config.cols = 32;
  config.ifmap_kib = config.filter_kib = config.ofmap_kib = 64;
  config.dataflow = imports::Dataflow::kWeightStationary;
  return config;
}

}  // namespace

std::vector<Row> scalesim_rows() {
  return {{.name = "scalesim, 54 layers of resnet50, 32 x 32",
           .weft = [] { runtime::run_scalesim(scale_cfg(), resnet50(), {}); },
           .figure = Figure::kTime,
           .target = 0.1}};
}

}  // namespace weft::bench
