// Products whose streaming operand has its rows in the channels, such as the transposed activations
// in a weight gradient. The array transposes the operand: tiles are fetched transposed from the
// unified buffer, and rows of the identity stream through them,
//
//     identity [R, R]  x  tile, fetched transposed  =  R rows of the transposed matrix
//
// with one product for each R rows. A product that only the host reads may instead be computed
// transposed, as B'A', and read through a transposed view. The planner takes the way with fewer
// estimated cycles, and schedule_network() also tries the network with all in one way.
//
// Products with constant weights may be computed transposed as well. The activations are then the
// operand that stays in the array. The result lies turned: its features in rows, its tokens in the
// channels. Element-wise layers and further products read it there. For all other layers the array
// turns it back.
#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/rows/ceil_div.h"
#include "compiler/rows/elements.h"
#include "compiler/segments/contraction_weights.h"
#include "compiler/segments/planner.h"

namespace weft::compiler {

using graph::ValueId;

namespace {

bool lies_in_channels(const ViewDim& dim) {
  return dim.extent == 1 || (dim.row_step == 0 && dim.channel_step == 1);
}

bool lies_in_rows(const ViewDim& dim) {
  return dim.extent == 1 || (dim.row_step == 1 && dim.channel_step == 0);
}

std::function<Matrix()> identity(std::int64_t size, ElementType dtype) {
  return [size, dtype] {
    graph::Tensor ones(graph::DataType::kFloat32, {size, size});
    for (std::int64_t i = 0; i < size; ++i) {
      ones.mutable_data<float>()[unsigned_of(i * size + i)] = 1;
    }
    return to_sheet(ones, dense_view(0, ones.shape(), 1), {size, size}, dtype);
  };
}

/// Repeats each product for every index of `dim` of the second operand, with results `step` rows
/// apart.
void repeat_products(const ViewDim& dim, std::int64_t step, std::vector<BatchOffset>& products) {
  const std::vector<BatchOffset> first = products;
  for (std::int64_t i = 1; i < dim.extent; ++i) {
    for (BatchOffset product : first) {
      product.b_row += i * dim.row_step;
      product.b_channel += i * dim.channel_step;
      product.out_row += i * step;
      products.push_back(product);
    }
  }
}

/// Estimated cycles of the array: each tile takes its rows or the R pushes, whichever is more.
std::int64_t product_cycles(std::int64_t m, std::int64_t k, std::int64_t n,
                            const MachineConfig& config) {
  const std::int64_t rows = config.array_rows;
  return ceil_div(k, rows) * ceil_div(n, std::int64_t{config.array_cols}) * std::max(m, rows);
}

std::int64_t transfer_cycles(std::uint64_t bytes, std::uint64_t bytes_per_s,
                             const MachineConfig& config) {
  if (config.memory_kind == MemoryKind::kIdeal) return 0;
  const double cycles = static_cast<double>(bytes) * static_cast<double>(config.clock_hz) /
                        static_cast<double>(bytes_per_s);
  return static_cast<std::int64_t>(cycles);
}

std::int64_t turning_cycles(std::int64_t rows, std::int64_t cols, const MachineConfig& config) {
  const std::int64_t side = config.array_rows;
  return ceil_div(cols, side) * product_cycles(side, side, rows, config);
}

/// Cycles of the weight tiles of a product [M, K] x [K, N], whose slots in the FIFO may limit it
/// (docs/bounds.md).
std::int64_t streamed_rows_cycles(std::int64_t m, std::int64_t k, std::int64_t n,
                                  const MachineConfig& config) {
  const std::int64_t rows = config.array_rows;
  const std::int64_t cols = config.array_cols;
  const auto fetch = transfer_cycles(config.tile_bytes(), config.memory_bytes_per_s, config);
  const bool is_ideal = config.memory_kind == MemoryKind::kIdeal;
  const std::int64_t latency = is_ideal ? 0 : std::int64_t{config.memory_latency_cycles};
  const std::int64_t slots = config.weight_fifo_tiles;
  const std::int64_t pitch = ceil_div(fetch + latency + m + 2 * rows + cols, slots);
  return ceil_div(k, rows) * ceil_div(n, cols) * std::max({m, rows, fetch, pitch});
}

/// Cycles of the same product computed transposed, whose weights come through loads.
std::int64_t streamed_weights_cycles(std::int64_t m, std::int64_t k, std::int64_t n,
                                     const MachineConfig& config) {
  const std::uint64_t planes = unsigned_of(ceil_div(k, std::int64_t{config.array_rows}));
  const std::uint64_t rate = config.memory_kind == MemoryKind::kSplit ? config.host_bytes_per_s
                                                                      : config.memory_bytes_per_s;
  const std::int64_t loads =
      transfer_cycles(planes * unsigned_of(n) * config.row_bytes(), rate, config);
  return std::max(product_cycles(n, k, m, config), loads);
}

/// The least magnitude that the array's type rounds to an infinity: half a step beyond its largest
/// number.
float first_infinite(ElementType dtype) {
  return dtype == ElementType::kFp16 ? 0x1.ffep15F : 0x1.ffp127F;
}

bool has_infinities(const graph::Tensor& tensor, ElementType dtype) {
  // Written so that it is true for NaN.
  return std::ranges::any_of(tensor.data<float>(), [limit = first_infinite(dtype)](float element) {
    return !(std::abs(element) < limit);
  });
}

}  // namespace

/// Whether a choice, sum or product takes infinities from a constant, as masks of attention do. A
/// product with an identity matrix would spread them as NaN.
bool Planner::masks_with_infinities() {
  if (masks_with_infinities_) return *masks_with_infinities_;
  const auto is_infinite = [&](ValueId input) {
    const graph::Constant* elements = lazy_constant(input);
    return elements != nullptr && elements->type().type == graph::DataType::kFloat32 &&
           has_infinities(elements->tensor(), config_.dtype);
  };
  masks_with_infinities_ = std::ranges::any_of(graph_.nodes, [&](const graph::Node& node) {
    const bool masks = node.op == graph::Op::kWhere || has(node.op, graph::Trait::kBinary);
    return masks && std::ranges::any_of(node.inputs, is_infinite);
  });
  return *masks_with_infinities_;
}

/// True on a float array for matrices whose rows lie along the channels. If the rows take more than
/// one tile, they must begin at the first lane of a plane.
bool Planner::is_turned(ValueId value) {
  const std::size_t rank = graph_.type(value).shape.size();
  if (int8() || rank < 2) return false;
  const auto view = plain_operand(value, rank - 1);
  if (!view) return false;
  const ViewDim& m = view->dims[rank - 2];
  const ViewDim& k = view->dims[rank - 1];
  if (lies_in_rows(m) && lies_in_channels(k)) return false;
  if (!lies_in_channels(m) || !lies_in_rows(k)) return false;
  const std::int64_t plane = config_.array_rows;
  return m.extent <= plane ||
         (view->channel % plane == 0 && std::ranges::all_of(view->dims, [&](const ViewDim& dim) {
            return &dim == &m || dim.channel_step % plane == 0;
          }));
}

/// Adds a layer that copies `source`, matrices [.., M, K] with M in the channels, so that M lies in
/// rows. `value` is the value with these elements, of the same shape or, if `swapped`, [K, M];
/// kNoValue if the value has another shape.
View Planner::turned_copy(const View& source, ValueId value, bool swapped) {
  const std::size_t rank = source.dims.size();
  const std::int64_t m = source.dims[rank - 2].extent;
  const std::int64_t k = source.dims[rank - 1].extent;
  const std::int64_t block = std::min<std::int64_t>(m, config_.array_rows);
  // The last block may have fewer rows than it writes.
  const std::int64_t rows = ceil_div(m, block) * block;
  ContractionLayer layer;
  layer.a = constant_sheet({block, block}, identity(block, config_.dtype));
  layer.walk.x.input = layer.walk.x.output = block;
  layer.k = block;
  layer.n = k;
  layer.weights = ComputedWeights{source, true, {}};
  View turned = dense_view(segment_->sheets.size(), source.shape(), rank - 1);
  layer.batch = {{}};
  std::int64_t matrices = 1;
  for (std::size_t axis = rank - 2; axis-- > 0;) {
    const ViewDim& dim = source.dims[axis];
    turned.dims[axis].row_step = matrices * rows;
    repeat_products(dim, matrices * rows, layer.batch);
    matrices *= dim.extent;
  }
  repeat_products({rows / block, 0, block}, block, layer.batch);
  layer.out = swapped ? transposed(turned, std::vector<std::int64_t>{1, 0}) : turned;
  Sheet sheet;
  sheet.size = {matrices * rows, k};
  sheet.value = value;
  sheet.view = layer.out;
  segment_->sheets.push_back(std::move(sheet));
  add_movement("Transpose", value, source.shape(), std::move(layer),
               "by the array: rows of the identity through tiles fetched transposed");
  return turned;
}

/// Moves a value with is_turned() into rows.
void Planner::turn(ValueId value) {
  const std::size_t rank = graph_.type(value).shape.size();
  const View rows = turned_copy(*plain_operand(value, rank - 1), value, false);
  const auto known = segment_->values.find(value);
  if (known != segment_->values.end()) moved_.emplace(value, known->second);
  segment_->values[value] = {.view = rows};
}

/// Computes (AB)' = B'A' for A [M, K] with is_turned(), and B [K, N] with K in rows.
void Planner::plan_turned_result(const graph::Node& node, ValueId second) {
  const View a = *plain_operand(node.input(0), 1);
  const View b = *plain_operand(second, 1);
  ContractionLayer layer;
  layer.a = turned_copy(transposed(b, std::vector<std::int64_t>{1, 0}), second, true);
  layer.walk.x.input = layer.walk.x.output = b.dims[1].extent;
  layer.k = b.dims[0].extent;
  layer.n = a.dims[0].extent;
  layer.weights = ComputedWeights{a, false, {}, Stationary::kFirstOperand};
  layer.out = new_result(node.outputs[0], 0, true);
  const std::uint64_t macs = unsigned_of(layer.walk.rows() * layer.k * layer.n);
  add_layer(node, node.outputs[0], macs, std::move(layer), "computed transposed, as B'A'");
}

/// Whether a product that could also be computed transposed is.
bool Planner::turns(bool by_default) {
  const bool chosen = options_.mapping.turned_results.value_or(by_default);
  (chosen ? segment_->could_turn_back : segment_->could_turn) = true;
  return chosen;
}

/// How many times as long as its tiles take turning the value back is estimated to take: 0 if all
/// layers that use it read it where it lies turned, as far as this is known before they are
/// planned. Behind element-wise layers (`by_lanes`) the array waits for the vector unit.
std::int64_t Planner::turning_factor(ValueId value, bool by_lanes) const {
  constexpr std::int64_t kDirectly = 2;
  constexpr std::int64_t kByLanes = 4;
  std::int64_t most = 0;
  for (const std::size_t user : users_[value]) {
    const graph::Node& node = graph_.nodes[user];
    const bool is_view = has(node.op, graph::Trait::kView);
    const bool is_lanes =
        has(node.op, graph::Trait::kFunction) || has(node.op, graph::Trait::kBinary);
    std::int64_t factor = by_lanes ? kByLanes : kDirectly;
    if (node.op == graph::Op::kMatMul && !graph_.is_constant(node.input(1))) {
      if (node.input(0) != value) factor = 0;
    } else if (node.op == graph::Op::kMatMul || node.op == graph::Op::kGemm) {
      if (node.input(0) == value && node.input(3) == graph::kNoValue) factor = 0;
    } else if ((is_view || is_lanes) && node.outputs.size() == 1) {
      factor = turning_factor(node.outputs[0], by_lanes || is_lanes);
    }
    most = std::max(most, factor);
  }
  return most;
}

/// Whether the product of a computed matrix with constant weights is estimated to take fewer cycles
/// transposed. If a layer must have the result turned back, that counts too.
bool Planner::saves_cycles(const graph::Node& node) const {
  const Shape& shape = graph_.type(node.input(0)).shape;
  const std::int64_t m = shape[shape.size() - 2];
  const std::int64_t k = shape.back();
  const std::int64_t n = graph_.type(node.outputs[0]).shape.back();
  std::int64_t cycles = streamed_weights_cycles(m, k, n, config_);
  cycles += turning_factor(node.outputs[0], false) * turning_cycles(n, m, config_);
  return cycles < streamed_rows_cycles(m, k, n, config_);
}

/// Moves the operands that lie turned into rows. False if there are none.
bool Planner::straighten(const graph::Node& node) {
  bool any = false;
  for (const ValueId input : node.inputs) {
    if (input == graph::kNoValue || !segment_->values.contains(input) || !is_turned(input))
      continue;
    turn(input);
    any = true;
  }
  return any;
}

/// Computes (XW)' = W'X' if the machine computed X [.., M, K]: the rows of W' stream through tiles
/// of X'. False if the weights stay in the array.
bool Planner::plan_streamed_weights(const graph::Node& node, const ConstantWeights& weights,
                                    const Epilogue& epilogue, bool wide) {
  const ValueId x = node.input(0);
  const auto known = segment_->values.find(x);
  if (int8() || epilogue.residual || known == segment_->values.end()) return false;
  const LayerOperand& source = known->second;
  if (source.flattened || segment_->sheets[source.view.sheet].from_host) return false;
  const Shape& shape = graph_.type(x).shape;
  const std::size_t rank = shape.size();
  if (rank < 2 || graph::element_count(shape) != shape[rank - 2] * shape[rank - 1]) return false;
  const auto stays = plain_operand(x, rank - 1);
  if (!stays) return false;
  const ViewDim& m = stays->dims[rank - 2];
  const ViewDim& k = stays->dims[rank - 1];
  const bool straight = lies_in_rows(m) && lies_in_channels(k);
  if (!straight && !(lies_in_channels(m) && lies_in_rows(k))) return false;
  if (!tile_fits(shape.back())) return false;
  if (only_leaves(node.outputs[0])) {
    if (!turns(turns_values() && saves_cycles(node))) return false;
  } else {
    if (!saves_cycles(node) || masks_with_infinities()) return false;
    (turns_values() ? segment_->has_turned_values : segment_->could_turn_values) = true;
    if (!turns_values()) return false;
  }
  const std::size_t k_axis = weights.form == WeightForm::kFilters ? 1 : 0;
  const auto streams = plain_operand(node.input(1), k_axis);
  if (!streams) return false;
  ContractionLayer layer;
  layer.a = *streams;
  layer.walk.x.input = layer.walk.x.output = streams->dims[1 - k_axis].extent;
  layer.k = shape.back();
  layer.n = shape[rank - 2];
  layer.weights = ComputedWeights{*stays, straight, {}};
  layer.epilogue = epilogue;
  layer.epilogue.bias_by_row = static_cast<bool>(epilogue.bias);
  layer.out = new_result(node.outputs[0], graph_.type(node.outputs[0]).shape.size() - 2, wide);
  const std::uint64_t macs = unsigned_of(layer.walk.rows() * layer.k * layer.n);
  add_layer(node, node.outputs[0], macs, std::move(layer),
            "computed transposed: the weights stream, the activations stay in the array");
  return true;
}

Refusal Planner::plan_turned_product(const graph::Node& node, ValueId second, Epilogue epilogue) {
  const Shape& a = graph_.type(node.input(0)).shape;
  const Shape& b = graph_.type(second).shape;
  if (!tile_fits(a.back())) return kTooManyRows;
  if (a.size() > 2 || b.size() > 2) {
    turn(node.input(0));
    return plan_straight_product(node, second, std::move(epilogue), {});
  }
  const auto view = plain_operand(second, 1);
  if (!view) return kUnreadableByArray;
  const bool straight = lies_in_rows(view->dims[0]) && lies_in_channels(view->dims[1]);
  if (!straight && !(lies_in_channels(view->dims[0]) && lies_in_rows(view->dims[1]))) {
    return kUnreadableByArray;
  }
  const bool plain = !epilogue.bias && !epilogue.residual && epilogue.op == VectorOp::kCopy;
  if (plain && straight && view->channel % config_.array_rows == 0 &&
      only_leaves(node.outputs[0])) {
    const std::int64_t by_a =
        turning_cycles(a[1], a[0], config_) + product_cycles(a[0], a[1], b[1], config_);
    const std::int64_t by_b =
        turning_cycles(a[1], b[1], config_) + product_cycles(b[1], a[1], a[0], config_);
    if (turns(by_b < by_a)) {
      plan_turned_result(node, second);
      return std::nullopt;
    }
  }
  turn(node.input(0));
  return plan_straight_product(node, second, std::move(epilogue), {});
}

}  // namespace weft::compiler
