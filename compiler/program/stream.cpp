#include "compiler/program/stream.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "base/error.h"
#include "sim/timing/transfers.h"

namespace weft::compiler {

Stream::Stream(const MachineConfig& config, MachineStep& step, InstructionSink& sink,
               std::size_t most)
    : config_(config), step_(step), sink_(sink), most_(most), tracker_(config) {}

void Stream::order_by_start(const MachineConfig& planned) {
  planned_ = &planned;
  scheduler_.emplace(planned, [this](const ListScheduler::Entry& entry) { write(entry); });
}

void Stream::order_by_tile(const MachineConfig& planned) {
  order_by_start(planned);
  sharing_.emplace(planned, *scheduler_);
}

void Stream::begin_round() {
  if (!scheduler_) return;
  finish();
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
  const ListScheduler::Entry entry{operation, layer_, tile_};
  if (sharing_) {
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
  if (sharing_) return sharing_->after_writes(base, rows, planes, plane_rows, call);
  scheduler_->after_writes(base, rows, planes, plane_rows, call);
}

void Stream::finish() {
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
