#include "compiler/emit/sheet_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "compiler/layers/host_tensors.h"
#include "compiler/rows/ceil_div.h"
#include "sim/isa/check/tensor_layout.h"

namespace weft::network {
namespace {

std::uint64_t usable_rows(const MachineConfig& config) {
  return std::min<std::uint64_t>(config.unified_buffer_rows(),
                                 std::numeric_limits<std::int32_t>::max());
}

}  // namespace

SheetMemory::SheetMemory(const MachineConfig& config, std::vector<Sheet> sheets,
                         std::uint64_t margin, const BufferShares& shares, Stream& stream,
                         MachineStep& step)
    : config_(config),
      stream_(stream),
      step_(step),
      margin_(
          static_cast<std::int64_t>(shares.stay ? std::min(margin, usable_rows(config) / 2) : 0)),
      stay_(shares.stay),
      rows_(usable_rows(config), static_cast<std::uint64_t>(margin_),
            usable_rows(config) / shares.staging) {
  for (Sheet& sheet : sheets) states_.push_back({std::move(sheet), {}, {}, {}, false});
}

std::int64_t SheetMemory::plane_width(std::size_t id) const {
  return sheet(id).wide ? config_.array_cols : config_.array_rows;
}

std::int64_t SheetMemory::planes(std::size_t id) const {
  return ceil_div(sheet(id).size.channels, plane_width(id));
}

std::uint64_t SheetMemory::total_rows(std::size_t id) const {
  const std::uint64_t width = sheet(id).wide ? config_.result_row_rows() : 1;
  return static_cast<std::uint64_t>(planes(id) * sheet(id).size.rows) * width;
}

Placement SheetMemory::whole(std::size_t id) const {
  const std::int64_t width = sheet(id).wide ? config_.result_row_rows() : 1;
  return {std::int64_t{*states_[id].base}, sheet(id).size.rows * width, width};
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
  State& state = states_[id];
  if (state.host) return *state.host;
  const Sheet& sheet = state.sheet;
  const TensorRole role = sheet.from_host ? TensorRole::kActivation
                          : sheet.wide    ? TensorRole::kResult
                                          : TensorRole::kNarrow;
  const ElementType type = sheet.wide ? accumulator_type(config_.dtype) : config_.dtype;
  state.tensor = step_.tensors.size();
  state.host = add_tensor(role, type, sheet.size.rows, sheet.size.channels, sheet_tensor(sheet));
  return *state.host;
}

void SheetMemory::transfer(std::size_t id, const Block& block, const Placement& placement,
                           bool load) {
  const std::uint64_t host = host_rows(id);
  const std::int64_t rows = block.last_row - block.first_row;
  const std::int64_t piece = std::max(kLeastSheetPiece, ceil_div(rows, kSheetPieces));
  const std::int64_t width = placement.row_rows;
  for (std::int64_t row = block.first_row; row < block.last_row; row += piece) {
    const auto count = static_cast<std::uint32_t>(std::min(piece, block.last_row - row) * width);
    for (std::int64_t plane = block.first_plane; plane < block.last_plane; ++plane) {
      const auto from =
          host + static_cast<std::uint64_t>((plane * sheet(id).size.rows + row) * width);
      const auto ub = static_cast<std::uint32_t>(placement.at(plane, row));
      if (load) {
        stream_.emit(Load{from, ub, count});
      } else {
        stream_.emit(Store{ub, from, count});
      }
    }
  }
}

void SheetMemory::load(std::size_t id, const Block& block, const Placement& placement) {
  transfer(id, block, placement, true);
}

void SheetMemory::store(std::size_t id, const Block& block, const Placement& placement) {
  transfer(id, block, placement, false);
}

void SheetMemory::report_spill(std::size_t id) {
  State& state = states_[id];
  if (std::exchange(state.spill_reported, true) || state.sheet.wide) return;
  step_.layers.back().spilled.push_back(
      {state.sheet.from_host, state.sheet.size, total_rows(id) * config_.row_bytes()});
}

std::optional<std::uint32_t> SheetMemory::take(std::uint64_t rows) {
  return stay_ ? rows_.take(rows) : std::nullopt;
}

void SheetMemory::prepare_input(std::size_t id) {
  State& state = states_[id];
  if (state.base) return;
  state.base = take(total_rows(id));
  if (!state.base) return report_spill(id);
  load(id, {0, planes(id), 0, sheet(id).size.rows}, whole(id));
}

void SheetMemory::prepare_output(std::size_t id) {
  State& state = states_[id];
  // A wide sheet only passes through on its way to the host.
  if (!state.sheet.wide) state.base = take(total_rows(id));
  if (!state.base) report_spill(id);
}

void SheetMemory::clear_last_plane(std::size_t id) {
  const Sheet& target = sheet(id);
  const bool full = target.size.channels % plane_width(id) == 0;
  if (full || target.wide || !resident(id) || config_.dtype == ElementType::kInt8) return;
  // All rows of this source are padding, so it reads nothing.
  VectorSource zeros;
  zeros.rows.loops[0] = {static_cast<std::uint32_t>(target.size.rows), 0};
  zeros.rows.bounds[0] = {-1, 0, 1};
  for (std::int64_t column = 0; column < plane_width(id); column += config_.array_cols) {
    Vector clear;
    clear.source = zeros;
    clear.rows = static_cast<std::uint32_t>(target.size.rows);
    clear.ub = static_cast<std::uint32_t>(whole(id).at(planes(id) - 1, 0));
    clear.format = RowFormat::kNarrow;
    clear.window = {static_cast<std::uint32_t>(column), 0};
    const std::int64_t lanes = std::min<std::int64_t>(config_.array_cols, plane_width(id) - column);
    if (lanes < config_.array_cols) clear.lanes = static_cast<std::uint32_t>(lanes);
    clear.fill = false;
    step_.layers.back().vector_rows += clear.rows;
    stream_.emit(clear);
  }
}

void SheetMemory::refuse(std::uint64_t rows, const std::string& what) const {
  const std::uint64_t there = rows_.staging_rows();
  throw ConfigError(fmt::format(
      "unified_buffer.kib = {}: too small for layer {}, which needs {} at once: {} rows or {} "
      "bytes, and there are {} rows or {} bytes; enlarge the buffer",
      config_.unified_buffer_kib, step_.layers.back().name, what, rows, rows * config_.row_bytes(),
      there, there * config_.row_bytes()));
}

void SheetMemory::finish_output(std::size_t id) {
  State& state = states_[id];
  if (state.sheet.results.empty() || state.sheet.from_host || !state.base) return;
  store(id, {0, planes(id), 0, sheet(id).size.rows}, whole(id));
}

void SheetMemory::release_after(std::size_t layer) {
  for (State& state : states_) {
    if (!state.base || state.sheet.last_use > layer) continue;
    rows_.release(*state.base);
    state.base.reset();
  }
}

std::uint64_t SheetMemory::staging_need(std::size_t id, const Block& block) const {
  if (resident(id)) return 0;
  return block.rows() * (sheet(id).wide ? config_.result_row_rows() : 1);
}

Placement SheetMemory::write(std::size_t id, const Block& block) {
  if (resident(id)) return whole(id);
  const std::int64_t width = sheet(id).wide ? config_.result_row_rows() : 1;
  // A block without rows (a chunk that is all padding) still needs distinct planes.
  const std::int64_t step = std::max<std::int64_t>(1, block.last_row - block.first_row) * width;
  const std::int64_t base = rows_.stage(staging_need(id, block));
  return {base - block.first_plane * step - block.first_row * width, step, width};
}

Placement SheetMemory::write_from(std::size_t id, const Block& block, std::int64_t first) {
  const Placement placement = write(id, block);
  if (first % plane_width(id) == 0 || resident(id)) return placement;
  Block begun = block;
  begun.last_plane = begun.first_plane + 1;
  load(id, begun, placement);
  return placement;
}

Placement SheetMemory::read(std::size_t id, const Block& block) {
  const Placement placement = write(id, block);
  if (!resident(id)) load(id, block, placement);
  return placement;
}

void SheetMemory::wrote(std::size_t id, const Block& block, const Placement& placement) {
  if (!resident(id)) store(id, block, placement);
}

std::optional<std::uint32_t> SheetMemory::take_constant(std::uint64_t rows) {
  const auto base = take(rows);
  if (base) constants_.push_back(*base);
  return base;
}

std::uint64_t SheetMemory::add_wide_constant(std::int64_t channels, std::function<Matrix()> make,
                                             ElementType type) {
  return add_tensor(TensorRole::kBias, type, 1, channels, constant_tensor(std::move(make), false));
}

std::uint64_t SheetMemory::add_narrow_constant(SheetSize size, std::function<Matrix()> make) {
  return add_tensor(TensorRole::kActivation, config_.dtype, size.rows, size.channels,
                    constant_tensor(std::move(make), false));
}

void SheetMemory::load_rows(std::uint64_t host, std::uint32_t base, std::uint32_t rows) {
  stream_.emit(Load{host, base, rows});
}

void SheetMemory::release_constants() {
  for (const std::uint32_t base : constants_) rows_.release(base);
  constants_.clear();
}

std::uint64_t SheetMemory::add_weights(std::int64_t k, std::int64_t n, std::function<Matrix()> make,
                                       bool fixed) {
  return add_tensor(TensorRole::kWeights, config_.dtype, k, n,
                    constant_tensor(std::move(make), fixed));
}

}  // namespace weft::network
