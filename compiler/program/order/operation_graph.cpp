#include "compiler/program/order/operation_graph.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

namespace weft::compiler {
namespace {

using Number = OperationGraph::Number;

/// Blocks of rows that one operation reads count as one if at most this many rows lie between them.
/// A window over an image skips the lines' borders and, with a stride, every other line.
constexpr std::uint64_t kLargestGap = 256;

}  // namespace

void OperationGraph::add(const Operation& operation) {
  const auto node = static_cast<Number>(size());
  const bool in_order = array_order_ == ArrayOrder::kKept;
  if (in_order && std::holds_alternative<Fetch>(operation)) {
    const std::uint64_t fetch = earlier_fetches_ + fetches_.size();
    const std::uint64_t slots = config_.weight_fifo_tiles;
    if (fetch >= slots + earlier_takers_) need(takers_.at(fetch - slots - earlier_takers_));
    fetches_.push_back(node);
  }
  const auto* matmul = std::get_if<Matmul>(&operation);
  if (in_order && matmul != nullptr && matmul->next_weights) {
    const std::uint64_t tile = earlier_takers_ + takers_.size();
    if (tile >= earlier_fetches_) need(fetches_.at(tile - earlier_fetches_));
    takers_.push_back(node);
  }
  const Unit unit = unit_of(operation);
  bool reads = true;
  const auto end_reads = [&] {
    for (const ReadRows& rows : reads_) {
      read(rows, keeps_order(unit) ? std::optional(unit) : std::nullopt);
    }
    reads_.clear();
    reads = false;
  };
  for_each_access_but_images(operation, config_, [&](const RowAccess& access) {
    if (!access.writes()) return add_read(access);
    if (reads) end_reads();
    if (!in_order && matmul != nullptr) return add_to_sum(*matmul);
    write(access.memory, access.touch.row, access.touch.end());
  });
  if (reads) end_reads();
  settle();
}

bool OperationGraph::keeps_order(Unit unit) const {
  if (unit == Unit::kVector) return false;
  return array_order_ == ArrayOrder::kKept || (unit != Unit::kMatmul && unit != Unit::kFetch);
}

void OperationGraph::add_reader(std::uint64_t base, std::uint64_t rows, std::uint64_t planes,
                                std::uint64_t plane_rows) {
  for (std::uint64_t plane = 0; plane < planes; ++plane) {
    const std::uint64_t begin = base + plane * plane_rows;
    read({RowMemory::kBuffer, begin, begin + rows}, std::nullopt);
  }
  settle();
}

/// False if one lies in staging and the other does not. Rounds that are under way at once use rows
/// of their own (Stream::order_rounds()).
bool OperationGraph::is_one_part(const ReadRows& a, const ReadRows& b) const {
  if (a.memory != RowMemory::kBuffer) return true;
  const std::uint64_t rows = config_.unified_buffer_rows();
  return (a.begin % rows < staging_) == (b.begin % rows < staging_);
}

/// Joins the rows with those of the access before, if they are near.
void OperationGraph::add_read(const RowAccess& access) {
  const ReadRows rows{access.memory, access.touch.row, access.touch.end()};
  if (!reads_.empty()) {
    ReadRows& last = reads_.back();
    const std::uint64_t gap = array_order_ == ArrayOrder::kKept ? kLargestGap : 0;
    if (last.memory == rows.memory && rows.begin <= last.end + gap &&
        last.begin <= rows.end + gap && is_one_part(last, rows)) {
      last.begin = std::min(last.begin, rows.begin);
      last.end = std::max(last.end, rows.end);
      return;
    }
  }
  reads_.push_back(rows);
}

void OperationGraph::read(const ReadRows& rows, std::optional<Unit> in_order) {
  const auto node = static_cast<Number>(size());
  rows_of(rows.memory)
      .update(rows.begin, rows.end, [&](std::uint64_t, std::uint64_t, RowUses& uses) {
        need_writer(rows.memory, uses.writer);
        if (in_order) {
          uses.last[*in_order] = node;
        } else if (uses.readers.empty() || uses.readers.back() != node) {
          uses.readers.push_back(node);
        }
      });
}

void OperationGraph::write(RowMemory memory, std::uint64_t begin, std::uint64_t end) {
  RowUses written;
  written.writer = static_cast<Number>(size());
  const auto end_uses = [&](std::uint64_t, std::uint64_t, const RowUses& uses) {
    need_writer(memory, uses.writer);
    for (const Number reader : uses.last) need(reader);
    for (const Number reader : uses.readers) need(reader);
  };
  rows_of(memory).replace(begin, end, written, end_uses);
}

/// A matmul that adds to a sum has no edge to the others of the sum.
void OperationGraph::add_to_sum(const Matmul& matmul) {
  const auto node = static_cast<Number>(size());
  sums_.resize(node + 1);
  const Number first = matmul.accumulate ? open_sum(matmul) : kNone;
  if (first != kNone) {
    sums_[node].first = first;
    sums_[first].later.push_back(node);
    needed_.insert(needed_.end(), sums_[first].before.begin(), sums_[first].before.end());
    return;
  }
  const std::vector<Number> others = std::exchange(needed_, {});
  write(RowMemory::kAccumulators, matmul.acc, std::uint64_t{matmul.acc} + matmul.rows);
  sums_[node].first = node;
  sums_[node].rows = matmul.rows;
  sums_[node].before = needed_;
  needed_.insert(needed_.end(), others.begin(), others.end());
}

/// The first matmul of the sum in exactly the matmul's rows, if no other unit has read them; else
/// kNone.
OperationGraph::Number OperationGraph::open_sum(const Matmul& matmul) {
  const std::uint64_t begin = matmul.acc;
  const std::uint64_t end = begin + matmul.rows;
  Number first = kNone;
  rows_of(RowMemory::kAccumulators)
      .update(begin, end, [&](std::uint64_t from, std::uint64_t to, const RowUses& uses) {
        const bool whole = from == begin && to == end && uses.writer != kNone;
        if (whole && uses.readers.empty() && sums_[uses.writer].rows == matmul.rows) {
          first = uses.writer;
        }
      });
  return first;
}

void OperationGraph::need_writer(RowMemory memory, Number writer) {
  need(writer);
  if (writer == kNone || memory != RowMemory::kAccumulators || writer >= sums_.size()) return;
  for (const Number each : sums_[writer].later) need(each);
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
  sums_.clear();
}

void Successors::find(const OperationGraph& graph) {
  const auto size = static_cast<Number>(graph.size());
  begins_.assign(size + 1, 0);
  for (Number node = 0; node < size; ++node) {
    for (const Number before : graph.before(node)) ++begins_[before];
  }
  std::size_t edges = 0;
  for (std::size_t& begin : begins_) begin = edges += begin;  // the end of each node's, so far
  nodes_.resize(edges);
  for (Number node = size; node-- > 0;) {
    for (const Number before : graph.before(node)) nodes_[--begins_[before]] = node;
  }
}

}  // namespace weft::compiler
