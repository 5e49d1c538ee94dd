#include "compiler/program/stream.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "base/error.h"
#include "sim/timing/transfers.h"

namespace weft::compiler {
namespace {

/// The operation on rows further down: of the unified buffer by `buffer`, of the accumulators by
/// `accumulators`.
Operation moved(Operation operation, std::uint32_t buffer, std::uint32_t accumulators) {
  if (auto* load = std::get_if<Load>(&operation)) load->ub += buffer;
  if (auto* store = std::get_if<Store>(&operation)) store->ub += buffer;
  if (auto* fetch = std::get_if<Fetch>(&operation); fetch != nullptr && fetch->buffer) {
    fetch->buffer->row += buffer;
  }
  if (auto* matmul = std::get_if<Matmul>(&operation)) {
    matmul->ub.base += buffer;
    matmul->acc += accumulators;
  }
  if (auto* vector = std::get_if<Vector>(&operation)) {
    vector->ub += buffer;
    if (vector->source) {
      vector->source->rows.base += buffer;
    } else {
      vector->acc += accumulators;
    }
    if (vector->has_bias) vector->bias += buffer;
    if (vector->operand) vector->operand->row += buffer;
  }
  return operation;
}

}  // namespace

Stream::Stream(const MachineConfig& config, MachineStep& step, InstructionSink& sink,
               std::size_t most)
    : config_(config), step_(step), sink_(sink), most_(most), tracker_(config) {}

void Stream::order_by_start(const MachineConfig& planned) {
  planned_ = &planned;
  scheduler_.emplace(
      planned, [this](const ListScheduler::Entry& entry) { write(entry); }, ListScheduler::kBlock,
      staging_from_);
}

void Stream::order_by_tile(const MachineConfig& planned) {
  order_by_start(planned);
  sharing_.emplace(planned, *scheduler_);
}

void Stream::order_rounds(const MachineConfig& planned, std::size_t at_once) {
  order_by_start(planned);
  merger_.emplace(planned, *scheduler_, at_once, staging_from_);
  at_once_ = at_once;
}

void Stream::begin_round(bool apart) {
  part_ = apart ? 0 : (part_ + 1) % at_once_;
  if (merger_ && !apart) return merger_->begin_round();
  if (!scheduler_) return;
  finish();
  if (merger_) return order_rounds(*planned_, at_once_);
  if (sharing_) return order_by_tile(*planned_);
  order_by_start(*planned_);
}

void Stream::count_bytes(const Operation& operation) {
  LayerInfo& info = step_.layers[layer_];
  if (const auto* load = std::get_if<Load>(&operation)) {
    const std::uint64_t bytes = transfer_request(operation, config_)->bytes;
    const bool weights = load->ub >= weights_from_;
    (weights ? info.weight_bytes : info.input_bytes) += bytes;
    if (weights) info.weight_row_bytes += bytes;
  } else if (std::holds_alternative<Store>(operation)) {
    info.output_bytes += transfer_request(operation, config_)->bytes;
  }
}

void Stream::emit(const Operation& operation) {
  if (emitted_ == most_) refuse_longer();
  ++emitted_;
  count_bytes(operation);
  if (part_ == 0) return add({operation, layer_, tile_});
  const auto part = static_cast<std::uint32_t>(part_);
  add({moved(operation, moved_by(), part * planned_->accumulator_rows), layer_, tile_});
}

std::uint32_t Stream::moved_by() const {
  if (part_ == 0) return 0;
  return static_cast<std::uint32_t>(part_ * planned_->unified_buffer_rows());
}

void Stream::add(const ListScheduler::Entry& entry) {
  if (merger_) {
    merger_->add(entry);
  } else if (sharing_) {
    sharing_->add(entry);
  } else if (scheduler_) {
    scheduler_->add(entry);
  } else {
    write(entry);
  }
}

void Stream::after_writes(std::uint64_t base, std::uint64_t rows, std::uint64_t planes,
                          std::uint64_t plane_rows, std::function<void(std::size_t)> note) {
  if (!scheduler_) return note(written_);
  const auto call = [this, note = std::move(note)] { note(written_); };
  base += moved_by();
  if (merger_) return merger_->after_writes(base, rows, planes, plane_rows, call);
  if (sharing_) return sharing_->after_writes(base, rows, planes, plane_rows, call);
  scheduler_->after_writes(base, rows, planes, plane_rows, call);
}

void Stream::finish() {
  if (merger_) return merger_->finish();
  if (sharing_) return sharing_->finish();
  if (scheduler_) scheduler_->finish();
}

void Stream::write(const ListScheduler::Entry& entry) {
  ++written_;
  if (const auto* fetch = std::get_if<Fetch>(&entry.operation)) {
    LayerInfo& info = step_.layers[entry.layer];
    ++info.fetches;
    if (!fetch->buffer) info.weight_bytes += config_.tile_bytes();
  }
  sink_.add({entry.operation, tracker_.add(entry.operation)}, entry.layer, entry.tile);
}

void Stream::refuse_longer() const {
  if (most_ < kMaxInstructions) {
    throw InputError(fmt::format(
        "the network takes more than {} instructions, the most that the memory of this computer "
        "has room for; choose a smaller input or batch, or a larger machine (`weft run --engine "
        "analytic` holds no program)",
        most_));
  }
  if (most_ == kMaxInstructions) {
    throw InputError(
        "the network takes more than 2^26 instructions, the most that a program may have; choose "
        "a smaller input or batch, or a larger machine (`weft run --engine analytic` holds no "
        "program)");
  }
  throw InputError(
      "the network takes more than 2^32 - 1 instructions, the most that a run may have; choose a "
      "smaller input or batch, or a larger machine");
}

}  // namespace weft::compiler
