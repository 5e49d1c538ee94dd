#include "compiler/program/operation_graph.h"

#include <algorithm>
#include <variant>

namespace weft::compiler {
namespace {

/// Blocks of rows that one operation reads count as one if at most this many rows lie between them.
/// A window over an image skips the lines' borders and, with a stride, every other line.
constexpr std::uint64_t kLargestGap = 256;

}  // namespace

void OperationGraph::add(const Operation& operation) {
  const auto node = static_cast<Number>(size());
  if (std::holds_alternative<Fetch>(operation)) {
    const std::uint64_t fetch = earlier_fetches_ + fetches_.size();
    const std::uint64_t slots = config_.weight_fifo_tiles;
    if (fetch >= slots + earlier_takers_) need(takers_.at(fetch - slots - earlier_takers_));
    fetches_.push_back(node);
  }
  const auto* matmul = std::get_if<Matmul>(&operation);
  if (matmul != nullptr && matmul->next_weights) {
    const std::uint64_t tile = earlier_takers_ + takers_.size();
    if (tile >= earlier_fetches_) need(fetches_.at(tile - earlier_fetches_));
    takers_.push_back(node);
  }
  const Unit unit = unit_of(operation);
  bool reads = true;
  const auto end_reads = [&] {
    for (const ReadRows& rows : reads_) {
      read(rows, unit == Unit::kVector ? std::nullopt : std::optional(unit));
    }
    reads_.clear();
    reads = false;
  };
  for_each_access(operation, config_, [&](const RowAccess& access) {
    if (!access.writes()) return add_read(access);
    if (reads) end_reads();
    write(memories_[static_cast<std::size_t>(access.memory)], access.touch.row, access.touch.end());
  });
  if (reads) end_reads();
  settle();
}

void OperationGraph::add_reader(std::uint64_t base, std::uint64_t rows, std::uint64_t planes,
                                std::uint64_t plane_rows) {
  for (std::uint64_t plane = 0; plane < planes; ++plane) {
    const std::uint64_t begin = base + plane * plane_rows;
    read({RowMemory::kBuffer, begin, begin + rows}, std::nullopt);
  }
  settle();
}

/// Joins the rows with those of the access before, if they are near.
void OperationGraph::add_read(const RowAccess& access) {
  const ReadRows rows{access.memory, access.touch.row, access.touch.end()};
  if (!reads_.empty()) {
    ReadRows& last = reads_.back();
    if (last.memory == rows.memory && rows.begin <= last.end + kLargestGap &&
        last.begin <= rows.end + kLargestGap) {
      last.begin = std::min(last.begin, rows.begin);
      last.end = std::max(last.end, rows.end);
      return;
    }
  }
  reads_.push_back(rows);
}

void OperationGraph::read(const ReadRows& rows, std::optional<Unit> in_order) {
  const auto node = static_cast<Number>(size());
  memories_[static_cast<std::size_t>(rows.memory)].update(
      rows.begin, rows.end, [&](std::uint64_t, std::uint64_t, RowUses& uses) {
        need(uses.writer);
        if (in_order) {
          uses.last[*in_order] = node;
        } else if (uses.readers.empty() || uses.readers.back() != node) {
          uses.readers.push_back(node);
        }
      });
}

void OperationGraph::write(RowMap<RowUses>& rows, std::uint64_t begin, std::uint64_t end) {
  RowUses written;
  written.writer = static_cast<Number>(size());
  rows.replace(begin, end, written, [this](std::uint64_t, std::uint64_t, const RowUses& uses) {
    need(uses.writer);
    for (const Number reader : uses.last) need(reader);
    for (const Number reader : uses.readers) need(reader);
  });
}

void OperationGraph::need(Number node) {
  if (node != kNone && (needed_.empty() || needed_.back() != node)) needed_.push_back(node);
}

void OperationGraph::settle() {
  const auto node = static_cast<Number>(size());
  std::ranges::sort(needed_);
  const auto end = std::unique(needed_.begin(), needed_.end());
  for (auto at = needed_.begin(); at != end; ++at) {
    if (*at != node) before_.push_back(*at);
  }
  needed_.clear();
  ends_.push_back(before_.size());
}

void OperationGraph::clear() {
  for (RowMap<RowUses>& rows : memories_) {
    rows.reset_if([](const RowUses&) { return true; });
  }
  earlier_fetches_ += fetches_.size();
  earlier_takers_ += takers_.size();
  fetches_.clear();
  takers_.clear();
  before_.clear();
  ends_.clear();
}

}  // namespace weft::compiler
