#include "compiler/program/order/operation_block.h"

#include <algorithm>

namespace weft::compiler {

void OperationBlock::add(OperationEntry entry) {
  graph_.add(entry.operation);
  const Unit unit = unit_of(entry.operation);
  if (unit != Unit::kVector) queues_[unit].push_back(static_cast<Number>(nodes_.size()));
  nodes_.push_back({unit, entries_.size()});
  entries_.push_back(std::move(entry));
}

void OperationBlock::after_writes(std::uint64_t base, std::uint64_t rows, std::uint64_t planes,
                                  std::uint64_t plane_rows, std::function<void()> note) {
  graph_.add_reader(base, rows, planes, plane_rows);
  nodes_.push_back({std::nullopt, notes_.size()});
  notes_.push_back(std::move(note));
}

void OperationBlock::begin() {
  left_ = entries_.size();
  successors_.find(graph_);
  find_due();
  std::vector<Number> first_ones;  // before a note releases more
  for (Number node = 0; node < nodes_.size(); ++node) {
    nodes_[node].waits = static_cast<std::uint32_t>(graph_.before(node).size());
    if (nodes_[node].waits == 0) first_ones.push_back(node);
  }
  for (const Number node : first_ones) release(node);
}

// What no other unit waits for in this block comes last.
void OperationBlock::find_due() {
  for (auto node = static_cast<Number>(nodes_.size()); node-- > 0;) {
    Node& each = nodes_[node];
    each.due = static_cast<Number>(nodes_.size());
    if (each.unit && *each.unit != Unit::kVector) each.due = node;
    for (const Number after : successors_.of(node)) {
      each.due = std::min(each.due, nodes_[after].due);
    }
  }
}

std::optional<OperationBlock::Number> OperationBlock::head(Unit unit) const {
  if (heads_[unit] == queues_[unit].size()) return std::nullopt;
  return queues_[unit][heads_[unit]];
}

std::optional<OperationBlock::Number> OperationBlock::next_vector(const UnitClock& clock) {
  const Cycle free = clock.free(Unit::kVector);
  while (!waiting_.empty() && std::get<Cycle>(waiting_.top()) <= free) {
    const Number node = std::get<2>(waiting_.top());
    startable_.emplace(nodes_[node].due, node);
    waiting_.pop();
  }
  if (!startable_.empty()) return startable_.top().second;
  if (waiting_.empty()) return std::nullopt;
  return std::get<2>(waiting_.top());
}

void OperationBlock::hand_on(Number node, Cycle ready) {
  const Unit unit = *nodes_[node].unit;
  if (unit != Unit::kVector) {
    ++heads_[unit];
  } else if (!startable_.empty()) {
    startable_.pop();
  } else {
    waiting_.pop();
  }
  --left_;
  release_successors(node, ready);
}

void OperationBlock::release_successors(Number node, Cycle ready) {
  for (const Number after : successors_.of(node)) {
    Node& next = nodes_[after];
    next.ready = std::max(next.ready, ready);
    if (--next.waits == 0) release(after);
  }
}

void OperationBlock::release(Number node) {
  const Node& each = nodes_[node];
  if (!each.unit) {
    notes_[each.entry]();
    return release_successors(node, each.ready);
  }
  if (*each.unit == Unit::kVector) waiting_.emplace(each.ready, each.due, node);
}

void OperationBlock::clear() {
  graph_.clear();
  entries_.clear();
  notes_.clear();
  nodes_.clear();
  for (auto& queue : queues_) queue.clear();
  heads_ = {};
}

}  // namespace weft::compiler
