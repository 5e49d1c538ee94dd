#include "compiler/schedule/product/product_segment.h"

#include <utility>
#include <variant>

#include "compiler/blocks/map_folds.h"
#include "compiler/emit/matmul.h"
#include "compiler/emit/weights.h"
#include "compiler/layers/host_tensors.h"
#include "compiler/mapping/buffers.h"
#include "compiler/mapping/instruction_tiles.h"
#include "compiler/mapping/matmul_walk.h"
#include "compiler/mapping/tile_walk.h"

namespace weft::compiler {
namespace {

std::uint64_t size_of(std::int64_t extent) {
  return static_cast<std::uint64_t>(extent);
}

/// True if the walk visits its rows once, one after the other from the first.
bool is_dense(const RowWalk& walk) {
  const auto whole = [](const graph::WindowDim& dim) {
    return dim.kernel == 1 && dim.output == dim.input && dim.pad_begin == 0 &&
           (dim.stride == 1 || dim.output == 1);
  };
  if (!whole(walk.x) || !whole(walk.y) || !whole(walk.z) || walk.z.output != 1) return false;
  return (walk.x.output == 1 || walk.x_step == 1) &&
         (walk.y.output == 1 || walk.y_step == walk.x.output) &&
         (walk.images == 1 || walk.image_step == walk.y.output * walk.x.output);
}

bool is_whole(const View& view, const Sheet& sheet, SheetSize size) {
  return view.row == 0 && view.channel == 0 && sheet.size == size && !sheet.patches;
}

bool is_plain(const Epilogue& epilogue) {
  return !epilogue.scale && !epilogue.residual && epilogue.biases == 1 && !epilogue.bias_is_float &&
         epilogue.domain == VectorDomain::kAccumulator && epilogue.quantization == Quantization{};
}

bool is_one_matrix(const ContractionLayer& layer) {
  const auto* weights = std::get_if<ConstantWeights>(&layer.weights);
  return weights != nullptr && weights->pieces == 1 && layer.groups == 1 && layer.batch.size() == 1;
}

/// The activation that is this function of the vector unit; nullopt if MatmulSpec has none.
std::optional<Activation> activation_of(const LaneFunction& function, ElementType dtype) {
  for (const Activation known : {Activation::kNone, Activation::kRelu, Activation::kRelu6}) {
    if (function == lane_function(known, dtype)) return known;
  }
  return std::nullopt;
}

LaneFunction function_of(const Epilogue& epilogue) {
  return {epilogue.op, epilogue.low, epilogue.high};
}

/// The host's side of tensors a, b, bias and out, and of b_rows if `weight_rows`.
std::vector<HostTensor> host_tensors(const Segment& segment, const ContractionLayer& layer,
                                     ElementType dtype, bool weight_rows) {
  const auto& weights = std::get<ConstantWeights>(layer.weights);
  // One tap and one plane of K rows: the matrix [K, N] itself.
  const KLayout layout{1, 1, 1, 0, layer.k};
  std::vector<HostTensor> tensors;
  tensors.push_back(sheet_tensor(segment.sheets[layer.a.sheet]));
  const auto make = [=, k = layer.k, n = layer.n] {
    return pack_weights(weights, layout, k, n, 1, dtype, 0);
  };
  tensors.push_back(constant_tensor(make, weights.fixed));
  if (layer.epilogue.bias) {
    tensors.push_back(constant_tensor(
        [make = layer.epilogue.bias, n = layer.n] { return pack_words(make(), n); }, false));
  }
  tensors.push_back(sheet_tensor(segment.sheets[layer.out.sheet]));
  if (weight_rows) tensors.push_back(constant_tensor(make, weights.fixed));
  return tensors;
}

/// Bytes of host rows that bring tiles of weights.
std::uint64_t weight_row_bytes(const TilingPlan& plan, const MachineConfig& config) {
  return TileWalk(plan).loaded_rows() * config.row_bytes();
}

LayerInfo layer_info(const Layer& layer, const TilingPlan& plan, const MachineConfig& config) {
  const std::uint64_t rr = config.result_row_rows();
  const MatmulWalk walk(plan);
  LayerInfo info = info_of(layer);
  info.issued_macs = plan.macs.issued;
  info.k_tiles = plan.k_tiles;
  info.n_tiles = plan.n_tiles;
  info.chunks = plan.m_chunks;
  info.fetches = plan.folds;
  info.vector_rows = plan.spec.m * plan.n_tiles;
  info.weight_row_bytes = weight_row_bytes(plan, config);
  info.weight_bytes = info.weight_row_bytes +
                      (plan.folds - TileWalk(plan).uses_before(plan.folds)) * config.tile_bytes();
  const std::uint64_t passes = plan.activations_resident ? 1 : plan.n_tiles;
  const std::uint64_t bias_rows = walk.bias_loads() * (walk.bias_stays() ? plan.n_tiles : 1) * rr;
  info.input_bytes = (plan.spec.m * plan.k_tiles * passes + bias_rows) * config.row_bytes();
  const std::uint64_t last_rows = plan.stores_by_row ? last_result_rows(plan.spec, config) : rr;
  info.output_bytes = plan.spec.m * ((plan.n_tiles - 1) * rr + last_rows) * config.row_bytes();
  info.scheduled = transfer_notes(plan);
  return info;
}

LayerTiles layer_tiles(const TilingPlan& plan, const MachineConfig& config) {
  const auto cut = [](std::uint64_t size, std::uint64_t step) {
    std::vector<std::int64_t> bounds;
    for (std::uint64_t first = 0; first < size; first += step) {
      bounds.push_back(static_cast<std::int64_t>(first));
    }
    bounds.push_back(static_cast<std::int64_t>(size));
    return bounds;
  };
  LayerTiles tiles;
  tiles.m = cut(plan.spec.m, plan.chunk_rows);
  tiles.k = cut(plan.spec.k, config.array_rows);
  tiles.n = cut(plan.spec.n, config.array_cols);
  return tiles;
}

TilingPlan plan_of(const Segment& segment, const Schedule& schedule, const MachineConfig& config) {
  return weft::plan_of(schedule.layers.front().mappings.front(), *only_product(segment, config),
                       config);
}

LayerResult layer_result(const Segment& segment, const ContractionLayer& layer,
                         graph::ValueId value, std::size_t tensor) {
  LayerResult result;
  result.value = value;
  result.view = layer.out;
  result.size = segment.sheets[layer.out.sheet].size;
  result.wide = true;
  ResultRows& rows = result.rows.emplace_back();
  rows.count = result.size.rows;
  rows.tensor = tensor;
  result.narrow_inputs.push_back(segment.sheets[layer.a.sheet].value);
  return result;
}

}  // namespace

std::optional<MatmulSpec> only_product(const Segment& segment, const MachineConfig& config) {
  if (segment.layers.size() != 1) return std::nullopt;
  const auto* layer = std::get_if<ContractionLayer>(&segment.layers.front().body);
  if (layer == nullptr || !is_one_matrix(*layer) || !is_dense(layer->walk) ||
      !is_plain(layer->epilogue)) {
    return std::nullopt;
  }
  const Sheet& a = segment.sheets[layer->a.sheet];
  const Sheet& out = segment.sheets[layer->out.sheet];
  const std::int64_t rows = layer->walk.rows();
  const bool streams = a.from_host && !a.make && is_whole(layer->a, a, {rows, layer->k}) &&
                       out.wide && is_whole(layer->out, out, {rows, layer->n});
  if (!streams) return std::nullopt;
  MatmulSpec spec;
  spec.m = size_of(rows);
  spec.k = size_of(layer->k);
  spec.n = size_of(layer->n);
  spec.bias = static_cast<bool>(layer->epilogue.bias);
  spec.activation =
      activation_of(function_of(layer->epilogue), config.dtype).value_or(Activation::kNone);
  return spec;
}

std::unique_ptr<InstructionStream> product_stream(const Segment& segment, const Schedule& schedule,
                                                  const MachineConfig& config) {
  return matmul_stream(plan_of(segment, schedule, config), config);
}

LayerInfo product_layer(const Segment& segment, const Schedule& schedule,
                        const MachineConfig& config) {
  return layer_info(segment.layers.front(), plan_of(segment, schedule, config), config);
}

bool is_product(const Schedule& schedule) {
  return schedule.layers.size() == 1 && schedule.layers.front().mappings.size() == 1 &&
         schedule.layers.front().mappings.front().transfers == Transfers::kRings;
}

MachineStep product_step(const Segment& segment, const Schedule& schedule,
                         const MachineConfig& config, std::size_t most) {
  const Layer& layer = segment.layers.front();
  const auto& body = std::get<ContractionLayer>(layer.body);
  const TilingPlan plan = plan_of(segment, schedule, config);
  const LaneFunction function = function_of(body.epilogue);
  MachineStep step;
  step.schedule = schedule;
  step.program = lower_matmul(plan, config, function, most);
  if (!activation_of(function, config.dtype)) step.program.computes.reset();
  const bool weight_rows = TileWalk(plan).tiles() > 0;
  step.tensors = host_tensors(segment, body, config.dtype, weight_rows);
  step.layers.push_back(layer_info(layer, plan, config));
  step.layers.back().tiles = layer_tiles(plan, config);
  step.layers.back().folds = map_folds(plan.spec.k, plan.spec.n, plan, config);
  const std::size_t out = step.tensors.size() - (weight_rows ? 2 : 1);
  step.results.push_back(layer_result(segment, body, layer.value, out));
  step.instruction_layer.assign(step.program.code.size(), 0);
  for (const InstructionTile& tile : instruction_tiles(plan, step.program)) {
    step.instruction_tile.push_back({static_cast<std::int32_t>(tile.chunk),
                                     static_cast<std::int32_t>(tile.k_tile),
                                     static_cast<std::int32_t>(tile.n_tile)});
  }
  return step;
}

}  // namespace weft::compiler
