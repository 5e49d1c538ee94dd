#include "compiler/program/list_scheduler.h"

#include <algorithm>

namespace weft::compiler {

ListScheduler::ListScheduler(const MachineConfig& config, Write write, std::size_t block)
    : write_(std::move(write)), block_(block), clock_(config), graph_(config) {}

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
  successors_.find(graph_);
  find_due();
  std::vector<Number> first_ones;  // before a note releases more
  for (Number node = 0; node < nodes_.size(); ++node) {
    nodes_[node].waits = static_cast<std::uint32_t>(graph_.before(node).size());
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

// What no other unit waits for in this block comes last.
void ListScheduler::find_due() {
  for (auto node = static_cast<Number>(nodes_.size()); node-- > 0;) {
    Node& each = nodes_[node];
    each.due = static_cast<Number>(nodes_.size());
    if (each.unit && *each.unit != Unit::kVector) each.due = node;
    for (const Number after : successors_.of(node)) {
      each.due = std::min(each.due, nodes_[after].due);
    }
  }
}

std::optional<ListScheduler::Start> ListScheduler::next_of(Unit unit) {
  return unit == Unit::kVector ? next_vector() : next_in_order(unit);
}

std::optional<ListScheduler::Start> ListScheduler::next_vector() {
  const Cycle free = clock_.free(Unit::kVector);
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
  return Start{clock_.earliest(entries_[node.entry].operation, node.ready), number};
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
  const Entry& entry = entries_[nodes_[start.node].entry];
  write_(entry);
  release_successors(start.node, clock_.run(entry.operation, start.cycle));
}

void ListScheduler::release_successors(Number node, Cycle ready) {
  for (const Number after : successors_.of(node)) {
    Node& next = nodes_[after];
    next.ready = std::max(next.ready, ready);
    if (--next.waits == 0) release(after);
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
