#include "compiler/program/list_scheduler.h"

#include <algorithm>
#include <variant>

#include "sim/timing/transfers.h"

namespace weft::compiler {

ListScheduler::ListScheduler(const MachineConfig& config, Write write, std::size_t block)
    : config_(config), write_(std::move(write)), block_(block), array_(config), graph_(config) {
  for (std::size_t c = 0; c < kChannelCount; ++c) {
    channels_.emplace_back(config.clock_hz, bytes_per_second(static_cast<Channel>(c), config));
  }
}

void ListScheduler::add(Entry entry) {
  if (graph_.size() >= block_) schedule_block();
  graph_.add(entry.operation);
  const Unit unit = unit_of(entry.operation);
  if (unit != Unit::kVector) queues_[unit].push_back(static_cast<Number>(nodes_.size()));
  nodes_.push_back({unit, entries_.size()});
  entries_.push_back(std::move(entry));
}

void ListScheduler::after_writes(std::uint64_t base, std::uint64_t rows, std::uint64_t planes,
                                 std::uint64_t plane_rows, std::function<void()> note) {
  graph_.add_reader(base, rows, planes, plane_rows);
  nodes_.push_back({std::nullopt, notes_.size()});
  notes_.push_back(std::move(note));
}

void ListScheduler::finish() {
  schedule_block();
}

void ListScheduler::schedule_block() {
  connect();
  find_due();
  std::vector<Number> first_ones;  // before a note releases more
  for (Number node = 0; node < nodes_.size(); ++node) {
    if (nodes_[node].waits == 0) first_ones.push_back(node);
  }
  for (const Number node : first_ones) release(node);
  for (std::size_t left = entries_.size(); left > 0; --left) {
    std::optional<Start> first;
    for (const Unit unit : kUnits) {
      const auto start = next_of(unit);
      if (start && (!first || *start < *first)) first = start;
    }
    hand_on(first.value());
  }
  graph_.clear();
  entries_.clear();
  notes_.clear();
  nodes_.clear();
  for (auto& queue : queues_) queue.clear();
  heads_ = {};
}

void ListScheduler::connect() {
  for (Number node = 0; node < nodes_.size(); ++node) {
    for (const Number before : graph_.before(node)) ++nodes_[before].successors;
    nodes_[node].waits = static_cast<std::uint32_t>(graph_.before(node).size());
  }
  std::size_t end = 0;
  for (Node& node : nodes_) {
    end += node.successors;
    node.successors = end;
  }
  successors_.resize(end);
  for (Number node = 0; node < nodes_.size(); ++node) {
    for (const Number before : graph_.before(node)) successors_[--nodes_[before].successors] = node;
  }
}

// What no other unit waits for in this block comes last.
void ListScheduler::find_due() {
  std::size_t end = successors_.size();
  for (auto node = static_cast<Number>(nodes_.size()); node-- > 0;) {
    Node& each = nodes_[node];
    each.due = static_cast<Number>(nodes_.size());
    if (each.unit && *each.unit != Unit::kVector) each.due = node;
    for (std::size_t i = each.successors; i < end; ++i) {
      each.due = std::min(each.due, nodes_[successors_[i]].due);
    }
    end = each.successors;
  }
}

std::optional<ListScheduler::Start> ListScheduler::next_of(Unit unit) {
  return unit == Unit::kVector ? next_vector() : next_in_order(unit);
}

std::optional<ListScheduler::Start> ListScheduler::next_vector() {
  const Cycle free = free_[Unit::kVector];
  while (!waiting_.empty() && std::get<Cycle>(waiting_.top()) <= free) {
    const Number node = std::get<2>(waiting_.top());
    startable_.emplace(nodes_[node].due, node);
    waiting_.pop();
  }
  if (!startable_.empty()) return Start{free, startable_.top().second};
  if (waiting_.empty()) return std::nullopt;
  return Start{std::get<Cycle>(waiting_.top()), std::get<2>(waiting_.top())};
}

std::optional<ListScheduler::Start> ListScheduler::next_in_order(Unit unit) const {
  if (heads_[unit] == queues_[unit].size()) return std::nullopt;
  const Number number = queues_[unit][heads_[unit]];
  const Node& node = nodes_[number];
  if (node.waits > 0) return std::nullopt;
  Cycle start = std::max(free_[unit], node.ready);
  const Operation& operation = entries_[node.entry].operation;
  if (const auto* matmul = std::get_if<Matmul>(&operation)) {
    if (matmul->next_weights) start = std::max(start, shadow_free_ + array_.push());
    return Start{start, number};
  }
  const auto request = transfer_request(operation, config_);
  if (request && request->channel) {
    start = std::max(start, channels_[static_cast<std::size_t>(*request->channel)].free_cycle());
  }
  return Start{start, number};
}

/// Occupies the node's unit. Returns the cycle in which the operation retires.
Cycle ListScheduler::run(const Start& start) {
  const Operation& operation = entries_[nodes_[start.node].entry].operation;
  if (const auto* vector = std::get_if<Vector>(&operation)) {
    free_[Unit::kVector] = start.cycle + Cycle{vector->rows};
    return vector_retire(start.cycle, vector->rows, config_);
  }
  if (const auto* matmul = std::get_if<Matmul>(&operation)) {
    free_[Unit::kMatmul] = start.cycle + Cycle{matmul->rows};
    if (matmul->next_weights) shadow_free_ = start.cycle;
    if (!config_.double_buffer) shadow_free_ = array_.empty(start.cycle, matmul->rows);
    return array_.retire(start.cycle, matmul->rows);
  }
  const Unit unit = unit_of(operation);
  free_[unit] = start.cycle;
  Cycle& retired = retired_[unit];
  retired = std::max(retired, transfer(operation, start.cycle));
  return retired;
}

/// Occupies the channel of a transfer. Returns the cycle in which it is complete.
Cycle ListScheduler::transfer(const Operation& operation, Cycle start) {
  const auto request = transfer_request(operation, config_);
  if (!request) {
    const Cycle reads = buffer_read_cycles(operation, config_);
    free_[Unit::kFetch] = start + reads;
    return start + reads - 1;
  }
  Cycle end = start;
  if (request->channel) {
    ChannelClock& channel = channels_[static_cast<std::size_t>(*request->channel)];
    end = channel.occupy(start, *request) + latency_cycles(*request->channel, config_);
  }
  return std::max(end, start + row_write_cycles(operation) - 1);
}

void ListScheduler::hand_on(const Start& start) {
  const Unit unit = *nodes_[start.node].unit;
  if (unit != Unit::kVector) {
    ++heads_[unit];
  } else if (!startable_.empty()) {
    startable_.pop();
  } else {
    waiting_.pop();
  }
  write_(entries_[nodes_[start.node].entry]);
  // The array pushes a tile after its fetch and before its matmul.
  const Cycle pushes = unit == Unit::kFetch ? array_.push() : 0;
  release_successors(start.node, run(start) + 1 + pushes);
}

void ListScheduler::release_successors(Number node, Cycle ready) {
  const std::size_t begin = nodes_[node].successors;
  const std::size_t end =
      node + 1 < nodes_.size() ? nodes_[node + 1].successors : successors_.size();
  for (std::size_t i = begin; i < end; ++i) {
    Node& next = nodes_[successors_[i]];
    next.ready = std::max(next.ready, ready);
    if (--next.waits == 0) release(successors_[i]);
  }
}

void ListScheduler::release(Number node) {
  const Node& each = nodes_[node];
  if (!each.unit) {
    notes_[each.entry]();
    return release_successors(node, each.ready);
  }
  if (*each.unit == Unit::kVector) waiting_.emplace(each.ready, each.due, node);
}

}  // namespace weft::compiler
