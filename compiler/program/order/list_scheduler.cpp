#include "compiler/program/order/list_scheduler.h"

#include <algorithm>

namespace weft::compiler {

ListScheduler::ListScheduler(const MachineConfig& config, Write write, std::size_t block,
                             std::uint64_t staging)
    : write_(std::move(write)), block_(block), clock_(config), operations_(config, staging) {}

void ListScheduler::add(Entry entry) {
  if (operations_.size() >= block_) finish();
  operations_.add(std::move(entry));
}

void ListScheduler::finish() {
  operations_.begin();
  while (operations_.left() > 0) {
    std::optional<Start> first;
    for (const Unit unit : kUnits) {
      const auto start = next_of(unit);
      if (start && (!first || *start < *first)) first = start;
    }
    hand_on(first.value());
  }
  operations_.clear();
}

std::optional<ListScheduler::Start> ListScheduler::next_of(Unit unit) {
  const bool is_vector = unit == Unit::kVector;
  const auto node = is_vector ? operations_.next_vector(clock_) : operations_.head(unit);
  if (!node || operations_.waits(*node) > 0) return std::nullopt;
  return Start{clock_.earliest(operations_.entry(*node).operation, operations_.ready(*node)),
               *node};
}

void ListScheduler::hand_on(const Start& start) {
  const Entry& entry = operations_.entry(start.node);
  write_(entry);
  operations_.hand_on(start.node, clock_.run(entry.operation, start.cycle));
}

}  // namespace weft::compiler
