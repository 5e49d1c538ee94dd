#include "sim/analysis/events.h"

#include <variant>

#include "sim/isa/row_access.h"
#include "sim/timing/transfers.h"

namespace weft {
namespace {

std::uint64_t rows_of(RowFormat format, const LaneWindow& window, std::uint32_t lanes,
                      const MachineConfig& config) {
  const RowShape shape = row_shape(format, window, lanes, config);
  return shape.blocks * shape.group;
}

void count(const Load& load, const MachineConfig&, EventCounts& events) {
  events.buffer_writes += load.rows;
}

void count(const Fetch& fetch, const MachineConfig& config, EventCounts& events) {
  ++events.tiles;
  if (fetch.buffer) events.buffer_reads += buffer_tile_reads(*fetch.buffer, config);
}

void count(const Matmul& matmul, const MachineConfig&, EventCounts& events) {
  events.streamed_rows += matmul.rows;
  if (matmul.next_weights) ++events.swaps;
  events.buffer_reads += rows_without_padding(matmul.ub, matmul.rows);
  events.accumulator_writes += matmul.rows;
  if (!matmul.accumulate) return;
  events.accumulator_reads += matmul.rows;
  events.accumulated_rows += matmul.rows;
}

void count(const Vector& vector, const MachineConfig& config, EventCounts& events) {
  const std::uint64_t rows = vector.rows;
  const std::uint32_t lanes = computed_lanes(vector, config);
  events.vector_lanes += rows * lanes;
  if (vector.source) {
    events.buffer_reads += rows_without_padding(vector.source->rows, vector.rows) *
                           rows_of(vector.source->format, vector.source->window, lanes, config);
  } else {
    events.accumulator_reads += rows;
  }
  if (vector.operand) {
    events.buffer_reads +=
        rows * rows_of(vector.operand->format, vector.operand->window, lanes, config);
  }
  if (vector.has_bias) events.buffer_reads += rows * config.result_row_rows();
  const std::uint64_t written =
      rows * rows_of(vector.format, vector.window, written_lanes(vector, config), config);
  events.buffer_writes += written;
  if (vector.mode != VectorMode::kOverwrite) events.buffer_reads += written;
}

void count(const Store& store, const MachineConfig&, EventCounts& events) {
  events.buffer_reads += store.rows;
}

}  // namespace

EventCounts& EventCounts::operator+=(const EventCounts& more) {
  for (const EventCountEntry& entry : kEventCounts) this->*entry.count += more.*entry.count;
  return *this;
}

void count_events(const MachineConfig& config, const Operation& operation, EventCounts& events) {
  std::visit([&](const auto& each) { count(each, config, events); }, operation);
  const auto request = transfer_request(operation, config);
  if (!request) return;
  const bool by_host_link = request->channel == Channel::kHost;
  (by_host_link ? events.host_bytes : events.memory_bytes) += request->bytes;
}

void visit(StateVisitor& visitor, EventCounts& events) {
  for (const EventCountEntry& entry : kEventCounts) visitor.total(events.*entry.count);
}

std::vector<EventCounts> events_by_group(const MachineConfig& config, const Program& program,
                                         std::size_t pushes,
                                         std::span<const std::uint32_t> group_of,
                                         std::size_t groups) {
  std::vector<EventCounts> events(groups);
  for (std::size_t i = 0; i < program.code.size(); ++i) {
    const Operation& operation = program.code[i].operation;
    EventCounts& own = events[group_of[i]];
    count_events(config, operation, own);
    if (opcode_of(operation) != Opcode::kFetch || pushes == 0) continue;
    ++own.pushes;
    --pushes;
  }
  return events;
}

}  // namespace weft
