#include "compiler/emit/sheet_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/layers/host_tensors.h"
#include "compiler/rows/ceil_div.h"
#include "sim/isa/check/tensor_layout.h"

namespace weft::compiler {
SheetMemory::SheetMemory(const MachineConfig& config, const PartedSegment& parts,
                         const Schedule& schedule, Stream& stream, MachineStep& step)
    : config_(config),
      stream_(stream),
      step_(step),
      schedule_(schedule),
      places_(config, parts.segment.sheets, schedule.buffer),
      staging_(schedule.buffer),
      tile_rings_(
          static_cast<std::size_t>(schedule.groups.rounds_at_once),
          TileRing(schedule.buffer.end, tile_slot_rows(config), schedule.buffer.tile_slots)),
      parts_(parts.sheets),
      states_(parts.sheets.size()) {}

void SheetMemory::begin_round(bool apart) {
  staging_.restart();
  part_ = apart ? 0 : (part_ + 1) % tile_rings_.size();
}

std::uint64_t SheetMemory::add_tensor(TensorRole role, ElementType type, std::int64_t rows,
                                      std::int64_t cols, HostTensor behind) {
  TensorDecl decl{fmt::format("t{}", step_.program.tensors.size()),
                  role,
                  type,
                  static_cast<std::uint64_t>(rows),
                  static_cast<std::uint64_t>(cols),
                  0};
  const std::uint64_t extent = tensor_extent(decl, step_.program);
  std::uint64_t& next = lies_in_weight_memory(role) ? next_tile_ : next_host_row_;
  decl.base = next;
  next += extent;
  step_.program.tensors.push_back(std::move(decl));
  step_.tensors.push_back(std::move(behind));
  return next - extent;
}

std::uint64_t SheetMemory::host_rows(std::size_t id) {
  SheetState& state = states_[parts_[id].in_tensor_of];
  if (state.host) return *state.host;
  const Sheet& sheet = places_.sheet(id);
  state.tensor = step_.tensors.size();
  if (sheet.patches) {
    const PatchWindows& patches = *sheet.patches;
    state.host = add_tensor(TensorRole::kImage, config_.dtype,
                            patches.images * patches.channels * patches.y.input, patches.x.input,
                            sheet_tensor(sheet));
    return *state.host;
  }
  const TensorRole role = sheet.from_host ? TensorRole::kActivation
                          : sheet.wide    ? TensorRole::kResult
                                          : TensorRole::kNarrow;
  const ElementType type = sheet.wide ? accumulator_type(config_.dtype) : config_.dtype;
  const std::int64_t rows = is_of_host(sheet) ? parts_[id].whole_rows : sheet.size.rows;
  state.host = add_tensor(role, type, rows, sheet.size.channels, sheet_tensor(sheet));
  return *state.host;
}

std::int64_t SheetMemory::host_row(std::size_t id, std::int64_t plane, std::int64_t row) const {
  const SheetPart& part = parts_[id];
  if (!is_of_host(sheet(id))) return plane * sheet(id).size.rows + row;
  return plane * part.whole_rows + part.first_row + row;
}

namespace {

/// Rows of each of the transfers in which `rows` rows are moved.
std::int64_t piece_of(std::int64_t rows) {
  return std::max(kLeastSheetPiece, ceil_div(rows, kSheetPieces));
}

std::int64_t piece_of(const Block& block) {
  return piece_of(block.last_row - block.first_row);
}

}  // namespace

void SheetMemory::transfer(std::size_t id, const Block& block, const Placement& placement,
                           std::int64_t piece, bool load) {
  const std::uint64_t host = host_rows(id);
  const std::int64_t width = placement.row_rows;
  for (std::int64_t row = block.first_row; row < block.last_row; row += piece) {
    const auto count = static_cast<std::uint32_t>(std::min(piece, block.last_row - row) * width);
    for (std::int64_t plane = block.first_plane; plane < block.last_plane; ++plane) {
      const auto from = host + static_cast<std::uint64_t>(host_row(id, plane, row) * width);
      const auto ub = static_cast<std::uint32_t>(placement.at(plane, row));
      if (load) {
        stream_.emit(Load{from, ub, count});
      } else {
        stream_.emit(Store{ub, from, count});
      }
    }
  }
}

// Loads windows of whole lines, so that no image line comes more often than the windows overlap.
void SheetMemory::load_patches(std::size_t id, const Block& block, const Placement& placement,
                               std::int64_t piece) {
  const PatchWindows& windows = *sheet(id).patches;
  const std::uint64_t host = host_rows(id);
  const std::int64_t width = windows.x.output;
  const std::int64_t image = windows.y.output * width;
  const std::int64_t before = parts_[id].first_row;  // rows in other parts
  std::int64_t count = 0;
  for (std::int64_t row = block.first_row; row < block.last_row; row += count) {
    const std::int64_t left = block.last_row - row;
    const std::int64_t y = (before + row) % image / width;
    const std::int64_t x = (before + row) % width;
    count = x > 0 || left < width
                ? std::min(width - x, left)
                : std::min({ceil_div(piece, width), windows.y.output - y, left / width}) * width;
    for (std::int64_t plane = block.first_plane; plane < block.last_plane; ++plane) {
      Load load{host, static_cast<std::uint32_t>(placement.at(plane, row)),
                static_cast<std::uint32_t>(count)};
      load.patches =
          patches_of(windows, (before + row) / image, y, x, std::min(width, count), plane);
      stream_.emit(load);
    }
  }
}

Patches SheetMemory::patches_of(const PatchWindows& windows, std::int64_t image, std::int64_t y,
                                std::int64_t x, std::int64_t width, std::int64_t plane) const {
  const auto axis = [](const graph::WindowDim& dim, std::int64_t from) {
    return PatchAxis{static_cast<std::int32_t>(from * dim.stride - dim.pad_begin),
                     static_cast<std::uint32_t>(dim.stride), static_cast<std::uint32_t>(dim.input),
                     static_cast<std::uint32_t>(dim.kernel),
                     static_cast<std::uint32_t>(dim.dilation)};
  };
  const std::int64_t first = plane * config_.array_rows;
  const std::int64_t lanes =
      std::min<std::int64_t>(config_.array_rows, windows.size().channels - first);
  return {.first = static_cast<std::uint32_t>(first),
          .lanes = static_cast<std::uint32_t>(lanes),
          .x = axis(windows.x, x),
          .y = axis(windows.y, y),
          .width = static_cast<std::uint32_t>(width),
          .offset = static_cast<std::uint64_t>(image * windows.channels * windows.y.input *
                                               windows.x.input),
          .pad = windows.pad};
}

void SheetMemory::load(std::size_t id, const Block& block, const Placement& placement,
                       std::int64_t piece) {
  if (sheet(id).patches) return load_patches(id, block, placement, piece);
  transfer(id, block, placement, piece, true);
}

void SheetMemory::load(std::size_t id, const Block& block, const Placement& placement) {
  load(id, block, placement, piece_of(block));
}

void SheetMemory::store(std::size_t id, const Block& block, const Placement& placement) {
  transfer(id, block, placement, piece_of(block), false);
}

void SheetMemory::report_spill(std::size_t id) {
  SheetState& state = states_[id];
  if (std::exchange(state.spill_reported, true) || sheet(id).wide) return;
  const Spill part{sheet(id).from_host, sheet(id).size, parts_[id].whole_rows,
                   places_.total_rows(id) * config_.row_bytes()};
  std::vector<Spill>& spilled = step_.layers[layer_].spilled;
  const auto [known, is_new] =
      spills_.try_emplace(parts_[id].sheet, std::pair(layer_, spilled.size()));
  if (is_new) return spilled.push_back(part);
  Spill& whole = step_.layers[known->second.first].spilled[known->second.second];
  whole.size.rows += part.size.rows;
  whole.bytes += part.bytes;
}

void SheetMemory::begin_layer(std::size_t index, std::size_t body) {
  layer_ = index;
  body_ = body;
  next_constant_ = 0;
}

void SheetMemory::prepare_input(std::size_t id, std::size_t layer) {
  if (!prepare_output(id, layer)) return;
  const std::int64_t rows = sheet(id).size.rows;
  const std::int64_t piece = piece_of(rows);
  // Whole lines of patches, as load_patches() cuts them.
  const std::int64_t line = sheet(id).patches ? sheet(id).patches->x.output : 1;
  const std::int64_t first = std::min(rows, ceil_div(piece, line) * line);
  load(id, {0, places_.planes(id), 0, first}, places_.whole(id), piece);
  if (first < rows) to_load_.emplace_back(id, first);
}

void SheetMemory::load_inputs() {
  for (const auto& [id, first] : std::exchange(to_load_, {})) {
    const std::int64_t rows = sheet(id).size.rows;
    load(id, {0, places_.planes(id), first, rows}, places_.whole(id), piece_of(rows));
  }
}

bool SheetMemory::prepare_output(std::size_t id, std::size_t layer) {
  if (places_.resident(id)) return false;
  const std::optional<SheetStay>& stay = schedule_.sheets[id];
  if (!stay || stay->from_layer != layer) {
    report_spill(id);
    return false;
  }
  places_.place(id, stay->base);
  return true;
}

void SheetMemory::clear_last_plane(std::size_t id) {
  const Sheet& target = sheet(id);
  const std::int64_t width = places_.plane_width(id);
  const bool full = target.size.channels % width == 0;
  if (full || target.wide || !places_.resident(id) || config_.dtype == ElementType::kInt8) return;
  // All rows of this source are padding, so it reads nothing.
  VectorSource zeros;
  zeros.rows.loops[0] = {static_cast<std::uint32_t>(target.size.rows), 0};
  zeros.rows.bounds[0] = {-1, 0, 1};
  for (std::int64_t column = 0; column < width; column += config_.array_cols) {
    Vector clear;
    clear.source = zeros;
    clear.rows = static_cast<std::uint32_t>(target.size.rows);
    clear.ub = static_cast<std::uint32_t>(places_.whole(id).at(places_.planes(id) - 1, 0));
    clear.format = RowFormat::kNarrow;
    clear.window = {static_cast<std::uint32_t>(column), 0};
    const std::int64_t lanes = std::min<std::int64_t>(config_.array_cols, width - column);
    if (lanes < config_.array_cols) clear.lanes = static_cast<std::uint32_t>(lanes);
    clear.fill = false;
    step_.layers[layer_].vector_rows += clear.rows;
    stream_.emit(clear);
  }
}

void SheetMemory::finish_output(std::size_t id, std::int64_t first, std::int64_t last) {
  if (sheet(id).results.empty() || sheet(id).from_host || !places_.resident(id)) return;
  store(id, {0, places_.planes(id), first, last}, places_.whole(id));
}

void SheetMemory::release_after(std::size_t layer) {
  for (std::size_t id = 0; id < states_.size(); ++id) {
    if (sheet(id).last_use <= layer) places_.remove(id);
  }
}

Placement SheetMemory::write(std::size_t id, const Block& block) {
  if (places_.resident(id)) return places_.whole(id);
  const std::int64_t width = sheet(id).wide ? config_.result_row_rows() : 1;
  // A block without rows (a chunk that is all padding) still needs distinct planes.
  const std::int64_t step = std::max<std::int64_t>(1, block.last_row - block.first_row) * width;
  const std::int64_t base = staging_.stage(places_.staging_need(id, block));
  return {base - block.first_plane * step - block.first_row * width, step, width};
}

Placement SheetMemory::write_from(std::size_t id, const Block& block, std::int64_t first) {
  const Placement placement = write(id, block);
  if (first % places_.plane_width(id) == 0 || places_.resident(id)) return placement;
  Block begun = block;
  begun.last_plane = begun.first_plane + 1;
  load(id, begun, placement);
  return placement;
}

Placement SheetMemory::read(std::size_t id, const Block& block) {
  load_inputs();
  const Placement placement = write(id, block);
  if (!places_.resident(id)) load(id, block, placement);
  return placement;
}

void SheetMemory::wrote(std::size_t id, const Block& block, const Placement& placement) {
  if (!places_.resident(id)) store(id, block, placement);
}

std::uint64_t SheetMemory::add_constant(const HostConstant& constant,
                                        std::function<Matrix()> make) {
  std::vector<std::uint64_t>& known = constants_[{layer_, body_}];
  if (next_constant_ == known.size()) {
    known.push_back(add_tensor(constant.role, constant.type, constant.size.rows,
                               constant.size.channels, constant_tensor(std::move(make), false)));
  }
  return known[next_constant_++];
}

std::uint64_t SheetMemory::add_wide_constant(std::int64_t channels, std::function<Matrix()> make,
                                             ElementType type) {
  return add_constant({TensorRole::kBias, type, {1, channels}}, std::move(make));
}

std::uint64_t SheetMemory::add_narrow_constant(SheetSize size, std::function<Matrix()> make) {
  return add_constant({TensorRole::kActivation, config_.dtype, size}, std::move(make));
}

void SheetMemory::load_rows(std::uint64_t host, std::uint32_t base, std::uint32_t rows) {
  stream_.emit(Load{host, base, rows});
}

std::uint64_t SheetMemory::add_weights(std::int64_t k, std::int64_t n, std::function<Matrix()> make,
                                       bool fixed) {
  return add_tensor(TensorRole::kWeights, config_.dtype, k, n,
                    constant_tensor(std::move(make), fixed));
}

std::uint64_t SheetMemory::add_weight_rows(std::int64_t k, std::int64_t n,
                                           std::function<Matrix()> make, bool fixed) {
  return add_tensor(TensorRole::kActivation, config_.dtype, k, n,
                    constant_tensor(std::move(make), fixed));
}

}  // namespace weft::compiler
